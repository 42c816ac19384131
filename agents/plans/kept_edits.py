"""What people want of the plans that are made for a goal: their own values stay, and nothing comes again unasked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from agents.bdi.plans import document as documents
from agents.bdi.plans import selection
from agents.bdi.plans.dependencies import link
from agents.models import Goal
from agents.plans.earlier_plans import Earlier
from agents.plans.plans import SENT_BACK
from agents.states import PlanState
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import NoPlan, PlanDraft


def fitted(goal: Goal, draft: PlanDraft, before: Earlier) -> PlanDraft | NoPlan:
    """The draft with the values that people had put into it before; none when it repeats a step they left out."""
    if before.plans:
        left_out = [each for plan in goal.intent_plans.exclude(left_out=[]) for each in plan.left_out]
        if again := selection.refused(draft.steps, left_out):
            return NoPlan("refused_step_again", {**draft.evidence, "refused": again})
        if same_as_sent_back(goal, draft):
            return NoPlan("same_plan_again", draft.evidence)
    return taken_in(goal, draft)


def taken_in(goal: Goal, draft: PlanDraft) -> PlanDraft:
    """The draft with the values that people had put in place of exactly these."""
    steps, cleanup = selection.kept(draft.steps, goal.wishes), selection.kept(draft.cleanup, goal.wishes)
    return replace(draft, steps=link(steps, tools_in_use()), cleanup=link(cleanup, tools_in_use()))


def same_as_sent_back(goal: Goal, draft: PlanDraft) -> bool:
    """Whether a person has already sent exactly these steps back; then the same again helps nobody."""
    earlier = goal.intent_plans.filter(state=PlanState.SUPERSEDED).order_by("-revision").first()
    # Superseded for another reason it may come again: a belief that was denied may have carried nothing.
    if earlier is None or not earlier.reason.startswith(SENT_BACK):
        return False
    before = documents.read(bytes(earlier.document))
    return _essence([(spec.tool, spec.command, spec.params) for spec in before.all_intents]) == _essence(
        [(step.tool, step.command, step.values()) for step in (*draft.steps, *draft.cleanup)]
    )


def _essence(steps: Sequence[object]) -> str:
    return json.dumps(steps, sort_keys=True)
