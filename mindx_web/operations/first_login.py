"""The person who may do everything at the first start."""

from __future__ import annotations

import os
import secrets

from django.db import transaction

from people import journal
from people.journal import Event
from people.models import User

NAME = "admin"


def make_first_login() -> str:
    """Make the first person when there is none; returns what to tell whoever started us, else nothing.

    A generated password is told here and nowhere else: only its hash is stored.
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
