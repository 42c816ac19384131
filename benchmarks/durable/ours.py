"""mindX: approved plans taken up by id as a wake-up does it, under a lease, through the executor to the goal's end.

Gate, approval, lease, attempts, log lines, snapshots, hints to browsers: all of it as in a worker. One thing differs
from a plan of everyday life: its steps (`deactivate_venv`, which a session answers itself) need no jail, so none is
started; `Ground` starts one as soon as a step asks for it. `ours_jailed` runs a program in one.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from benchmarks.durable.goals import NO_OP, Goals
from benchmarks.durable.protocol import Place

if TYPE_CHECKING:
    from agents.models import IntentPlan


class Lane:
    """A worker that is woken for one goal after the other."""

    step = NO_OP
    needs_jail = False

    def __init__(self, place: Place) -> None:
        import django

        django.setup()
        logging.disable(logging.WARNING)
        self._goals = Goals(place.lane)
        self._plans: list[IntentPlan] = []
        if not self.needs_jail:
            _start_jails_when_asked()

    def prepare(self, plans: int) -> None:
        self._plans = [self._goals.approve(self._goals.proposed(self.step)) for _ in range(plans)]

    def run(self) -> None:
        from agents.execution.lease import claim
        from agents.services import cycle

        for plan in self._plans:
            lease = claim(plan.goal_id)
            if lease is None:
                raise RuntimeError(f"goal {plan.goal_id} could not be claimed")
            cycle.turn(lease)
        self._check()

    def close(self) -> None:
        from django.db import connection

        connection.close()

    def _check(self) -> None:
        from agents.models import IntentPlan

        ended = IntentPlan.objects.filter(pk__in=[plan.pk for plan in self._plans], state="complete").count()
        if ended != len(self._plans):
            raise RuntimeError(f"{ended} of {len(self._plans)} plans are complete")


def _start_jails_when_asked() -> None:
    """Leave out the jail that a session has from its start; the first command that needs one gets it all the same."""
    from sandbox.doing.ground import Ground

    start = Ground._new_cell

    def later(self: Ground) -> Any:
        # While a ground is made it has no `cell` yet; `jail()` asks again when there is none.
        return start(self) if hasattr(self, "cell") else None

    Ground._new_cell = later  # type: ignore[method-assign]
