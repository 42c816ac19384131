"""What a worker does next when several kinds of work wait: first what people wait for, with a share for each. Pure."""

from __future__ import annotations

from enum import StrEnum


class Work(StrEnum):
    """The kinds of work of a worker's processes, in order: first what people have decided, or look at."""

    TYPED = "typed"  # a command that somebody typed into a terminal
    APPROVED = "approved"  # a plan that was approved, or runs already
    LOOKED_AT = "looked_at"  # the dry run of a plan whose page is open
    REQUESTS = "requests"  # what members of the bus are asked for
    PLANNING = "planning"
    DRY_RUNS = "dry_runs"
    LEARNING = "learning"


ORDER = tuple(Work)
# Every so many turns of a process another kind goes first, each in its turn, so that none starves however much of the
# others waits: of n turns each kind that has work gets at least n // (EVERY * len(ORDER)).
EVERY = 4


def order(turn: int) -> tuple[Work, ...]:
    """In which order a process looks for work at its turn of this number."""
    if turn % EVERY != EVERY - 1:
        return ORDER
    first = ORDER[turn // EVERY % len(ORDER)]
    return first, *(kind for kind in ORDER if kind is not first)
