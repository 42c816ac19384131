"""Signing in with the provider that the operator named: the way there, the way back, and connecting an account."""

from __future__ import annotations

import secrets
import time
from functools import wraps
from typing import Any, cast

import requests
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_POST

from people import journal, login_limit, own_password, rate_limits
from people.addresses import client_address, shared_by_one_client
from people.journal import Event
from people.models import User
from people.oidc import entering, exchanges
from people.oidc.provider import ID, CheckedEndpoints, Proven, SignInRefused, TokenRefused, known
from people.own_password import TooManyTries
from people.views.entry import UNTIL_BROWSER_CLOSES, locked_out

_BACKEND = "people.backends.SealedPeople"
_MAY_CONNECT_UNTIL = "oidc_may_connect_until"
_CONNECT_S = 600

# What each refusal says to the person; the word itself goes into the journal.
SENTENCES = {
    "no_role": "None of your groups may use mindX. Ask the admin of this mindX for access.",
    "account_exists": "There is an account with your name or e-mail address already. Log in there with its password and"
    " connect it under “Your account”.",
    "misleading_name": "Your name at the provider has characters that could be taken for others: hidden or wide ones,"
    " or letters of several scripts. Change it there, or ask an admin.",
    "already_connected": "This account, or the one at the provider, is connected with another one already.",
    "disabled": "Your account is disabled. Ask an admin.",
    "not_sealed": "mindX did not store this connection itself. An admin needs to look.",
    "other_person": "Somebody else is signed in at the provider.",
    "not_typed": "The provider did not ask for your password again. Sign out there and try again.",
    "cancelled": "The sign-in was cancelled.",
    "other_sign_in": "This sign-in has expired or was started in another browser. Start again.",
    "too_many": "Many people are logging in at the moment. Try again in a few seconds.",
    "provider_away": "The provider cannot be reached, or its answer cannot be used. Try again, or log in with a"
    " password.",
}
_OTHERWISE = "The provider's answer could not be trusted, so you were not logged in. If this stays, tell an admin."
# Not the person's fault.
_STATUSES = {"provider_away": 502, "provider_unusable": 502, "too_many": 503}


def _says_refusals(view: Any) -> Any:
    @wraps(view)
    def around(request: HttpRequest) -> HttpResponse:
        if settings.OIDC is None:
            raise Http404("nobody signs in with a provider here")
        try:
            with exchanges.bounded():
                return cast(HttpResponse, view(request))
        except exchanges.TooMany:
            return _refused(request, "too_many")
        except (SignInRefused, TokenRefused) as refusal:
            return _refused(request, refusal.reason)
        except requests.RequestException:
            return _refused(request, "provider_away")

    return around


@never_cache
@login_not_required
@require_GET
@_says_refusals
def start(request: HttpRequest) -> HttpResponse:
    """Go to the provider. `next`: where to afterwards; `connect`, `again`: for somebody who is logged in."""
    if (wait_s := _taken(request)) > 0:
        return locked_out(request, wait_s)
    purpose = "connect" if "connect" in request.GET else "again" if "again" in request.GET else "login"
    if purpose != "login" and not request.user.is_authenticated:
        raise SignInRefused("other_sign_in")
    if purpose == "login" and request.user.is_authenticated:
        return redirect(_next(request))
    if purpose == "connect" and request.session.get(_MAY_CONNECT_UNTIL, 0) < time.time():
        return redirect("account")
    asked = {"nonce": secrets.token_urlsafe(32)}
    put_away = {"nonce": asked["nonce"], "purpose": purpose, "person": request.user.pk, "at": int(time.time())}
    if purpose == "again":
        asked |= {"prompt": "login", "max_age": "0"}
    provider = CheckedEndpoints(request, ID).get_provider()
    response = provider.redirect(request, "login", next_url=_next(request), auth_params=asked, **put_away)
    return cast(HttpResponse, response)


@never_cache
@login_not_required
@require_GET
@_says_refusals
def come_back(request: HttpRequest) -> HttpResponse:
    """The provider sends the browser here with a code, or with an error."""
    if (wait_s := _taken(request)) > 0:
        return locked_out(request, wait_s)
    view = OAuth2CallbackView.adapter_view(CheckedEndpoints(request, ID))
    try:
        return cast(HttpResponse, view(request))
    except Proven as proven:
        rate_limits.give_back(login_limit.BY_ADDRESS, _address(request))
        return _PURPOSES[proven.kept["purpose"]](request, proven)


