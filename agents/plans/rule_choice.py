"""The choice of rules as something that people review before the plan: asked for, and planned with once confirmed."""

from __future__ import annotations

import logging
from dataclasses import replace

from django.db.models import Max

from agents.bdi.planning import levels
from agents.bdi.plans.document import digest_of
from agents.models import Goal, LevelDocument
from agents.record import logs, wake_ups
from agents.record.moves import move_goal
from agents.states import GoalState, LevelState
from agents.toolkit import phrases
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import PlanDraft, Step
from people import sealing

logger = logging.getLogger(__name__)

AWAITS = "selection_awaits_review"
_SELECTION = LevelDocument.Kind.SELECTION


def confirmed(goal: Goal) -> LevelDocument | None:
    """The choice that a reviewer confirmed for the plan to come; None when there is none, or when a plan used it."""
    newest = goal.level_documents.filter(kind=_SELECTION).order_by("-number").first()
    if newest is None or newest.state != LevelState.APPROVED or digest_of(newest.document) != newest.digest:
        return None
    if not sealing.is_genuine(newest):
        logger.error("A choice of rules that mindX did not seal is not used", extra={"level_document": newest.pk})
        return None
    return None if goal.plans.filter(evidence__selection__id=newest.pk).exists() else newest


def is_open(goal: Goal) -> bool:
    """Whether a choice of rules for this goal awaits review."""
    return goal.level_documents.filter(kind=_SELECTION, state=LevelState.AWAITING_REVIEW.value).exists()


def with_confirmation(draft: PlanDraft, choice: LevelDocument) -> PlanDraft:
    """The draft with the choice it was planned with in its evidence, which is what uses the choice up."""
    said = {"id": choice.pk, "number": choice.number, "digest": choice.digest}
    return replace(draft, evidence={**draft.evidence, "selection": said})


def must_ask(goal: Goal, draft: PlanDraft) -> bool:
    """Whether a reviewer has yet to see the rules that this draft was made with."""
    return goal.agent.review_selection and "rule" in draft.evidence and "selection" not in draft.evidence


def ask(goal: Goal, draft: PlanDraft) -> LevelDocument:
    """Put the choice before reviewers; nothing is proposed before they confirm it. The caller holds the goal's row."""
    selection = levels.selection_of(draft.evidence, [_say(step) for step in draft.steps])
    data = levels.write_selection(goal.pk, selection)
    last = goal.level_documents.filter(kind=_SELECTION).aggregate(last=Max("number"))["last"] or 0
    document = LevelDocument.objects.create(
        goal=goal, kind=_SELECTION, number=last + 1, document=data, digest=digest_of(data)
    )
    rule = draft.evidence["rule"]
    said = f"the choice of rule “{rule['name']}” {rule['version']} awaits review, digest {document.digest[:8]}"
    logs.say(goal.pk, "review", "plan", said)
    move_goal(goal, GoalState.AWAITING_REVIEW, by="bdi_agent", reason=AWAITS)
    wake_ups.queue_changed()
    return document


def _say(step: Step) -> str:
    return phrases.say(tools_in_use().command(step.tool, step.command), step.values())
