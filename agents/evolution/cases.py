"""The earlier goals that a candidate is measured by: those that a version of its rule planned, and that ran.

All failures, and as many successes, the newest of each. A goal counts once, by the last plan that the rule made for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from agents.bdi.outcome import MISSED
from agents.models import Attempt, Goal, HandItem, IntentPlan, Plan
from agents.states import PlanState

# Of each kind: a replay ends within the hour, and more cases prove little more.
MOST = 50
_ENDED = Q(state__in=[PlanState.COMPLETE.value, PlanState.FAILED.value])
# A step failed and nothing but a person could go on: mostly the plan waits there, and it has failed all the same.
_ASKED = Exists(HandItem.objects.filter(intent_plan=OuterRef("pk")))


@dataclass(frozen=True)
class Found:
    """An earlier goal, the plan whose beliefs it is planned by, and the snapshot that its first step began with."""

    goal: Goal
    plan: Plan
    base: str
    succeeded: bool


def of_rule(name: str, most: int = MOST) -> list[Found]:
    """Every failure of this rule, and as many successes; the newest first, at most `most` of each."""
    failures: list[Found] = []
    successes: list[Found] = []
    for found in _all(name):
        (successes if found.succeeded else failures).append(found)
        if len(failures) >= most and len(successes) >= most:
            break
    failures = failures[:most]
    # Without a failure its successes still show what a candidate breaks.
    return failures + successes[: len(failures) or most]


def has_any(name: str) -> bool:
    """Whether anything was ever planned by this rule and ran."""
    return next(_all(name), None) is not None


def _all(name: str) -> Iterator[Found]:
    planned = Plan.objects.filter(source=Plan.Source.RULE.value)
    planned = planned.filter(
        Q(evidence__rule__name=name) | Q(evidence__contains={"subgoals": [{"rule": {"name": name}}]})
    )
    plans = IntentPlan.objects.filter(plan__in=planned).annotate(asked_a_person=_ASKED)
    plans = plans.filter(_ENDED | Q(asked_a_person=True)).select_related("plan", "goal__workspace")
    seen: set[int] = set()
    for plan in plans.order_by("-pk").iterator(chunk_size=100):
        if plan.goal_id in seen:
            continue
        began = Attempt.objects.filter(intent__intent_plan=plan, intent__position=1).order_by("number")
        if base := began.values_list("snapshot_before", flat=True).first():
            seen.add(plan.goal_id)
            succeeded = plan.state == PlanState.COMPLETE and not plan.asked_a_person and plan.goal.outcome not in MISSED
            yield Found(plan.goal, plan.plan, base, succeeded)
