"""Error pages: what happened, what did not happen, what to do. They ask neither the database nor the session."""

from __future__ import annotations

import logging
import secrets
import sys
from dataclasses import dataclass
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string

from mindx_web.outages import Outage, outage_of

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
    "Something in it has a form that mindX does not take.",
    "Nothing was stored and nothing was changed.",
    "Go back, correct what you sent, and send it again.",
)
FORBIDDEN = Trouble(
    HTTPStatus.FORBIDDEN,
    "This is not yours to do",
    "Your roles do not allow what you asked for.",
    "Nothing was changed.",
    "Ask an administrator for the role, or somebody who holds it to do it.",
)
CSRF = Trouble(
    HTTPStatus.FORBIDDEN,
    "The form was not accepted",
    "It did not carry the token of your session: the page was old, you logged in again meanwhile, or cookies are off.",
    "Nothing was stored. What you typed is still in your browser.",
    "Go back, reload the page and send the form again.",
)
NOT_FOUND = Trouble(
    HTTPStatus.NOT_FOUND,
    "Nothing is here",
    "The address is wrong, what it led to is gone, or it belongs to somebody else.",
    "Nothing was changed.",
    "Check the address, or start from the overview.",
)
POST_ONLY = Trouble(
    HTTPStatus.METHOD_NOT_ALLOWED,
    "There is nothing to read here",
    "This address only takes what a form of another page sends to it.",
    "Nothing was sent, so nothing was changed.",
    "Open the page with the form, and look there what holds.",
)
SERVER_ERROR = Trouble(
    HTTPStatus.INTERNAL_SERVER_ERROR,
    "Something broke on the server",
    "An error that nobody expected stopped this request. The log has the details.",
    "What you sent was not stored. Goals that run are not touched by this: they go on, or wait.",
    "Try again. If it happens again, show the request number to whoever runs this server.",
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
        "What you sent was not stored. Nothing that was stored is lost; approved plans wait and go on by themselves.",
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
