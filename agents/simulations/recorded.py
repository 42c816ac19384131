"""What was done in a run, as rows: read to do it again, and written only by whoever has the lease."""

from __future__ import annotations

from agents.environments.environment import Percept
from agents.environments.replaying import Recorded
from agents.models import EnvironmentAction, EnvironmentRun


def first_of(run: EnvironmentRun) -> Recorded | None:
    """What was perceived at the beginning; None before the environment has begun."""
    if run.first_percept is None:
        return None
    return Recorded("", "", Percept(run.first_percept, is_over=False), run.score_before)


def actions_of(run: EnvironmentRun) -> list[Recorded]:
    """The actions that were done, in their order."""
    rows = EnvironmentAction.objects.filter(run=run.pk).order_by("number")
    return [
        Recorded(row.action, row.by, Percept(row.percept, row.accepted, row.is_over), row.score)
        for row in rows.only("action", "by", "percept", "accepted", "is_over", "score").iterator()
    ]
