"""Error pages: what happened, what is affected, what to do. They ask neither the database nor the session."""

from __future__ import annotations

import logging
import secrets
import sys
from dataclasses import dataclass
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string

from mindx_web.web.outages import Outage, outage_of

logger = logging.getLogger(__name__)

API_PREFIX = "/api/"


@dataclass(frozen=True)
class Trouble:
    """What an error page says, in the order in which people need it."""

    status: HTTPStatus
    title: str
    happened: str
    did_not: str
    can_do: str


BAD_REQUEST = Trouble(
    HTTPStatus.BAD_REQUEST,
    "The request could not be read",
    "mindX cannot read a part of what was sent.",
    "Nothing was stored and nothing was changed.",
    "Go back, correct what you sent, and send it again.",
)
FORBIDDEN = Trouble(
    HTTPStatus.FORBIDDEN,
    "You do not have permission",
    "Your roles do not allow this.",
    "Nothing was changed.",
    "Ask an administrator for the role, or ask somebody who has it to do this.",
)
CSRF = Trouble(
    HTTPStatus.FORBIDDEN,
    "The form was not accepted",
    "Its security token did not match your session: the page was old, you logged in again, or cookies are off.",
    "Nothing was saved. What you typed is still in your browser.",
    "Go back, reload the page and send the form again.",
)
NOT_FOUND = Trouble(
    HTTPStatus.NOT_FOUND,
    "Page not found",
    "The address is wrong, the page was removed, or it belongs to somebody else.",
    "Nothing was changed.",
    "Check the address, or start from the overview.",
)
POST_ONLY = Trouble(
    HTTPStatus.METHOD_NOT_ALLOWED,
    "This address only accepts a form",
    "A form on another page sends its data here. There is nothing to show.",
    "Nothing was sent, so nothing was changed.",
    "Open the page with the form and check the current state there.",
)
SERVER_ERROR = Trouble(
    HTTPStatus.INTERNAL_SERVER_ERROR,
    "Something went wrong on the server",
    "An unexpected error stopped this request. The server log has the details.",
    "What you sent was not saved. Running goals are not affected: they continue or wait.",
    "Try again. If it happens again, give the request number to your administrator.",
)

# The last resort, when not even the template can be rendered.
_BARE = (
    "<!doctype html><html lang=en><title>{title}</title><h1>{title}</h1>"
    "<p>{happened}<p>{did_not}<p>{can_do}<p>request {number}"
)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400."""
    return respond(request, BAD_REQUEST)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403."""
    return respond(request, FORBIDDEN)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403, for a form without the token of its session: about the form, not about anybody's rights."""
    response = respond(request, CSRF)
    response.is_about_rights = False  # type: ignore[attr-defined]  # the journal reads it
    return response


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404. The same for what does not exist and for what the person may not see."""
    return respond(request, NOT_FOUND)


def server_error(request: HttpRequest) -> HttpResponse:
    """500; 503 with a moment to come back where the house is at fault: a database that is away, a disk that is full."""
    if (outage := outage_of(sys.exc_info()[1])) is None:
        return respond(request, SERVER_ERROR)
    return unavailable(request, outage)


def unavailable(request: HttpRequest, outage: Outage) -> HttpResponse:
    """503: what is away, and what to do."""
    trouble = Trouble(
        HTTPStatus.SERVICE_UNAVAILABLE,
        outage.title,
        outage.happened,
        "What you sent was not saved. Nothing saved is lost. Approved plans wait and continue automatically.",
        outage.can_do,
    )
    response = respond(request, trouble)
    response.headers["Retry-After"] = str(outage.retry_after_s)
    return response


def respond(request: HttpRequest, trouble: Trouble, *, way_on: str = "") -> HttpResponse:
    """The page, or a problem document below the API's address; its number is in the log and on the page. `way_on` is
    the address of a page that helps more than the overview.
    """
    number = secrets.token_hex(4).upper()
    level = logging.ERROR if trouble.status >= HTTPStatus.INTERNAL_SERVER_ERROR else logging.INFO
    logger.log(
        level,
        "Request %s was answered with %d: %s %r",
        number,
        trouble.status,
        request.method,
        request.path,
        extra={"request_number": number, "status": int(trouble.status)},
    )
    if request.path.startswith(API_PREFIX):
        return _problem(trouble, number)
    try:
        page: str = render_to_string("errors/error.html", {"trouble": trouble, "number": number, "way_on": way_on})
    except Exception:
        # An error page must come whatever is broken, the static files' manifest included.
        logger.exception("The error page of request %s could not be rendered", number)
        page = _BARE.format(
            title=trouble.title,
            happened=trouble.happened,
            did_not=trouble.did_not,
            can_do=trouble.can_do,
            number=number,
        )
    return HttpResponse(page, status=trouble.status, headers={"X-Request-Id": number})


def _problem(trouble: Trouble, number: str) -> HttpResponse:
    body = {
        "type": "about:blank",
        "title": trouble.title,
        "status": int(trouble.status),
        "detail": trouble.happened,
        "request": number,
    }
    return JsonResponse(
        body, status=trouble.status, content_type="application/problem+json", headers={"X-Request-Id": number}
    )
