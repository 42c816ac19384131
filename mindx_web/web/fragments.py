"""Page and fragment under one address: caches keep them apart, or the way back shows a fragment without its page."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers

from mindx_web.web.middleware import Around

# What HTMX says of itself; views answer by it.
_SAID_BY_HTMX = ("HX-Request", "HX-Target")


class Fragments(Around):
    """Middleware. On every page, and not only where a fragment is known: a browser's own cache asks for nothing when it
    goes back, and a page that gets a fragment later would be wrong again without anybody seeing it.
    """

    def now(self, request: HttpRequest) -> HttpResponseBase:
        """Answer it."""
        return _kept_apart(self.get_response(request))

    async def later(self, request: HttpRequest) -> HttpResponseBase:
        """As `now`."""
        return _kept_apart(await self.get_response(request))


def _kept_apart(response: HttpResponseBase) -> HttpResponseBase:
    if response.get("Content-Type", "").startswith("text/html"):
        patch_vary_headers(response, _SAID_BY_HTMX)
    return response
