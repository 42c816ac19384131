"""Asking again: an approved plan whose workspace has moved since becomes a revision that says what changed.

What was approved was approved on files that people saw. On other files the same steps may do something else.
"""

from __future__ import annotations

from dataclasses import replace

from agents.bdi import document as documents
from agents.bdi import selection
from agents.bdi.document import Document
from agents.models import Goal, IntentPlan
from agents.services import logs, proposing
from agents.services.moves import move_goal, move_plan
from agents.states import GoalState, PlanState
from agents.toolkit.registry import REGISTRY


def moved_since(plan: IntentPlan) -> Document | None:
    """The approved document, when its plan has not begun and its files are no longer those it was made on.

    None also for bytes that are not the approved ones: those are refused by the gate, not asked again.
    """
    data = bytes(plan.document)
    if plan.position != 1 or documents.digest_of(data) != plan.approved_digest:
        return None
    document = documents.read(data)
    return document if document.base != plan.workspace.head else None


def ask_again(goal: Goal, plan: IntentPlan, document: Document, *, by: str) -> None:
    """Supersede the approved plan by the same steps on today's files, for a review of what changed since.

    The caller holds goal, plan and workspace, and nothing of the plan has run. Steps that are no longer valid ask a
    person for a plan instead.
    """
    before, after = document.base, plan.workspace.head
    reason = f"the workspace changed after the approval ({before[:8]} → {after[:8]})"
    move_plan(plan, PlanState.SUPERSEDED, by=by, reason=reason)
    logs.say(goal.pk, "review", "execute", f"{reason}; nothing has run, and it is asked again", level="warning")
    delta = {"revision": plan.revision, "plan": plan.pk, "before": before, "after": after}
    positions = [spec.position for spec in document.intents]
    draft = selection.part(document, positions, REGISTRY)
    draft = replace(draft, evidence={**plan.plan.evidence, "from_revision": plan.revision, "delta": delta})
    if problems := proposing.problems_of(goal, draft):
        said = "; ".join(problem.message for problem in problems)
        logs.say(goal.pk, "bdi_agent", "plan", f"the steps are no longer valid: {said}", level="error")
        move_goal(goal, GoalState.MANUAL, by=by, reason="invalid_plan")
        return
    revision = proposing.propose(goal, draft)
    IntentPlan.objects.filter(pk=revision.pk).update(left_out=plan.left_out, rest=plan.rest)
