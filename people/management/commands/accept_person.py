"""`manage.py accept_person USER…`: let people in again whose rows were changed in the database on purpose."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from people import journal, sealing
from people.journal import Event
from people.models import User


class Command(BaseCommand):
    """Takes the approval key, which the server's shell has and the database has not."""

    help = "Seal a login again, after somebody changed it in the database on purpose."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("users", nargs="+", metavar="USER", help="login name")

    def handle(self, *args: Any, **options: Any) -> None:
        for name in options["users"]:
            self._accept(name)

    @transaction.atomic
    def _accept(self, name: str) -> None:
        user = User.objects.select_for_update().filter(username=name).first()
        if user is None:
            raise CommandError(f"There is nobody named {name!r}.")
        sealing.seal(user)
        now = {"username": user.username, "roles": list(user.roles), "active": user.is_active}
        told = {"before": {}, "after": now}
        journal.record(Event.PERSON_CHANGED, by=None, subject=f"person:{user.username}", data=told)
        self.stdout.write(f"{user.username} is accepted as stored: roles {', '.join(user.roles) or 'none'}.")