def _log_in(request: HttpRequest, proven: Proven) -> HttpResponse:
    user = entering.enter(proven.claims, known())
    request.signed_in_with = known().issuer  # type: ignore[attr-defined]  # the journal reads it
    login(request, user, backend=_BACKEND)
    own_password.note_typed(request.session, proven.claims.authenticated_at)
    request.session.set_expiry(UNTIL_BROWSER_CLOSES)
    return redirect(proven.kept["next"])


def _connect(request: HttpRequest, proven: Proven) -> HttpResponse:
    user = _same_person(request, proven)
    if request.session.pop(_MAY_CONNECT_UNTIL, 0) < time.time():
        raise SignInRefused("other_sign_in")
    entering.connect(user, proven.claims, known())
    messages.success(request, f"Connected. From now on you can also log in with {known().name}.")
    return redirect("account")


def _confirm(request: HttpRequest, proven: Proven) -> HttpResponse:
    """The same person has typed their password at the provider, after they were sent there."""
    user = _same_person(request, proven)
    if not entering.is_person_of(user, proven.claims, known()):
        raise SignInRefused("other_person")
    if proven.claims.authenticated_at < proven.kept["at"]:
        raise SignInRefused("not_typed")
    own_password.note_typed(request.session, proven.claims.authenticated_at)
    return redirect(proven.kept["next"])


_PURPOSES = {"login": _log_in, "connect": _connect, "again": _confirm}


@never_cache
@sensitive_post_parameters()
@require_POST
def connect(request: HttpRequest) -> HttpResponse:
    """The person types their password; then a page leads to the provider. (A form may not lead out of this site.)"""
    if settings.OIDC is None:
        raise Http404("nobody signs in with a provider here")
    user = _person(request)
    trouble, status = "", 422
    try:
        if not own_password.is_right(user, request.POST.get("own_password", "")):
            trouble = "Wrong password. Try again."
    except TooManyTries as error:
        trouble, status = str(error), 429
    if not trouble:
        own_password.note_typed(request.session)
        request.session[_MAY_CONNECT_UNTIL] = int(time.time()) + _CONNECT_S
    told = {"provider": settings.OIDC, "trouble": trouble}
    return render(request, "people/connect.html", told, status=status if trouble else 200)


@require_POST
def disconnect(request: HttpRequest) -> HttpResponse:
    """End what connects the person with providers; who has no password here could not come in again."""
    user = _person(request)
    if not user.has_usable_password():
        messages.error(request, "You have no password here, so you could not log in again. An admin can set one.")
        return redirect("account")
    for found in user.external_logins.all():
        entering.disconnect(found, by=user)
    messages.success(request, "Disconnected. Log in with your name and password from now on.")
    return redirect("account")


def _refused(request: HttpRequest, reason: str) -> HttpResponse:
    """The login page's sister with a sentence for the reason; the journal keeps the try."""
    person = request.user if isinstance(request.user, User) else None
    data = {"address": client_address(request), "with": known().issuer, "why": reason.replace("_", " ")}
    journal.record(Event.LOGIN_FAILED, by=person, subject=f"person:{person}" if person else "nobody", data=data)
    told = {"sentence": SENTENCES.get(reason, _OTHERWISE), "provider": settings.OIDC}
    return render(request, "people/not_signed_in.html", told, status=_STATUSES.get(reason, 403))


def _same_person(request: HttpRequest, proven: Proven) -> User:
    """Who is logged in, when they also began. Raises SignInRefused."""
    if not isinstance(request.user, User) or request.user.pk != proven.kept["person"]:
        raise SignInRefused("other_sign_in")
    return request.user


def _taken(request: HttpRequest) -> int:
    """Count the request with the failed logins of its address; for how many seconds it has to wait otherwise."""
    return rate_limits.take(login_limit.BY_ADDRESS, _address(request)).wait_s


def _address(request: HttpRequest) -> str:
    return shared_by_one_client(client_address(request))


def _next(request: HttpRequest) -> str:
    asked = request.GET.get("next", "")
    inside = url_has_allowed_host_and_scheme(asked, {request.get_host()}, require_https=request.is_secure())
    return asked if inside else resolve_url("overview")


def _person(request: HttpRequest) -> User:
    """Who is logged in; LoginRequiredMiddleware lets nobody else come this far."""
    assert isinstance(request.user, User)  # noqa: S101  # tells the type, guards nothing
    return request.user
