"""Gives every request an id, and makes every error below /api/ a problem.

First in MIDDLEWARE, so that errors raised before a view is found (a foreign host name, an unknown address, a fault of
another middleware) are problems too.
"""

from __future__ import annotations

import uuid

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from mindx_web.api.protocol import problems
from mindx_web.web.middleware import Around

_API = "/api/"


class Edge(Around):
    """See the module."""

    def now(self, request: HttpRequest) -> HttpResponseBase:
        """Answer it with an id of its own."""
        request.request_id = str(uuid.uuid4())  # type: ignore[attr-defined]  # a request has no such field of its own
        return _finish(request, self.get_response(request))

    async def later(self, request: HttpRequest) -> HttpResponseBase:
        """As `now`."""
        request.request_id = str(uuid.uuid4())  # type: ignore[attr-defined]  # a request has no such field of its own
        return _finish(request, await self.get_response(request))


def _finish(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    # An error page has its own id, which is the one in the log.
    response.headers.setdefault("X-Request-ID", request.request_id)  # type: ignore[attr-defined]  # a request has no such field of its own
    if request.path_info.startswith(_API):
        problems.rewrite(response, request)
        # Answers depend on the token, which caches ignore.
        response.headers.setdefault("Cache-Control", "no-store")
    return response
