"""Around every request: an id for it, and below /api/ nothing but problems for errors.

First in MIDDLEWARE, so that errors raised before a view is found (a foreign host name, an unknown address, a fault of
another middleware) are problems too.
"""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable
from typing import Any, cast

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from mindx_web.api import problems

_API = "/api/"


class Edge:
    """Middleware for both kinds of server; see the module."""

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
        request.request_id = str(uuid.uuid4())  # type: ignore[attr-defined]  # a request has no such field of its own
        return _finish(request, self.get_response(request))

    async def _answer_later(self, request: HttpRequest) -> HttpResponseBase:
        request.request_id = str(uuid.uuid4())  # type: ignore[attr-defined]  # a request has no such field of its own
        return _finish(request, await cast(Awaitable[HttpResponseBase], self.get_response(request)))


def _finish(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    # An error page brings its own, which is the one in the log.
    response.headers.setdefault("X-Request-ID", request.request_id)  # type: ignore[attr-defined]  # a request has no such field of its own
    if request.path_info.startswith(_API):
        problems.rewrite(response, request)
        # Answers depend on a token that caches do not look at.
        response.headers.setdefault("Cache-Control", "no-store")
    return response
