"""procrastinate: ten jobs in a row, each deferring the next; it knows no plans, so the chain is the plan.

The worker runs in the lane's own process with its own pool, one job at a time, and stops when nothing waits. It does
not listen for news meanwhile: a lane's next job is there when the last one has ended.
"""

from __future__ import annotations

import asyncio
from typing import Any

from procrastinate import App, PsycopgConnector

from benchmarks.durable.protocol import STEPS, Place


class Lane:
    """One queue of its own and the worker for it."""

    def __init__(self, place: Place) -> None:
        self._loop = asyncio.new_event_loop()
        self._app = App(connector=PsycopgConnector(conninfo=place.database_url, min_size=2, max_size=4))
        self._queue, self._ended, self._plans = place.lane, 0, 0
        self._loop.run_until_complete(self._app.open_async())
        self._step: Any = self._app.task(name="step", queue=self._queue)(self._do)
        self._loop.run_until_complete(self._make_schema())

    async def _make_schema(self) -> None:
        found = await self._app.connector.execute_query_one_async(
            "SELECT to_regclass('procrastinate_jobs') IS NOT NULL AS there"
        )
        if not found["there"]:
            await self._app.schema_manager.apply_schema_async()

    async def _do(self, plan: int, position: int) -> None:
        if position < STEPS:
            await self._step.defer_async(plan=plan, position=position + 1)
        else:
            self._ended += 1

    def prepare(self, plans: int) -> None:
        self._ended, self._plans = 0, plans
        first = [{"plan": number, "position": 1} for number in range(plans)]
        self._loop.run_until_complete(self._step.batch_defer_async(*first))

    def run(self) -> None:
        self._loop.run_until_complete(
            self._app.run_worker_async(
                queues=[self._queue],
                concurrency=1,
                wait=False,
                listen_notify=False,
                install_signal_handlers=False,
            )
        )
        if self._ended != self._plans:
            raise RuntimeError(f"{self._ended} of {self._plans} plans ended")

    def close(self) -> None:
        self._loop.run_until_complete(self._app.close_async())
        self._loop.close()
