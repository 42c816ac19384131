"""Errors of the API: RFC 9457 problem details, whoever raised them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True)
class FieldError:
    """What is wrong with one field; `field` is a dotted path (`steps.0.tool`), empty for the whole body."""

    field: str
    message: str


class Problem(Exception):
    """An answer with an error status. `kind` is a word for programs, `detail` a sentence for people."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        kind: str = "",
        errors: Sequence[FieldError] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.kind = kind
        self.errors = tuple(errors)
        self.headers = dict(headers or {})


def not_found(what: str) -> Problem:
    """404 for what does not exist and for what is somebody else's: callers must not be able to distinguish them."""
    return Problem(404, f"There is no {what} with this id, or you may not see it.", kind="not_found")


def invalid(field: str, message: str) -> Problem:
    """422 about one field."""
    return Problem(422, message, kind="invalid", errors=[FieldError(field, message)])


def document(problem: Problem, request: HttpRequest) -> bytes:
    """The JSON of a problem. It may quote the request, and is never rendered as HTML."""
    body: dict[str, object] = {
        "type": f"urn:mindx:problem:{problem.kind}" if problem.kind else "about:blank",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": problem.detail,
    }
    if problem.errors:
        body["errors"] = [{"field": error.field, "message": error.message} for error in problem.errors]
    if request_id := getattr(request, "request_id", ""):
        body["instance"] = f"urn:uuid:{request_id}"
    return json.dumps(body).encode()


def answer(problem: Problem, request: HttpRequest) -> HttpResponse:
    """The HTTP answer for a problem."""
    return HttpResponse(
        document(problem, request), status=problem.status, content_type=MEDIA_TYPE, headers=problem.headers
    )


# For Django's own error answers, which are HTML for browsers; nothing of them is quoted.
_PLAIN_DETAIL = {
    400: "mindX cannot read this request.",
    403: "You may not do this.",
    404: "There is nothing at this address.",
    405: "This address does not know that method; the Allow header lists those it knows.",
    413: "The request is larger than mindX takes.",
    500: "mindX failed; the request id finds the reason in its log. What you asked for may not have happened.",
    503: "mindX cannot answer at the moment. Try again shortly.",
}


def rewrite(response: HttpResponseBase, request: HttpRequest) -> None:
    """Turn an error answer that is not a problem into one, in place, so that its headers stay."""
    kind = response.headers.get("Content-Type", "")
    # JSON with an error status is the API's own answer, as `health` gives before mindX is ready.
    if response.status_code < 400 or kind.startswith((MEDIA_TYPE, "application/json")):
        return
    if not isinstance(response, HttpResponse):
        return
    status = response.status_code
    detail = _PLAIN_DETAIL.get(status, HTTPStatus(status).description or HTTPStatus(status).phrase)
    response.content = document(Problem(status, detail), request)
    response.headers["Content-Type"] = MEDIA_TYPE
    if "Content-Length" in response.headers:
        response.headers["Content-Length"] = str(len(response.content))
