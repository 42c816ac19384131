"""The step that runs: for how long, and how many lines it has printed so far."""

from __future__ import annotations

from datetime import datetime

from django.template.loader import render_to_string

from agents.models import Attempt, LogLine
from agents.pages.goals import goal_log
from agents.states import IntentState, PlanState

FRAGMENT = "goal-running"
# Of a step that floods its log no more lines than these are counted: it is asked every two seconds.
COUNTED = 10_000
_PRINTED = ("stdout", "stderr")


def html(goal_id: int) -> str:
    """The fragment; a hidden one while nothing runs."""
    return render_to_string("agents/goal/_running.html", {"running": of(goal_id)})


def of(goal_id: int) -> dict[str, object] | None:
    """What the template says of the newest try that has not ended; None while nothing runs."""
    tries = Attempt.objects.filter(
        intent__intent_plan__goal=goal_id,
        intent__intent_plan__state=PlanState.EXECUTING.value,
        intent__state=IntentState.RUNNING.value,
        outcome="",
    )
    started = tries.order_by("-pk").values_list("started", flat=True).first()
    if started is None:
        return None
    printed, is_all = _printed(goal_id, started)
    return {"started": started, "printed": printed, "is_all": is_all}


def _printed(goal_id: int, started: datetime) -> tuple[int, bool]:
    """How many of the newest lines the step has printed, and whether the step has printed no others."""
    before = goal_log.last_number(goal_id) - COUNTED
    newest = LogLine.objects.filter(goal_id=goal_id, number__gt=before)
    printed = newest.filter(source__in=_PRINTED, at__gte=started).count()
    oldest = newest.order_by("number").values_list("at", flat=True).first() if before > 0 else None
    return printed, oldest is None or oldest < started
