"""Planning a goal again with the access that its failed step lacked: the same steps, and review like any plan."""

from __future__ import annotations

from dataclasses import replace

from django.db import transaction

from agents.bdi.plans.document import IntentSpec
from agents.execution import goal_network
from agents.execution.goal_network import Lacking
from agents.goals import goals
from agents.models import Goal, IntentPlan
from agents.plans import proposals
from agents.record.errors import NotPossibleNow, PlanInvalid
from agents.record.moves import move_goal
from agents.record.selectors import current_plan, workspaces_writable_by
from agents.states import GoalState
from agents.toolkit.types import Param, PlanDraft, Step
from people.models import User


def lacking_access(goal: Goal, user: User) -> Lacking | None:
    """The access that this person may plan again with; None when it is not theirs to do or not what was missing."""
    if not goal.has_ended or not workspaces_writable_by(user).filter(pk=goal.workspace_id).exists():
        return None
    return goal_network.lacking_of(current_plan(goal))


def plan_again_with_access(goal: Goal, *, by: User, submission_key: str = "") -> IntentPlan:
    """Submit the goal again with the steps of its failed plan, and propose them with the hosts that were refused.

    The same key gives the plan that was made already. Raises NotPossibleNow when nothing was refused, PlanInvalid when
    the old steps no longer make a plan.
    """
    lacking = lacking_access(goal, by)
    if lacking is None:
        raise NotPossibleNow(f"Goal {goal.pk} did not fail because of access that you could add.")
    draft = _with_access(lacking, by)
    if problems := proposals.problems_of(goal, draft):
        raise PlanInvalid(problems)
    with transaction.atomic():
        fresh = goals.submit(
            by=by, text=goal.text, priority=goal.priority, workspace=goal.workspace, submission_key=submission_key
        )
        fresh = Goal.objects.select_for_update(no_key=True).get(pk=fresh.pk)
        earlier = current_plan(fresh)
        if earlier is not None:
            return earlier
        move_goal(fresh, GoalState.PLANNING, by=by.username)
        return proposals.propose(fresh, draft, by=by)


def _with_access(lacking: Lacking, by: User) -> PlanDraft:
    document = lacking.document
    steps = [_step(spec) for spec in document.intents]
    step = steps[lacking.position - 1]
    before = step.params.get(lacking.parameter)
    hosts = Param(
        list(lacking.hosts),
        "person",
        original=(before.value or None) if before is not None else None,
        note=f"{', '.join(lacking.added)} was refused before",
    )
    steps[lacking.position - 1] = replace(step, params={**step.params, lacking.parameter: hosts})
    evidence = {"written_by": by.username, "again": {"plan": lacking.plan.pk, "added": list(lacking.added)}}
    return PlanDraft(tuple(steps), tuple(_step(spec) for spec in document.cleanup), "person", evidence)


def _step(spec: IntentSpec) -> Step:
    """The step as it was proposed, from the bytes that were approved."""
    records = {one.name: one for one in spec.parameters}
    params = {}
    for name, value in spec.params.items():
        record = records.get(name)
        params[name] = (
            Param(value, record.origin, record.original, record.span, record.note)
            if record is not None
            else Param(value, "explicit")
        )
    others = tuple(_step(other) for other in spec.alternatives)
    return Step(
        spec.tool, spec.command, params, spec.justification, spec.rule, spec.depends_on, spec.condition, others,
        branch=spec.branch, retries=spec.retries,
    )  # fmt: skip
