"""What stands around every request: the same for both kinds of server, which call it in different ways."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

Answer = HttpResponseBase | Awaitable[HttpResponseBase]


class Around:
    """Middleware that says what it does around an answer given now, and around one that is waited for."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        self._is_async = iscoroutinefunction(get_response)
        if self._is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Answer:
        return self.later(request) if self._is_async else self.now(request)

    def now(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request."""
        raise NotImplementedError

    async def later(self, request: HttpRequest) -> HttpResponseBase:
        """As `now`, where answers are waited for."""
        raise NotImplementedError
