"""The admin account that the first start creates."""

from __future__ import annotations

import os
import secrets

from django.db import transaction

from people import journal
from people.journal import Event
from people.models import User

NAME = "admin"


def make_first_login() -> str:
    """Create the first person if there is none. Returns the message for whoever started mindX, or "".

    A generated password is only in this message: the database has just its hash.
    """
    if User.objects.exists():
        return ""
    if password := os.environ.get("MINDX_ADMIN_PASSWORD"):
        told = "the password is the one in MINDX_ADMIN_PASSWORD"
    else:
        password = secrets.token_urlsafe(12)
        told = f"password: {password}   (shown this once)"
    with transaction.atomic():
        person = User.objects.create_superuser(NAME, password=password)
        made = {"before": {}, "after": {"username": NAME, "roles": list(person.roles), "active": True}}
        journal.record(Event.PERSON_MADE, by=None, subject=f"person:{NAME}", data=made)
    return f"First login: {NAME}   {told}"
