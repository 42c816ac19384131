"""All checks in their order: first what the others stand on."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from django.db import DatabaseError, connection

from mindx_web.doctor import database, installation, outside, records, work
from mindx_web.doctor.finding import Check, Finding, Grade, fail, warn

logger = logging.getLogger(__name__)

CONNECT_TIMEOUT_S = 10

WITHOUT_A_DATABASE: Sequence[Check] = (
    installation.keys,
    installation.modes,
    installation.openness,
    installation.programs,
    installation.disk,
    installation.snapshot_store,
    work.redis_server,
    work.broker,
    work.workers,
    work.scheduler,
    outside.package_index,
    outside.mail,
)
IN_THE_DATABASE: Sequence[Check] = (
    database.server,
    database.extension,
    database.migrations,
    database.rights,
    database.clock,
    database.connections,
    records.waiting_work,
    records.notices,
    records.embeddings,
    records.entailment,
    records.logs,
    records.chains,
    records.seals,
)


def examine(*, whole_store: bool = False) -> Iterator[Finding]:
    """Every finding, as it is made. `whole_store` reads every snapshot instead of a sample."""
    reachable = _reachable()
    yield reachable
    store = records.whole_store if whole_store else records.store_sample
    for check in (*IN_THE_DATABASE, store):
        if reachable.grade is Grade.OK:
            yield from _tried(check)
        else:
            yield warn(_name(check), "was not checked: the database does not answer", "Fix the database first.")
    for check in WITHOUT_A_DATABASE:
        yield from _tried(check)


def _reachable() -> Finding:
    # On this machine's own socket nothing else ends the wait for a server that takes the connection and says nothing.
    connection.settings_dict["OPTIONS"].setdefault("connect_timeout", CONNECT_TIMEOUT_S)
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        # The driver's message names host, port and role, which an operator needs, and never the password.
        said = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        return fail(
            "database",
            f"does not answer: {said}",
            "Start Postgres, or correct DATABASE_URL. Goals are kept; workers continue automatically when it is back.",
        )
    return Finding("database", Grade.OK, "answers")


def _tried(check: Check) -> Iterator[Finding]:
    """The check's findings; one that breaks is itself a finding, and the others are made all the same."""
    try:
        yield from check()
    except Exception as error:  # the edge of the loop: whatever a check meets, the operator gets the others
        logger.exception("The check %s broke", _name(check))
        yield fail(
            _name(check), f"the check itself failed: {type(error).__name__}: {error}", "The log has the details."
        )


def _name(check: Check) -> str:
    return check.__name__.replace("_", " ")
