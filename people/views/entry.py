"""Entering and leaving. `people.login_limit` counts the failures; here stands what is said when there were too many."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from people import login_limit, own_password
from people.forms import EntryForm
from people.login_required import UNSENT

UNTIL_BROWSER_CLOSES = 0


class Login(LoginView):
    """The login page. `next` is followed only within this site; LoginView checks it."""

    authentication_form = EntryForm
    template_name = "people/login.html"
    redirect_authenticated_user = True

    def get_context_data(self, **said: Any) -> dict[str, Any]:
        """As Django has it; `unsent`: something was sent by somebody who was no longer logged in; `provider`: of OpenID
        Connect, where there is one.
        """
        also = {"unsent": UNSENT in self.request.GET, "provider": settings.OIDC}
        return super().get_context_data(**said) | also

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Log in; the session ends with the browser unless the person asked to stay."""
        response = super().form_valid(form)
        login_limit.succeeded(self.request, form.get_user())
        login_limit.remember_device(self.request, response, form.get_user())
        own_password.note_typed(self.request.session)
        if not form.cleaned_data["stay"]:
            self.request.session.set_expiry(UNTIL_BROWSER_CLOSES)
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """The page again with the tries that are left, counted alike for names that exist and names that do not."""
        if wait_s := getattr(self.request, "login_wait_s", 0):
            return locked_out(self.request, wait_s)
        left = getattr(self.request, "login_tries_left", None)
        return self.render_to_response(self.get_context_data(form=form, tries_left=left), status=422)


class Logout(LogoutView):
    """Leaves by POST only: a link or an image must not be able to log anybody out."""

    http_method_names = ["post", "options"]


def locked_out(request: HttpRequest, wait_s: int) -> HttpResponse:
    """The page after too many failures; says when to try again."""
    again_at = timezone.now() + timedelta(seconds=wait_s)
    page = render(request, "people/locked_out.html", {"again_at": again_at, "wait_s": wait_s}, status=429)
    page.headers["Retry-After"] = str(wait_s)
    return page
