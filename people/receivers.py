"""Logins and failed logins, told to the journal."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.http import HttpRequest

from people import journal
from people.addresses import client_address
from people.journal import Event
from people.models import User

_UNKNOWN = "nobody"


def connect() -> None:
    """Called once, when Django is ready."""
    user_logged_in.connect(_entered, dispatch_uid="journal of logins")
    user_login_failed.connect(_failed, dispatch_uid="journal of failed logins")


def _entered(sender: object, request: HttpRequest | None, user: User, **_: Any) -> None:
    provider = getattr(request, "signed_in_with", "")
    data = _from(request) | ({"with": provider} if provider else {})
    journal.record(Event.LOGIN, by=user, subject=f"person:{user.username}", data=data)


def _failed(sender: object, credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    """Once for each try that is checked. What is typed while one is locked out is not checked and leaves no entry.

    A name that nobody has is not written down: people type passwords into the wrong field.
    """
    if getattr(request, "login_wait_s", 0):
        return
    name = User.objects.filter(username=credentials.get("username")).values_list("username", flat=True).first()
    event = Event.LOGIN_FAILED if getattr(request, "login_tries_left", 1) else Event.LOCKED_OUT
    journal.record(event, by=None, subject=f"person:{name}" if name else _UNKNOWN, data=_from(request))


def _from(request: HttpRequest | None) -> dict[str, Any]:
    """Where somebody came from, as far as the server can tell."""
    return {"address": client_address(request)} if request is not None else {}
