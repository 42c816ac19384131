"""How often the versions of rules, workflows and tools worked, in the library's record of them.

A goal counts once for each version that a plan of it was made with, by the newest of these plans that was begun; what
worked is said by `agents.bdi.outcome.worked`. Mostly it is counted when the goal has ended. One that failed and waits
for a person counts while it waits: its person may come in weeks or never, and meanwhile the version looks better than
it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from agents.bdi.learning import remembering
from agents.bdi.learning.remembering import Ended
from agents.components import made_tools
from agents.models import Attempt, CountedUse, Goal, Intent, IntentPlan
from agents.record import worked
from agents.states import GoalState, PlanState
from library.components import services as components
from library.models import ComponentVersion

# A sweep counts so many at most.
MOST = 200
# What is looked at of goals that wait: everything else has no version whose record it would change.
_HAS_VERSION = Q(plan__evidence__has_key="rule") | Q(plan__evidence__has_key="workflow")
_OF_FAILED_TOOL = Exists(
    Attempt.objects.filter(
        intent__intent_plan=OuterRef("pk"),
        outcome="failed",
        intent__tool__in=ComponentVersion.objects.filter(
            component__kind=made_tools.KIND, status=ComponentVersion.Status.ACTIVE
        ).values("component__name"),
    )
)


def count_ended(goal_id: int, ended: Ended) -> None:
    """Count what an ended goal used, in the transaction that remembers it; what was counted before is left out."""
    if ended.revisions > 1:
        found = dict(_of_plans(goal_id))
    else:
        used = remembering.used_version(ended)
        found = dict([used] if used is not None else [])
        if (plan := ended.revision) is not None:
            found |= dict(_of_tools(plan.id, plan.state, {step.partition(".")[0] for step in plan.main}))
    counted = _counted(goal_id) if ended.failure else set()
    for version, has_worked in found.items():
        if version not in counted:
            components.record_use(version, has_worked)


def count_waiting() -> None:
    """Count what goals used that failed and wait for a person."""
    stuck = worked.stuck(IntentPlan.objects.filter(goal__state=GoalState.MANUAL.value))
    counted = CountedUse.objects.filter(goal=OuterRef("goal_id"))
    wanted = stuck.filter(_HAS_VERSION | _OF_FAILED_TOOL).filter(~Exists(counted)).order_by("pk")
    for goal_id in wanted.values_list("goal_id", flat=True)[:MOST]:
        _count(goal_id)


def _count(goal_id: int) -> None:
    with transaction.atomic():
        # The race it closes: its end is counted at the same time, by whoever remembers it with this row locked.
        goal = Goal.objects.select_for_update(no_key=True, skip_locked=True).filter(pk=goal_id).first()
        if goal is None or goal.state != GoalState.MANUAL or _counted(goal_id):
            return
        failed = [version for version, has_worked in _of_plans(goal_id) if not has_worked]
        for version in ComponentVersion.objects.filter(pk__in=failed):
            CountedUse.objects.create(goal=goal, version=version)
            components.record_use(version.pk, succeeded=False)


def _counted(goal_id: int) -> set[int]:
    return set(CountedUse.objects.filter(goal=goal_id).values_list("version_id", flat=True))


def _of_plans(goal_id: int) -> Iterator[tuple[int, bool]]:
    """Each version once, with whether the newest begun plan of it worked; those of which that is open are left out."""
    plans = worked.begun(IntentPlan.objects.filter(goal=goal_id)).select_related("goal", "plan")
    seen: set[int | None] = {None}
    for plan in plans.order_by("-revision"):
        tools = plan.intents.filter(phase=Intent.Phase.MAIN).values_list("tool", flat=True)
        made: dict[int | None, bool | None] = dict(_of_tools(plan.pk, plan.state, set(tools)))
        made[_version_of(plan)] = worked.of_plan(plan)
        for version, has_worked in made.items():
            if version not in seen and has_worked is not None and version is not None:
                yield version, has_worked
            seen.add(version)


def _version_of(plan: IntentPlan) -> int | None:
    evidence = plan.plan.evidence
    return remembering.version_in(evidence.get("rule"), (evidence.get("workflow") or {}).get("component_version_id"))


def _of_tools(plan_id: int, state: str, names: Collection[str]) -> Iterator[tuple[int, bool]]:
    """Each tool that people made, once for the plan: did all of its steps that were tried work?

    Of a plan that has not run to its end, only what failed is known.
    """
    has_run = state in (PlanState.COMPLETE, PlanState.FAILED)
    for name in sorted(names):
        if (version := made_tools.version_in_use(name)) is None:
            continue
        tried = Attempt.objects.filter(intent__intent_plan=plan_id, intent__tool=name)
        failed = tried.filter(outcome="failed").exists()
        if failed or (has_run and tried.exists()):
            yield version, not failed
