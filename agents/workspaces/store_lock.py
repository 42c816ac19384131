"""Who may touch the shared snapshot store at one time, over all machines: a lock of the one database they share.

It is held on the session, not in a transaction: sending files takes seconds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection

from sandbox.store.objects import StoreUnavailable
from sandbox.store.store_lock import StoreBusy

# Any number that nobody else locks.
_KEY = 0x6D696E64_0005
# Writers queue behind a remover that waits, so it steps aside again and again.
_WAIT_MS = 2000
_ASIDE_S = 1.0
_LOCK_NOT_AVAILABLE = "55P03"


class DatabaseTurns:
    """`sandbox.store.objects.Turns` by advisory locks. A pooler before Postgres has to pool sessions."""

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Shared with other writers. Raises StoreUnavailable when the lock was lost on the way."""
        _ask("SELECT pg_advisory_lock_shared(%s)")
        try:
            yield
        except BaseException:
            _ask("SELECT pg_advisory_unlock_shared(%s)")
            raise
        if not _ask("SELECT pg_advisory_unlock_shared(%s)"):
            raise StoreUnavailable("the connection to the database was lost while files were stored; it is tried again")

    @contextmanager
    def removing(self, wait_s: float) -> Iterator[None]:
        """Alone. Raises StoreBusy."""
        last = time.monotonic() + wait_s
        while not _taken_alone():
            if time.monotonic() >= last:
                raise StoreBusy(f"other machines have written for {wait_s:g} s without a pause")
            time.sleep(_ASIDE_S)
        try:
            yield
        finally:
            _ask("SELECT pg_advisory_unlock(%s)")


def _taken_alone() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('lock_timeout')")
        before = cursor.fetchone()[0]
        cursor.execute("SELECT set_config('lock_timeout', %s, false)", [str(_WAIT_MS)])
        try:
            cursor.execute("SELECT pg_advisory_lock(%s)", [_KEY])
        except OperationalError as error:
            if getattr(error.__cause__, "sqlstate", "") != _LOCK_NOT_AVAILABLE:
                raise
            return False
        finally:
            cursor.execute("SELECT set_config('lock_timeout', %s, false)", [before])
    return True


def _ask(statement: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(statement, [_KEY])
        return cursor.fetchone()[0]
