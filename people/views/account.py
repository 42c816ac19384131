"""One's own account: tokens, password, roles."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_POST

from people import journal, own_password, tokens
from people.forms import TokenForm
from people.journal import Event
from people.models import User
from people.own_password import TooManyTries

_TOKENS_SHOWN = 100


@require_GET
def account(request: HttpRequest) -> HttpResponse:
    """The page."""
    return _page(request)


@sensitive_post_parameters()
@require_POST
def change_password(request: HttpRequest) -> HttpResponse:
    """Change the password; this browser stays logged in, every other one is logged out."""
    form = PasswordChangeForm(_person(request), request.POST)
    try:
        is_right = own_password.is_right(_person(request), request.POST.get("old_password", ""))
    except TooManyTries as error:
        form.add_error("old_password", str(error))
        return _page(request, password_form=form, status=429)
    if not is_right or not form.is_valid():
        return _page(request, password_form=form, status=422)
    with transaction.atomic():
        user = form.save()
        journal.record(Event.PASSWORD, by=user, subject=f"person:{user.username}")
    update_session_auth_hash(request, user)
    messages.success(request, "Password changed. Your other browsers are logged out. API tokens still work.")
    return redirect("account")


@never_cache
@require_POST
def make_token(request: HttpRequest) -> HttpResponse:
    """Make a token and show it, this once: it is rendered into this answer and kept nowhere."""
    user = _person(request)
    form = TokenForm(request.POST, user=user)
    if not form.is_valid():
        return _page(request, token_form=form, status=422)
    chosen = form.cleaned_data
    token, secret = tokens.issue(user, chosen["name"], wanted=chosen["scopes"], days=chosen["days"], by=user)
    return render(request, "people/token.html", {"token": token, "secret": secret}, status=201)


@require_POST
def revoke_token(request: HttpRequest, pk: int) -> HttpResponse:
    """End one of the person's own tokens."""
    user = _person(request)
    token = get_object_or_404(user.tokens, pk=pk)
    tokens.revoke(token, by=user)
    messages.success(request, f"Token “{token.name}” revoked.")
    return redirect("account")


def _page(
    request: HttpRequest,
    *,
    token_form: TokenForm | None = None,
    password_form: PasswordChangeForm | None = None,
    status: int = 200,
) -> HttpResponse:
    user = _person(request)
    context = {
        "tokens": user.tokens.order_by("revoked_at", "-created_at")[:_TOKENS_SHOWN],
        "token_form": token_form or TokenForm(user=user),
        "password_form": password_form or PasswordChangeForm(user),
        "provider": settings.OIDC,
        "external_logins": user.external_logins.order_by("pk"),
    }
    return render(request, "people/account.html", context, status=status)


def _person(request: HttpRequest) -> User:
    """Who is logged in; LoginRequiredMiddleware lets nobody else come this far."""
    assert isinstance(request.user, User)  # noqa: S101  # tells the type, guards nothing
    return request.user
