"""Migrating under load: never wait long for a lock, because everybody else then waits behind us.

A statement that changes a table waits for those who read it, and whoever comes after it waits for the statement. So it
gives up soon and is tried again; what was migrated before stays migrated.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from django.conf import settings
from django.db import OperationalError, connection
from django.db.migrations.state import ModelState, ProjectState
from psycopg.errors import LockNotAvailable

logger = logging.getLogger(__name__)

TRIES = 20
PAUSE_S = 1.0


def migrate(run: Callable[[], object]) -> None:
    """Call `run` until it got its locks. Raises OperationalError when it did not, or for any other reason at once."""
    for number in range(1, TRIES + 1):
        _limit_waiting()
        try:
            with _drawn_alone():
                run()
            return
        except OperationalError as error:
            if not isinstance(error.__cause__, LockNotAvailable) or number == TRIES:
                raise
            logger.warning("A table is in use; the migration is tried again (%d of %d)", number, TRIES)
            time.sleep(PAUSE_S)


def _limit_waiting() -> None:
    """For this session only: it ends with the preparation."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{int(settings.MIGRATE_LOCK_S * 1000)}ms"])
        # One that works things out in Python lies still for the server meanwhile.
        cursor.execute("SELECT set_config('idle_in_transaction_session_timeout', '0', false)")


@contextmanager
def _drawn_alone() -> Iterator[None]:
    """Have Django make classes anew only of the models that a migration changes or adds.

    For each change it makes those anew too that the model refers to, and all that refer to these: nine thousand classes
    for a new database, half the processor time of a first start. A statement about a table asks its own model only, and
    before Python of a migration runs Django makes all classes anew that were put off (`is_delayed`). Where a key or
    what is referred to changes Django does not put off, and neither do we. That the tables are the same is tested
    (docs/decisions/0019).
    """
    patched: Any = ProjectState
    find, add = patched._find_reload_model, patched.add_model

    def changed(state: Any, app: str, model: str, delay: bool = False) -> set[tuple[str, str]]:
        if not delay:
            return cast("set[tuple[str, str]]", find(state, app, model, delay))
        state.is_delayed = True
        return {(app, model)}

    def added(state: Any, model: ModelState) -> None:
        classes = state.__dict__.pop("apps", None)
        add(state, model)
        if classes is not None:
            state.__dict__["apps"] = classes
            state.is_delayed = True
            state._reload({(model.app_label, model.name_lower)})

    patched._find_reload_model, patched.add_model = changed, added
    try:
        yield
    finally:
        patched._find_reload_model, patched.add_model = find, add
