"""What people are about to change is read with the tools that are active now, which somebody may have just made."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse

from agents.components import made_tools

_READING = frozenset({"GET", "HEAD", "OPTIONS"})


class KnownTools:
    """Looks before each request that writes; pages that show tools look by themselves."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method not in _READING:
            # Without a database the view says so, in its own words.
            with suppress(DatabaseError):
                made_tools.refresh()
        return self._get_response(request)
