"""`manage.py token USER`: make an API token and print it on the last line."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from people import scopes, tokens
from people.models import User


class Command(BaseCommand):
    """Prints what the token may do on stderr and the token itself as the last line of stdout."""

    help = "Make an API token for a person; the token is printed on the last line and cannot be shown again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="login name")
        parser.add_argument(
            "--scope",
            action="append",
            metavar="SCOPE",
            help=f"one of {', '.join(scopes.Scope)}; repeat for more (default: all the person may have)",
        )
        parser.add_argument("--name", default="made on the command line", help="name shown on the account page")
        parser.add_argument("--days", type=int, help="days until it expires (default: never)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            user = User.objects.get(username=options["user"], is_active=True)
        except User.DoesNotExist:
            raise CommandError(f"There is no active person named {options['user']!r}.") from None
        if options["days"] is not None and options["days"] < 1:
            raise CommandError("--days must be 1 or more.")
        try:
            token, secret = tokens.issue(user, options["name"][:100], wanted=options["scope"], days=options["days"])
        except scopes.UnknownScope as problem:
            raise CommandError(str(problem)) from None
        self.stderr.write(f"A token for {user.username} with {', '.join(token.scopes)}; keep it safe:")
        self.stdout.write(secret)
