"""`manage.py verify_decisions`: walk the chains of decisions and typed commands; name the first row that is broken."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from review.audit import command_chain, decision_chain


class Command(BaseCommand):
    """Exit status 0 when every decision and approval holds, 1 when one does not."""

    help = (
        "Verify the chains of decisions and of typed commands, and the seals of approvals; name the first broken row."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print length and last hash of each chain: kept elsewhere, they show later that none was cut off."""
        found = decision_chain.walk()
        if found.broken is not None:
            raise CommandError(f"Decision {found.broken.row} does not hold: {found.broken.reason}.")
        typed = command_chain.walk()
        if typed.broken is not None:
            raise CommandError(f"Row {typed.broken.row} of typed commands does not hold: {typed.broken.reason}.")
        self.stdout.write(f"{found.rows} decisions hold. Last hash: {found.last_hash or 'none'}")
        self.stdout.write(f"{typed.rows} rows of typed commands hold. Last hash: {typed.last_hash or 'none'}")
