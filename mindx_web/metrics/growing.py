"""Counters over tables that only grow, read bit by bit, so that a scrape costs the same with ten million rows.

A web process begins at the newest row: its counters start at zero, as Prometheus expects of a new process, and every
process counts everything that happens from then on, whichever worker did it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

# Rows whose transaction commits late have lower numbers than some that were read; this many are looked at again.
LATE_ROWS = 1_000


@dataclass
class Tally:
    """How many rows had these labels, and, where rows have a duration, how long each took."""

    count: int = 0
    seconds: float = 0.0
    within: dict[float, int] = field(default_factory=dict)

    def add(self, seconds: float, bounds: tuple[float, ...]) -> None:
        """One more row."""
        self.count += 1
        self.seconds += seconds
        for bound in bounds:
            self.within[bound] = self.within.get(bound, 0) + (seconds <= bound)


class GrowingTable:
    """Tallies the rows of a table once they are settled.

    `statement` selects (id, is_settled, seconds, *label values) of rows with `id > %(after)s OR id = ANY(%(open)s)`;
    `newest` selects the greatest id.
    """

    def __init__(
        self,
        newest: str,
        statement: str,
        labels: Callable[[tuple[Any, ...]], tuple[str, ...]],
        bounds: tuple[float, ...] = (),
    ) -> None:
        self._newest, self._statement, self._labels, self._bounds = newest, statement, labels, bounds
        self._after: int | None = None
        self._counted: set[int] = set()
        self._open: set[int] = set()
        self.tallies: dict[tuple[str, ...], Tally] = {}

    def read(self) -> dict[tuple[str, ...], Tally]:
        """Look at what is new; every tally since this process began to look."""
        with connection.cursor() as cursor:
            if self._after is None:
                cursor.execute(self._newest)
                self._after = int(cursor.fetchone()[0] or 0)
                return self.tallies
            cursor.execute(self._statement, {"after": self._after, "open": sorted(self._open)})
            for row in cursor.fetchall():
                self._take(row)
        self._forget()
        return self.tallies

    def _take(self, row: tuple[Any, ...]) -> None:
        number, is_settled, seconds, *values = row
        if number in self._counted:
            return
        if not is_settled:
            self._open.add(number)
            return
        self._open.discard(number)
        self._counted.add(number)
        self.tallies.setdefault(self._labels(tuple(values)), Tally()).add(float(seconds or 0), self._bounds)

    def _forget(self) -> None:
        """Rows this far back are all there, counted or known to be open."""
        newest = max(self._counted | self._open, default=0)
        self._after = max(self._after or 0, newest - LATE_ROWS)
        self._counted = {number for number in self._counted if number > self._after}
