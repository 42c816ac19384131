"""The plans among which next and previous move: those of the list as the person last saw it."""

from __future__ import annotations

from django.http import HttpRequest, QueryDict

from review.reading import filters
from review.reading.filters import Filters

_KEPT = "queue_among"


def keep(request: HttpRequest, only: Filters) -> None:
    """Move among these. Stored in the session, so that it survives edits, comments and undo."""
    if request.session.get(_KEPT, "") != only.query:
        request.session[_KEPT] = only.query


def kept(request: HttpRequest) -> Filters:
    """The stored filter; without one, all waiting plans."""
    return filters.read(QueryDict(request.session.get(_KEPT, "")))[0]
