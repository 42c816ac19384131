"""mindX: approved plans taken up by id as a wake-up does it, under a lease, through the executor to the goal's end.

Gate, approval, lease, attempts, log lines, snapshots, hints to browsers: all of it as in a worker. Its steps
(`deactivate_venv`, which a session answers itself) need no jail, and a session starts one when a step first does.
`ours_jailed` runs a program in one.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from benchmarks.durable.goals import NO_OP, Goals
from benchmarks.durable.protocol import Place

if TYPE_CHECKING:
    from agents.models import IntentPlan


class Lane:
    """A worker that is woken for one goal after the other."""

    step = NO_OP

    def __init__(self, place: Place) -> None:
        import django

        django.setup()
        from mindx_web.operations import garbage

        garbage.settle()  # as every worker does when it begins
        logging.disable(logging.WARNING)
        self._goals = Goals(place.lane)
        self._plans: list[IntentPlan] = []

    def prepare(self, plans: int) -> None:
        self._plans = [self._goals.approve(self._goals.proposed(self.step)) for _ in range(plans)]

    def run(self) -> None:
        from agents.cycle import cycle

        for plan in self._plans:
            if cycle.one(plan.goal_id) is None:
                raise RuntimeError(f"goal {plan.goal_id} could not be claimed")
        self._check()

    def close(self) -> None:
        from django.db import connection

        connection.close()

    def _check(self) -> None:
        """Raises RuntimeError with what the first plan that did not get there ended with."""
        from agents.models import IntentPlan

        plans = IntentPlan.objects.filter(pk__in=[plan.pk for plan in self._plans])
        missing = plans.exclude(state="complete").select_related("goal").order_by("pk").first()
        if missing is not None:
            ended = plans.filter(state="complete").count()
            why = missing.goal.reason or f"its goal is {missing.goal.state}"
            raise RuntimeError(f"{ended} of {len(self._plans)} plans are complete. Plan {missing.pk}: {why}")
