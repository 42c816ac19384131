"""What must be told to the audit: declared here, kept above (review), wired by composition.

Typed commands run without a review, so each leaves a row that nobody can change. With nothing wired none is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from people.models import User


class What(StrEnum):
    """What happened to a command typed by hand."""

    SUBMITTED = "submitted"
    # For want of the right: nothing was stored and nothing ran.
    REFUSED = "refused"
    ENDED = "ended"
    LOST = "lost"
    # Somebody asked for its end, then: it has ended without an effect.
    CANCEL_ASKED = "cancel_asked"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Event:
    """One thing that happened, by a person. `before` and `after` are digests of the files; `why` is a sentence."""

    what: What
    by: User
    goal_id: int
    text: str
    command_id: int | None = None
    before: str = ""
    after: str = ""
    why: str = ""


Record = Callable[[Event], None]

_record: Record | None = None


class NothingWired(RuntimeError):
    """Nobody keeps the audit, so what would have to be told to it must not happen."""


def register(record: Record) -> None:
    """Wire the implementation. Called once, by composition."""
    global _record
    _record = record


def record(event: Event) -> None:
    """Keep the event, in the transaction of what happened. Raises NothingWired."""
    if _record is None:
        raise NothingWired(NothingWired.__doc__)
    _record(event)
