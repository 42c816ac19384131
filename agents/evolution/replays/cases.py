"""The earlier goals that a candidate is measured by: those that a version of its component worked on, and that ran.

All failures, and as many successes, the newest of each. A goal counts once, by the last plan that the rule made for it
or that used the tool. What worked is said by `agents.bdi.outcome.worked`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from django.db.models import Exists, OuterRef, Q, QuerySet

from agents.components.agent_versions import KIND as AGENT
from agents.components.rules import KIND as RULE
from agents.components.workflow_library import KIND as WORKFLOW
from agents.models import Attempt, Goal, Intent, IntentPlan, Plan
from agents.record import worked
from library.models import Component

# Of each kind: a replay ends within the hour, and more cases prove little more.
MOST = 50


@dataclass(frozen=True)
class Found:
    """An earlier goal, the plan whose beliefs it is planned by, and the snapshot that its first step began with."""

    goal: Goal
    plan: Plan
    base: str
    succeeded: bool


def of(component: Component, most: int = MOST) -> list[Found]:
    """Every failure of a component, and as many successes; the newest first, at most `most` of each."""
    failures: list[Found] = []
    successes: list[Found] = []
    for found in _all(component):
        (successes if found.succeeded else failures).append(found)
        if len(failures) >= most and len(successes) >= most:
            break
    failures = failures[:most]
    # Without a failure its successes still show what a candidate breaks.
    return failures + successes[: len(failures) or most]


def newest(component: Component, most: int) -> list[Found]:
    """The newest goals of a component, however they ended: for comparisons that a choice by the end would bend."""
    return list(islice(_all(component), most))


def has_any(component: Component) -> bool:
    """Whether anything that it worked on ran."""
    return next(_all(component), None) is not None


def using_tool(plans: QuerySet[IntentPlan], name: str) -> QuerySet[IntentPlan]:
    """Those of these plans that reached a step of this tool."""
    tried = Attempt.objects.filter(intent__intent_plan=OuterRef("pk"), intent__tool=name)
    return plans.filter(Exists(tried))


def _all(component: Component) -> Iterator[Found]:
    plans = worked.begun(plans_of(component)).select_related("plan", "goal__workspace", "goal__agent")
    seen: set[int] = set()
    for plan in plans.order_by("-pk").iterator(chunk_size=100):
        if plan.goal_id in seen:
            continue
        if base := base_of(plan):
            seen.add(plan.goal_id)
            if (has_worked := worked.of_plan(plan)) is not None:
                yield Found(plan.goal, plan.plan, base, has_worked)


def plans_of(component: Component) -> QuerySet[IntentPlan]:
    """The plans that a version of it made, or that used it; of an agent those of its goals."""
    if component.kind == RULE:
        return _by_rule(component.name)
    if component.kind == AGENT:
        return IntentPlan.objects.filter(goal__agent__name=component.name)
    if component.kind == WORKFLOW:
        return _by_workflow(component.name)
    return using_tool(IntentPlan.objects.all(), component.name)


def base_of(plan: IntentPlan) -> str:
    """The snapshot that a plan's first step began with; empty before it began."""
    first = Intent.objects.filter(intent_plan=plan, position=1)
    began = Attempt.objects.filter(intent__in=first).order_by("number").values_list("snapshot_before", flat=True)
    return began.first() or ""


def _by_rule(name: str) -> QuerySet[IntentPlan]:
    planned = Plan.objects.filter(source=Plan.Source.RULE.value)
    planned = planned.filter(
        Q(evidence__rule__name=name) | Q(evidence__contains={"subgoals": [{"rule": {"name": name}}]})
    )
    return IntentPlan.objects.filter(plan__in=planned)


def _by_workflow(name: str) -> QuerySet[IntentPlan]:
    """Those that were made from it, and from a workflow that calls it."""
    calls = Q(plan__evidence__contains={"workflow": {"calls": [{"name": name}]}})
    return IntentPlan.objects.filter(Q(plan__evidence__workflow__name=name) | calls)
