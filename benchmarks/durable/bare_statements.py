"""No engine at all: one statement a step that moves the plan's row under a condition and inserts the step's own.

Nobody could ask less of Postgres and have a step that is recorded, guarded and committed before the next one begins, so
this is what an engine's own work is measured against, not a peer.
"""

from __future__ import annotations

import psycopg

from benchmarks.durable.protocol import STEPS, Place

_TABLES = """
CREATE TABLE IF NOT EXISTS plan (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, lane text, position int DEFAULT 0)
    WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS step (plan bigint, position int, finished timestamptz, outcome text, result jsonb,
    PRIMARY KEY (plan, position));
"""
_STEP = """
WITH plan AS (
    UPDATE plan SET position = position + 1 WHERE id = %s AND position = %s RETURNING id, position)
INSERT INTO step SELECT id, position, clock_timestamp(), 'succeeded', '{"status": "SUCCESS"}' FROM plan
RETURNING position
"""


class Lane:
    """One connection with autocommit and prepared statements."""

    def __init__(self, place: Place) -> None:
        self._connection = psycopg.connect(place.database_url, autocommit=True)
        self._connection.execute(_TABLES)
        self._lane = place.lane
        self._plans: list[int] = []

    def prepare(self, plans: int) -> None:
        made = self._connection.execute(
            "INSERT INTO plan (lane) SELECT %s FROM generate_series(1, %s) RETURNING id", [self._lane, plans]
        )
        self._plans = [row[0] for row in made.fetchall()]

    def run(self) -> None:
        for plan in self._plans:
            for position in range(STEPS):
                if self._connection.execute(_STEP, [plan, position], prepare=True).fetchone() is None:
                    raise RuntimeError(f"plan {plan} was not at {position}")

    def close(self) -> None:
        self._connection.close()
