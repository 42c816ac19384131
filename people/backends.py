"""Who is logged in: people as mindX stored them, and nobody whose row was written past it."""

from __future__ import annotations

import logging
from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.http import HttpRequest

from people import sealing
from people.models import User

logger = logging.getLogger(__name__)


class SealedPeople(ModelBackend):
    """Django's own way, for people whose seal fits: a password or a role that somebody wrote into the table is none."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **also: Any
    ) -> User | None:
        """The person of this name and password. A row without its seal is hashed against all the same, for nothing."""
        found = super().authenticate(request, username=username, password=password, **also)
        return found if isinstance(found, User) and _is_genuine(found, sealing.newest_of(found)) else None

    def get_user(self, user_id: int) -> User | None:
        """The person of a session, read together with their seal."""
        user = User._default_manager.annotate(newest_seal=sealing.newest(User)).filter(pk=user_id).first()
        if user is None or not self.user_can_authenticate(user):
            return None
        return user if _is_genuine(user, user.newest_seal) else None


def _is_genuine(user: User, newest: str | None) -> bool:
    if sealing.fits_row(user, newest):
        return True
    logger.error("A login that mindX did not seal was refused", extra={"person": user.pk})
    return False
