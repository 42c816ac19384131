"""`manage.py verify_decisions`: walk the chain of decisions and name the first row that does not hold."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from review.services import audit


class Command(BaseCommand):
    """Exit status 0 when every decision and approval holds, 1 when one does not."""

    help = "Verify the chain of decisions and the seals of approvals; name the first broken row."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print length and last hash of the chain: kept elsewhere, they show later that none was cut off."""
        found = audit.walk()
        if found.broken is not None:
            raise CommandError(f"Decision {found.broken.row} does not hold: {found.broken.reason}.")
        self.stdout.write(f"{found.decisions} decisions hold. Last hash: {found.last_hash or 'none'}")
