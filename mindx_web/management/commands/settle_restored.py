"""`manage.py settle_restored --as-of MOMENT`: after a restore by other means (a dump, a disk, a point in time).

`python -m mindx_web.backup restore` does it by itself. Run it before web, worker and beat are started.
"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from mindx_web.backup.settling import settle


class Command(BaseCommand):
    """Repeating it asks again about what was approved since; nothing runs twice."""

    help = "Let nothing that was approved before a restore run by itself: ask again about all of it."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--as-of", required=True, metavar="MOMENT", help="the moment the restored state is from")

    def handle(self, *args: Any, **options: Any) -> None:
        for count, words in settle(options["as_of"]):
            self.stdout.write(f"{count} {words}")
