"""What one planning of a goal takes, stage by stage, for the row that the insights are made of."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.utils import timezone

from agents.bdi.planning.latency import STAGES, TOTAL
from agents.toolkit.types import NoPlan, PlanDraft

# A planning that waited for years is as long as one that waited for 24 days: what a column of the table holds.
_MOST_MS = 2**31 - 1


class Took:
    """A stopwatch over one planning. `since`: the moment from which on the goal could be planned."""

    def __init__(self, since: datetime) -> None:
        self.since = since
        self.attempts = 1
        self._ms: dict[str, int] = {}

    def adopted(self, since: datetime) -> None:
        """It was taken up now, and waited since then."""
        self.since = since
        self._ms["waited"] = _ms_since(since)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time what is done inside as a part of that stage."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._ms[name] = self._ms.get(name, 0) + round(1000 * (time.monotonic() - began))

    def came_to(self, found: PlanDraft | NoPlan) -> None:
        """A model may have had to repair its plan; everything else is planned in one attempt."""
        model: Mapping[str, Any] = found.evidence.get("model") or {}
        self.attempts = max(1, int(model.get("attempts") or 1))

    def as_row(self) -> dict[str, int | None]:
        """The columns of the row."""
        stages = {f"{name}_ms": self._ms.get(name) for name in STAGES}
        return {"attempts": self.attempts, **stages, f"{TOTAL}_ms": _ms_since(self.since)}


def _ms_since(moment: datetime) -> int:
    return min(_MOST_MS, max(0, round(1000 * (timezone.now() - moment).total_seconds())))
