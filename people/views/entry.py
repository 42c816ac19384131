"""Entering and leaving. django-axes counts the failures; here stands what it says when there were too many."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from axes.handlers.proxy import AxesProxyHandler
from axes.helpers import get_cool_off
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from people.forms import EntryForm
from people.login_required import UNSENT

UNTIL_BROWSER_CLOSES = 0


class Login(LoginView):
    """The login page. `next` is followed only within this site; LoginView checks it."""

    authentication_form = EntryForm
    template_name = "people/login.html"
    redirect_authenticated_user = True

    def get_context_data(self, **said: Any) -> dict[str, Any]:
        """As Django has it; `unsent`: something was sent by somebody who was no longer logged in."""
        return super().get_context_data(**said) | {"unsent": UNSENT in self.request.GET}

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Log in; the session ends with the browser unless the person asked to stay."""
        response = super().form_valid(form)
        if not form.cleaned_data["stay"]:
            self.request.session.set_expiry(UNTIL_BROWSER_CLOSES)
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """The page again with the tries that are left, counted alike for names that exist and names that do not."""
        failures = getattr(self.request, "axes_failures_since_start", None)
        left = settings.AXES_FAILURE_LIMIT - failures if failures is not None else None
        return self.render_to_response(self.get_context_data(form=form, tries_left=left), status=422)


class Logout(LogoutView):
    """Leaves by POST only: a link or an image must not be able to log anybody out."""

    http_method_names = ["post", "options"]


def locked_out(request: HttpRequest, *_: object) -> HttpResponse:
    """The page after too many failures; says when to try again. Called by django-axes.

    Its asynchronous middleware passes the credentials in the wrong place, so they are taken from the request.
    """
    again_at = _unlocked_at(request)
    wait_s = max(1, round((again_at - timezone.now()).total_seconds()))
    page = render(request, "people/locked_out.html", {"again_at": again_at, "wait_s": wait_s}, status=429)
    page.headers["Retry-After"] = str(wait_s)
    return page


def _unlocked_at(request: HttpRequest) -> datetime:
    """When the last counted failure of this name from this address is forgotten."""
    credentials = getattr(request, "axes_credentials", None)
    attempts = AxesProxyHandler.get_implementation().get_user_attempts(request, credentials)
    times = [attempt.attempt_time for found in attempts for attempt in found]
    last: datetime = max(times, default=timezone.now())
    return last + get_cool_off(request)
