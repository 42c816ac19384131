"""A person who is logged in types the password once more: to change it, or before something risky."""

from __future__ import annotations

import time

from django.contrib.sessions.backends.base import SessionBase

from people import rate_limits
from people.models import User
from people.rate_limits import Limit

# Whoever sits at somebody's open browser is a stranger, too.
TRIES = Limit("own_password", most=8, every_s=120)
_TYPED_AT = "password_typed_at"


class TooManyTries(Exception):
    """There were too many wrong passwords; after `wait_s` seconds there is one more try."""

    def __init__(self, wait_s: int) -> None:
        super().__init__(f"Too many wrong passwords. Try again in {wait_s} s.")
        self.wait_s = wait_s


def is_right(user: User, password: str) -> bool:
    """Whether this is the person's password. Raises TooManyTries, whatever it is."""
    if wait_s := rate_limits.take(TRIES, str(user.pk)).wait_s:
        raise TooManyTries(wait_s)
    if not user.check_password(password):
        return False
    rate_limits.forget(TRIES, str(user.pk))
    return True


def note_typed(session: SessionBase, at: int | None = None) -> None:
    """Remember that the right password was typed in this session just now, or at this moment, in seconds since 1970."""
    session[_TYPED_AT] = int(time.time()) if at is None else at


def was_typed_within(session: SessionBase, minutes: float) -> bool:
    """Whether that was so lately."""
    typed_at = session.get(_TYPED_AT, 0)
    return 0 <= time.time() - typed_at <= minutes * 60
