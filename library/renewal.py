"""After a change of the sentence model: which models stored vectors are of, how far it has come, and making new ones.

The rows are the whole state. One that was renewed names the new model, so whoever was killed, or found no answer, goes
on where it stopped, and a change back is the same in the other direction.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from django.db.models import Model

from library import embedding
from library.language import spaces
from library.models import ComponentVersion, Experience
from library.search import embedded, has_vectors, models_of

KINDS: dict[str, type[Model]] = {"components": ComponentVersion, "experiences": Experience}
# So many rows are asked for at once; a kill loses no more.
BATCH_ROWS = 32
# Any number will do, as long as nothing else takes it.
_LOCK = 7_302_194_412

# Told after each batch of how many rows were renewed so far.
Tell = Callable[[int], None]


@dataclass(frozen=True)
class Progress:
    """How many rows of a kind there are, how many have vectors of the current model, of each other one, and none."""

    kind: str
    model: str
    total: int = 0
    current: int = 0
    others: dict[str, int] = field(default_factory=dict)
    none: int = 0

    @property
    def sentence(self) -> str:
        """For people."""
        return f"{self.current:,} of {self.total:,} {self.kind} embedded with {spaces.shown(self.model)}"


def is_under_way() -> bool:
    """Whether vectors of another model are left: a look at the indexes, in one statement."""
    return any(one != spaces.current() for one in models_of(*KINDS.values()))


def progress() -> list[Progress]:
    """How far each kind has come. It counts all rows, which takes a tenth of a second with a hundred thousand."""
    return [_progress(kind, model) for kind, model in KINDS.items()]


def renew(kinds: Sequence[str] = tuple(KINDS), *, seconds: float | None = None, tell: Tell | None = None) -> int | None:
    """Give rows with vectors of another model those of the current one, newest first; how many were renewed.

    It ends when none is left, or after about so many seconds. None: another process does it at this moment.
    EmbeddingUnavailable when the model does not answer; what was stored until then stays.
    """
    end = None if seconds is None else time.monotonic() + seconds
    done = 0
    with _alone() as is_mine:
        if not is_mine:
            return None
        for rows, model in _batches(kinds):
            done += embedding.fill(model, rows)
            if tell is not None:
                tell(done)
            if end is not None and time.monotonic() > end:
                break
    return done


def _batches(kinds: Sequence[str]) -> Iterator[tuple[list[Any], type[Model]]]:
    """Rows of other models. What cannot be renewed is passed, so it keeps nothing else waiting."""
    for kind in kinds:
        model = KINDS[kind]
        for other in _others(model):
            below: dict[str, Any] = {}
            while rows := list(embedded(model).filter(embedded_by=other, **below).order_by("-pk")[:BATCH_ROWS]):
                yield rows, model
                below = {"pk__lt": rows[-1].pk}


def _others(model: type[Model]) -> list[str]:
    return [one for one in models_of(model) if one != spaces.current()]


def _progress(kind: str, model: type[Model]) -> Progress:
    statement = (
        f"SELECT CASE WHEN {has_vectors(model)} THEN embedded_by ELSE '' END, count(*)"  # noqa: S608  # our own names
        f" FROM {model._meta.db_table} GROUP BY 1 ORDER BY 1"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement)
        counts: dict[str, int] = dict(cursor.fetchall())
    current, total, none = spaces.current(), sum(counts.values()), counts.pop("", 0)
    return Progress(kind, current, total, counts.pop(current, 0), counts, none)


@contextmanager
def _alone() -> Iterator[bool]:
    """Whether nobody else renews now. The lock ends with the connection, so also when its process is killed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK])
        is_mine = bool(cursor.fetchone()[0])
    try:
        yield is_mine
    finally:
        if is_mine:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])
