"""Measures every request, by the pattern of its address."""

from __future__ import annotations

import time

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from mindx_web.metrics.process import HTTP_SECONDS
from mindx_web.web.middleware import Around

# A client may send any word as a method; the others are one label.
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


class Durations(Around):
    """The first middleware of all, so that it measures what the others take."""

    def now(self, request: HttpRequest) -> HttpResponseBase:
        """Answer it and keep how long that took."""
        started = time.perf_counter()
        return _measured(request, self.get_response(request), started)

    async def later(self, request: HttpRequest) -> HttpResponseBase:
        """As `now`."""
        started = time.perf_counter()
        response = await self.get_response(request)
        return _measured(request, response, started)


def _measured(request: HttpRequest, response: HttpResponseBase, started: float) -> HttpResponseBase:
    method = request.method if request.method in _METHODS else "other"
    # The pattern of the address: ids and names in it are not labels. An unknown address has none.
    match = request.resolver_match
    route = match.route if match is not None else "none"
    HTTP_SECONDS.labels(method, route, str(response.status_code)).observe(time.perf_counter() - started)
    return response
