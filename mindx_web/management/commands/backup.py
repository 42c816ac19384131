"""`manage.py backup DIR`: write database and snapshots into a new folder, beside a running mindX."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from mindx_web.backup.contents import BackupRefused
from mindx_web.backup.writing import back_up


class Command(BaseCommand):
    """Exit status 1 when it could not be written, or when a snapshot in use is missing or damaged."""

    help = "Write a backup of database and snapshots. `python -m mindx_web.backup restore DIR` reads it."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR", help="a new folder, on another disk if you can")
        parser.add_argument("--with-keys", action="store_true", help="include the keys; then keep the folder safe")

    def handle(self, *args: Any, **options: Any) -> None:
        embedded = "" if os.environ.get("DATABASE_URL") else settings.SERVERS.get("migrate_url", "")
        url = os.environ.get("MINDX_MIGRATE_URL") or embedded or settings.DATABASE_URL
        try:
            made, damages = back_up(options["folder"].absolute(), url=url, with_keys=options["with_keys"])
        except (BackupRefused, OSError) as refused:
            raise CommandError(f"No backup was made. {refused}") from refused
        self.stdout.write(f"{made.dump_bytes:,} bytes of database and {made.snapshots:,} snapshots as of {made.at}.")
        if not options["with_keys"]:
            self.stdout.write("The keys are not in it. Keep MINDX_SECRET_KEY and MINDX_APPROVAL_KEY elsewhere.")
        if damages:
            raise CommandError(f"{len(damages)} parts of snapshots in use are missing or damaged: `snapshots verify`.")
