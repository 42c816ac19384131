"""A new revision out of one that awaits a decision: a part of it, or other values in it. The old one is superseded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document
from agents.models import Belief, Goal, Intent, IntentPlan
from agents.plans import proposals
from agents.plans.plans import decidable
from agents.record import causes
from agents.record.errors import PlanInvalid
from agents.record.moves import move_intents, move_plan
from agents.states import IntentState, PlanState
from agents.toolkit.types import PlanDraft
from people.models import User

Make = Callable[[Document], PlanDraft]
Record = Callable[[IntentPlan, IntentPlan], None]


def revise(
    plan: IntentPlan, *, digest: str, by: User, make: Make, why: str, record: Record, writes: bool = True
) -> IntentPlan:
    """Supersede the plan by what `make` makes of its document, in one transaction; `record` writes who wanted it.

    `writes` False: `by` only chose among its steps, so whoever wrote the plan stays its author.

    Raises StaleDigest when another digest awaits or somebody decided first, and PlanInvalid with nothing changed.
    """
    with decidable(plan, digest) as (goal, locked):
        # What is made of it is sealed, and a policy may approve that.
        causes.check(locked)
        draft = _checked(goal, locked, make(documents.read(bytes(locked.document))))
        move_plan(locked, PlanState.SUPERSEDED, by=by.username, reason=why)
        revision = proposals.propose(goal, draft, by=by if writes else locked.plan.by)
        record(locked, revision)
    return revision


def _checked(goal: Goal, plan: IntentPlan, draft: PlanDraft) -> PlanDraft:
    if problems := proposals.problems_of(goal, draft):
        raise PlanInvalid(problems)
    # The reasons for the plan are those of the revision it came from.
    return replace(draft, evidence={**plan.plan.evidence, "from_revision": plan.revision})


def keep_wishes(goal: Goal, wishes: Sequence[dict[str, Any]]) -> None:
    """Remember what a person put in place of what, for when the goal is planned again. The caller holds the goal."""
    goal.wishes = [*goal.wishes, *wishes]
    Goal.objects.filter(pk=goal.pk).update(wishes=goal.wishes)


def leave_out(plan: IntentPlan, revision: IntentPlan, left_out: Sequence[dict[str, Any]], *, rest: str) -> None:
    """Give each step that a person did not approve its recorded result, and the planner their reason.

    `rest` is what becomes of them: "plan_again" when the others are done, or "drop".
    """
    for each in left_out:
        step = plan.intents.filter(phase=Intent.Phase.MAIN, position=each["position"])
        move_intents(step, IntentState.SKIPPED, reason=f"not approved by {each['by']}: {each['reason']}")
        sentence = f"The step “{each['sentence']}” was not approved: {each['reason']}"
        Belief.objects.create(goal_id=plan.goal_id, sentence=sentence, source="person", at=revision.created_at)
    IntentPlan.objects.filter(pk=revision.pk).update(left_out=list(left_out), rest=rest)
