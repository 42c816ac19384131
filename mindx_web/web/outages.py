"""Faults of the house, told from faults of mindX: the database is away, or a disk is full.

Who asks learns what is wrong and when to come back; a bug stays an error 500.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import InterfaceError, OperationalError

from agents.record import disk
from sandbox.store.objects import StoreUnavailable


@dataclass(frozen=True)
class Outage:
    """What is wrong, for people; `retry_after_s` is when asking again may help."""

    kind: str
    title: str
    happened: str
    can_do: str
    retry_after_s: int


DATABASE_AWAY = Outage(
    "database_away",
    "The database does not answer",
    "mindX cannot reach its database at the moment, so it cannot show or save anything.",
    "Wait a little and try again. For the administrator: check that Postgres is running and has disk space"
    " (`manage.py doctor` says what is wrong). Work continues automatically when it is back.",
    5,
)
DATABASE_BUSY = Outage(
    "database_busy",
    "The database is overloaded",
    "The database has no connection left for this request.",
    "Wait a little and try again. For the administrator: raise max_connections, or run fewer processes.",
    5,
)
DISK_FULL = Outage(
    "disk_full",
    "A server disk is full",
    "There was no space left to save what you sent.",
    "For the administrator: free space on the disks of the data folder and of Postgres (`manage.py doctor` names"
    " them), then send it again. Saved data can still be read.",
    60,
)

STORE_AWAY = Outage(
    "store_away",
    "The file store does not answer",
    "mindX cannot reach the shared store for files at the moment.",
    "Wait a little and try again. For the administrator: check that the store in MINDX_STORE_URL can be"
    " reached and has space (`manage.py doctor` says what is wrong). Work continues automatically when it is back.",
    10,
)

# Classes and codes of SQLSTATE: a lost connection, a server that stops or starts, no room, too many connections.
_AWAY = ("08", "57P01", "57P02", "57P03", "58")
_BUSY = ("53300", "53200", "53400")


def outage_of(error: BaseException | None) -> Outage | None:
    """What of the house is behind this error; None when it is a fault of mindX or of the request."""
    for each in disk.causes(error):
        if disk.has_no_room(each):
            return DISK_FULL
        if isinstance(each, StoreUnavailable):
            return STORE_AWAY
        if isinstance(each, OperationalError | InterfaceError):
            return _by_state(each)
    return None


def _by_state(error: Exception) -> Outage | None:
    """A deadlock or a time-out of a statement is operational for the driver too, and no outage."""
    cause = error.__cause__
    state = str(getattr(cause, "sqlstate", None) or "")
    if state.startswith(_BUSY) or type(cause).__name__ in {"PoolTimeout", "TooManyRequests"}:
        return DATABASE_BUSY if state else DATABASE_AWAY
    return DATABASE_AWAY if not state or state.startswith(_AWAY) else None
