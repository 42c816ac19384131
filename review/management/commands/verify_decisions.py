"""`manage.py verify_decisions`: check the chains of decisions and typed commands; name the first broken row."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from review.audit import command_chain, decision_chain


class Command(BaseCommand):
    """Exit status 0 if every decision and approval is valid, else 1."""

    help = (
        "Verify the chains of decisions and of typed commands, and the seals of approvals; name the first broken row."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print length and last hash of each chain. Stored elsewhere, they later show that no rows were cut off."""
        found = decision_chain.walk()
        if found.broken is not None:
            raise CommandError(f"Decision {found.broken.row} does not hold: {found.broken.reason}.")
        typed = command_chain.walk()
        if typed.broken is not None:
            raise CommandError(f"Row {typed.broken.row} of typed commands does not hold: {typed.broken.reason}.")
        self.stdout.write(f"{found.rows} decisions hold. Last hash: {found.last_hash or 'none'}")
        self.stdout.write(f"{typed.rows} rows of typed commands hold. Last hash: {typed.last_hash or 'none'}")
