"""DBOS: a workflow of ten steps, called directly, which spares its queue and what polling that costs.

No telemetry, no admin server, no conductor; its own pool.
"""

from __future__ import annotations

import uuid

from dbos import DBOS, SetWorkflowID

from benchmarks.durable.protocol import STEPS, Place


@DBOS.step()  # type: ignore[untyped-decorator, unused-ignore]
def step(done: int) -> int:
    return done + 1


@DBOS.workflow()  # type: ignore[untyped-decorator, unused-ignore]
def plan() -> int:
    done = 0
    for _ in range(STEPS):
        done = step(done)
    return done


class Lane:
    """Workflows run one after another."""

    def __init__(self, place: Place) -> None:
        DBOS(
            config={
                "name": "bench",
                "system_database_url": place.database_url,
                "executor_id": place.lane,
                "application_version": "1",
                "log_level": "ERROR",
                "enable_otlp": False,
                "run_admin_server": False,
            }
        )
        DBOS.launch()
        self._ids: list[str] = []

    def prepare(self, plans: int) -> None:
        self._ids = [str(uuid.uuid4()) for _ in range(plans)]

    def run(self) -> None:
        for name in self._ids:
            with SetWorkflowID(name):
                done = plan()
            if done != STEPS:
                raise RuntimeError(f"a plan ended after {done} steps")

    def close(self) -> None:
        DBOS.destroy()
