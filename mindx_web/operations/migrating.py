"""Migrating under load: never wait long for a lock, because everybody else then waits behind us.

A statement that changes a table waits for its readers, and later statements wait for it. So it gives up soon and is
tried again; migrations that have finished stay applied.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.management.commands import migrate as django_migrate
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models.signals import pre_migrate
from psycopg.errors import LockNotAvailable

logger = logging.getLogger(__name__)

TRIES = 20
PAUSE_S = 1.0


class HalfMigrated(Exception):
    """The database has some, but not all, of the migrations that one of ours replaces."""


def check_history() -> None:
    """Raise HalfMigrated if one of our migrations can neither run nor be considered applied.

    A migration that replaces others is applied if all of them are, and runs if none is.
    """
    applied = set(MigrationRecorder(connection).applied_migrations())
    replaced = {old for one in MigrationLoader(None).disk_migrations.values() for old in one.replaces}
    there = applied & replaced
    apps = {app for app, _ in there}
    if missing := sorted(f"{app}.{name}" for app, name in replaced - there if app in apps):
        raise HalfMigrated(
            f"this database stopped before {missing[0]} ({len(missing)} migrations are missing). Prepare it with the"
            " last version that has them, then with this one (docs/operations.md, Updating)"
        )


def migrate(run: Callable[[], object]) -> None:
    """Call `run` until it gets its locks. Raises OperationalError if it never does, and other errors at once."""
    for number in range(1, TRIES + 1):
        _limit_waiting()
        try:
            run()
            return
        except OperationalError as error:
            if not isinstance(error.__cause__, LockNotAvailable) or number == TRIES:
                raise
            logger.warning("A table is in use; the migration is tried again (%d of %d)", number, TRIES)
            time.sleep(PAUSE_S)


class Migrate(django_migrate.Command):
    """Django's own command. Calls `tell(done, of)` with numbers of migrations: before the first, and after each."""

    def __init__(self, tell: Callable[[int, int], object]) -> None:
        super().__init__()
        self._tell = tell
        self._done = self._of = 0
        pre_migrate.connect(self._count)

    def migration_progress_callback(self, action: str, migration: Any = None, fake: bool = False) -> None:
        super().migration_progress_callback(action, migration, fake)
        if action == "apply_success":
            self._done += 1
            self._tell(self._done, self._of)

    def _count(self, plan: list[Any], **_: Any) -> None:
        """Django tells the plan to each app."""
        if plan and not self._of:
            self._of = len(plan)
            self._tell(0, self._of)


def _limit_waiting() -> None:
    """For this session only: it ends with the preparation."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{int(settings.MIGRATE_LOCK_S * 1000)}ms"])
        # A migration that computes in Python looks idle to the server meanwhile.
        cursor.execute("SELECT set_config('idle_in_transaction_session_timeout', '0', false)")
