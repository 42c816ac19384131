"""How many wrong passwords are taken: by name alone, by address over all names, and by device where one is known.

Counting by name and address together lets somebody who changes addresses go on for ever. Counting by name alone lets a
stranger lock a person out. So whoever has logged in before from a browser is counted by that browser (OWASP, "Slow Down
Online Guessing Attacks with Device Cookies"): the cookie says only which of several counts is used, never that somebody
is logged in. Everybody else waits two minutes at most for the next try.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core import signing
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from people import rate_limits
from people.addresses import client_address, shared_by_one_client
from people.models import User
from people.rate_limits import Limit

BY_NAME = Limit("login_name", most=8, every_s=120)
BY_DEVICE = Limit("login_device", most=8, every_s=120)
BY_ADDRESS = Limit("login_address", most=60, every_s=15)

_COOKIE = "mindx_device"
_COOKIE_S = 365 * 24 * 3600
_SALT = "mindx.device"


class LoginLimit:
    """Authentication backend: lets a try through to the next backend, or refuses it before a password is looked at."""

    def authenticate(self, request: HttpRequest | None, username: str | None = None, **_: Any) -> None:
        """Count the try. Raises PermissionDenied when it is one too many; `login_wait_s` of the request says for how
        long, `login_tries_left` how many are left otherwise.
        """
        if request is None or username is None:
            return
        left = []
        for taken, (limit, key) in enumerate(counts := _counts(request, username)):
            tries = rate_limits.take(limit, key)
            if tries.wait_s:
                for earlier in counts[:taken]:
                    rate_limits.give_back(*earlier)
                request.login_wait_s = tries.wait_s  # type: ignore[attr-defined]  # read by the login page
                raise PermissionDenied("too many wrong passwords")
            left.append(tries.left)
        request.login_tries_left = min(left)  # type: ignore[attr-defined]  # read by the login page


def succeeded(request: HttpRequest, user: User) -> None:
    """Forget the failures of this name or device. The address keeps those of other names."""
    for limit, key in _counts(request, user.username):
        if limit is BY_ADDRESS:
            rate_limits.give_back(limit, key)
        else:
            rate_limits.forget(limit, key)


def remember_device(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """Give the browser its cookie."""
    known = _device(request, user.username) or secrets.token_urlsafe(16)
    value = signing.dumps([user.username, known], salt=_SALT)
    secure = bool(settings.SESSION_COOKIE_SECURE)
    response.set_cookie(_COOKIE, value, max_age=_COOKIE_S, httponly=True, secure=secure, samesite="Lax")


def _counts(request: HttpRequest, username: str) -> Sequence[tuple[Limit, str]]:
    if device := _device(request, username):
        return [(BY_DEVICE, device)]
    return [(BY_ADDRESS, shared_by_one_client(client_address(request))), (BY_NAME, username)]


def _device(request: HttpRequest, username: str) -> str:
    """The number of the browser, when this name has logged in from it before; else empty."""
    try:
        name, device = signing.loads(request.COOKIES.get(_COOKIE, ""), salt=_SALT, max_age=_COOKIE_S)
    except (signing.BadSignature, ValueError, TypeError):
        return ""
    return str(device) if name == username else ""
