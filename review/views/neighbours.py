"""Among which plans a person goes from one to the next: those that the list showed when they last looked at it."""

from __future__ import annotations

from django.http import HttpRequest, QueryDict

from review.reading import filters
from review.reading.filters import Filters

_KEPT = "queue_among"


def keep(request: HttpRequest, only: Filters) -> None:
    """Go on among these. Kept in the login's session, so that it outlives edits, comments and undo."""
    if request.session.get(_KEPT, "") != only.query:
        request.session[_KEPT] = only.query


def kept(request: HttpRequest) -> Filters:
    """What was kept; everything that waits where nothing was."""
    return filters.read(QueryDict(request.session.get(_KEPT, "")))[0]
