"""What rows share that one worker at a time carries out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from django.db import models

from agents.states import ASKED_MOVES, AskedState

RUNNING, ENDED = "running", "ended"


class LeasedWork(models.Model):
    """Work that one worker at a time does, under a fenced lease of its own row (`agents.record.leased`).

    `moves` is the table of its states, of which one is RUNNING. In the state `free` any worker may begin it. Work that
    ended `lost_most` workers in a row, or that mindX did not seal, comes to the state `given_up`; so does work whose
    worker died where the table has no move from RUNNING to RUNNING.
    """

    moves: ClassVar[Mapping[Any, frozenset[Any]]]
    free: ClassVar[StrEnum]
    given_up: ClassVar[StrEnum]
    lost_most: ClassVar[int] = 3
    lost_words: ClassVar[str] = "{lost} workers died while it ran"
    # Its columns are sealed by whoever asked for it, so a worker begins no other.
    is_sealed_when_asked: ClassVar[bool] = False

    state = models.CharField(max_length=16)
    reason = models.TextField(blank=True)
    lease_owner = models.CharField(max_length=120, blank=True)
    # How often it was begun, which is also the fence of its lease: the next number shuts out whoever had it before.
    lease_fence = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def lost(self) -> int:
        """How many workers began it and did not come back, now that it has been begun once more."""
        return self.lease_fence - 1

    @property
    def costs_too_much(self) -> str:
        """That it has cost too many workers, in words; empty as long as it has not."""
        return self.lost_words.format(lost=self.lost) if self.lost >= self.lost_most else ""

    def comes_to(self, new: str, now: datetime) -> dict[str, Any]:
        """The times that a move to this state sets, of those that it has."""
        end = now if new == ENDED or not self.moves[new] else None
        times = {"changed_at": now, "ended_at": end, "finished_at": end}
        times |= {"started_at": now} if new == RUNNING else {}
        return {name: at for name, at in times.items() if hasattr(self, name)}

    def gives_up(self) -> dict[str, Any]:
        """Further columns of work that is given up."""
        return {}


class LastingWork(LeasedWork):
    """Work that goes on after it waited for people, or that they ask for again. Workers are counted by what they did,
    not once and for all: `lost_workers` is how many in a row died over the same step.
    """

    lost_workers = models.PositiveSmallIntegerField(default=0)

    class Meta:
        abstract = True

    @property
    def lost(self) -> int:
        """How many workers in a row died over its next step."""
        return self.lost_workers


class AskedWork(LastingWork):
    """Work that people ask for, again and again. What a worker has of the time before counts no longer then."""

    moves = ASKED_MOVES
    free, given_up = AskedState.WAITING, AskedState.ENDED
    is_sealed_when_asked = True

    state = models.CharField(max_length=16, default=AskedState.WAITING.value)
    # The column keeps its name of before: the version that still runs while the database is upgraded writes it.
    reason = models.TextField(blank=True, db_column="said")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
