"""`manage.py settle_restored --as-of MOMENT`: after a restore by other means (a dump, a disk, a point in time).

`python -m mindx_web.backup restore` does this itself. Run it before web and worker start.
"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from mindx_web.backup.settling import settle
from mindx_web.supervisor import unfinished_restore


class Command(BaseCommand):
    """Repeating it also sends plans that were approved since back to review; nothing runs twice."""

    help = "After a restore: send everything that was approved back to review."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--as-of", required=True, metavar="MOMENT", help="the moment the restored state is from")

    def handle(self, *args: Any, **options: Any) -> None:
        unsettled = 0
        for done in settle(options["as_of"]):
            self.stdout.write(f"{done.count} {done.words}")
            for row in (*done.rows, *done.unsettled):
                self.stdout.write(f"  {row}")
            unsettled += len(done.unsettled)
        if unsettled:
            raise CommandError(
                f"{unsettled} row{'' if unsettled == 1 else 's'} could not be settled;"
                " plans approved there could run. Fix them and run this again before you start mindX."
            )
        unfinished_restore.end(settings.DATA_DIR)
