"""Measures every request, by the pattern of its address."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any, cast

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from mindx_web.metrics.process import HTTP_SECONDS

# A client may send any word as a method; the others are one label.
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


class Durations:
    """Middleware for both kinds of server, the first of all, so that it measures what the others take."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        self._is_async = iscoroutinefunction(get_response)
        if self._is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self._is_async:
            return self._answer_later(request)
        started = time.perf_counter()
        return _measured(request, self.get_response(request), started)

    async def _answer_later(self, request: HttpRequest) -> HttpResponseBase:
        started = time.perf_counter()
        response = await cast(Awaitable[HttpResponseBase], self.get_response(request))
        return _measured(request, response, started)


def _measured(request: HttpRequest, response: HttpResponseBase, started: float) -> HttpResponseBase:
    method = request.method if request.method in _METHODS else "other"
    # The pattern of the address: ids and names in it are not labels. An unknown address has none.
    match = request.resolver_match
    route = match.route if match is not None else "none"
    HTTP_SECONDS.labels(method, route, str(response.status_code)).observe(time.perf_counter() - started)
    return response
