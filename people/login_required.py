"""Nobody comes further than the login page, and whoever was logged out meanwhile comes back to where they were."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme

# In the address of the login page: what was sent is lost, and the page says so.
UNSENT = "unsent"


class LoginRequired(LoginRequiredMiddleware):
    """Django's own, except for what was sent without a session: that leads back to the page it was sent from. Its own
    address only takes forms; after the login there would be nothing to show.
    """

    def handle_no_permission(self, request: HttpRequest, view_func: Callable[..., Any]) -> HttpResponseRedirect:
        """To the login page, and from there on to what was asked for."""
        if request.method in ("GET", "HEAD"):
            return super().handle_no_permission(request, view_func)
        asked = urlencode({self.get_redirect_field_name(view_func): came_from(request), UNSENT: 1}, safe="/")
        return HttpResponseRedirect(f"{self.get_login_url(view_func)}?{asked}")


def came_from(request: HttpRequest) -> str:
    """The path of the page of ours from which this was sent; the overview when it tells none."""
    page = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(page, {request.get_host()}):
        return "/"
    parts = urlsplit(page)
    return f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
