"""Whoever asks for what they have no right to is refused by whatever part knows; here the journal is told, once."""

from __future__ import annotations

import json
import logging
from http import HTTPStatus

from asgiref.sync import sync_to_async
from django.db import DatabaseError
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from mindx_web.web.middleware import Around
from people import journal
from people.journal import Event
from people.models import User

logger = logging.getLogger(__name__)

_PATH_MAX = 300
_WHY_MAX = 500
# What changes something of a plan under review by the API: an attempt is told whatever was wrong with it, a late one or
# a forged digest too. Pages say themselves which of their answers refused a decision (`refused_because`).
_UNDER_REVIEW = "/api/v1/intent-plans/"
_REFUSED = frozenset({HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY})


class Refusals(Around):
    """Middleware. What is refused to nobody (no login, no token) is none: it needs an identity, not a right.

    The answer stands already, so an entry that cannot be written is a line in the log: a refusal stays one.
    """

    def now(self, request: HttpRequest) -> HttpResponseBase:
        """Answer it and tell the journal of a refusal."""
        response: HttpResponseBase = self.get_response(request)
        _tell(request, response)
        return response

    async def later(self, request: HttpRequest) -> HttpResponseBase:
        """As `now`."""
        response: HttpResponseBase = await self.get_response(request)
        if _is_refusal(request, response):
            await sync_to_async(_tell)(request, response)
        return response


def _is_refusal(request: HttpRequest, response: HttpResponseBase) -> bool:
    if hasattr(response, "refused_because"):
        return True
    if response.status_code == HTTPStatus.FORBIDDEN:
        return bool(getattr(response, "is_about_rights", True))
    changes = request.method != "GET" and request.path.startswith(_UNDER_REVIEW)
    return changes and response.status_code in _REFUSED


def _tell(request: HttpRequest, response: HttpResponseBase) -> None:
    user = request.user
    if not _is_refusal(request, response) or not isinstance(user, User):
        return
    match = request.resolver_match
    told = {"method": request.method, "path": request.path[:_PATH_MAX], "why": _why(response)}
    try:
        journal.record(Event.REFUSED, by=user, subject=f"page:{match.view_name if match else ''}", data=told)
    except DatabaseError:
        logger.exception("The refusal of %s %s to %s is not in the journal", request.method, request.path, user.pk)


def _why(response: HttpResponseBase) -> str:
    """The sentence that a program got, or that a page says of a refused decision; others have theirs for the reader."""
    if said := getattr(response, "refused_because", ""):
        return str(said)[:_WHY_MAX]
    if "json" not in response.headers.get("Content-Type", ""):
        return ""
    try:
        return str(json.loads(getattr(response, "content", b"")).get("detail", ""))[:_WHY_MAX]
    except (ValueError, AttributeError):
        return ""
