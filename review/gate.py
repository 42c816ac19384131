"""The gate that the executor asks: these bytes, this approval, this seal, a person who may still answer for it.

It fails closed: whatever cannot be checked is refused, with a sentence for the log and the page.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

import rfc8785
from django.conf import settings

from agents.bdi.document import Document, digest_of
from agents.gate import Forbidden, Verdict
from agents.models import Goal, IntentPlan
from people.models import User
from review import envelope, seal
from review.models import Approval, PolicyEvaluation
from review.policy import verdict
from review.services import policing
from review.services.audit import grant_of

logger = logging.getLogger(__name__)

# What of a step decides what happens when it runs; the rest of the document explains it.
_ACTS = ("position", "tool", "command", "params", "effect", "limits", "hosts", "condition")


def check(plan: IntentPlan, intent: Mapping[str, Any] | None = None) -> Verdict:
    """Whether the plan, or one intent of its document, may run now; `plan.document` holds the bytes that would run."""
    found = Approval.objects.select_related("by", "decision__policy__policy", "decision__policy__owner")
    approval = found.filter(intent_plan_id=plan.pk).first()
    reason = refusal(plan, approval, settings.APPROVAL_KEY)
    waits = ""
    if not reason and intent is not None and not _holds(bytes(plan.document), intent):
        reason = "this step is not in the approved document"
    if not reason and approval is not None:
        reason, waits = _policed(plan, approval)
    if reason or waits or approval is None:
        logger.warning("The gate refused plan %s: %s", plan.pk, reason or waits, extra={"intent_plan": plan.pk})
        return Verdict(allowed=False, reason=reason or waits, waits=not reason and bool(waits))
    return Verdict(
        allowed=True,
        reason=f"approved by {approval.by.display_name}",
        tries=envelope.tries_in(approval.envelope),
        minimum=policing.least_isolation(approval),
    )


def forbidden(goal: Goal, document: Document) -> Sequence[Forbidden]:
    """What of a plan that somebody writes now may not be proposed: the same policies, asked by the same function."""
    return policing.forbidden(goal, document)


def by_hand(goal: Goal, document: Document, by: User) -> str:
    """Why policies keep a person from doing this without a review; "" when they do not."""
    return policing.by_hand(goal, document, by)


def _policed(plan: IntentPlan, approval: Approval) -> tuple[str, str]:
    """What policies, which may be newer than the approval, say at this claim: why it may not run, what it waits for."""
    if reason := policing.no_longer_backed(plan, approval):
        return reason, ""
    outcome = policing.outcome_of(plan)
    reason = verdict.refusal(outcome)
    waits = verdict.second_person(outcome, policing.approvers(plan, approval)) if outcome.approvals > 1 else ""
    if reason or waits:
        policing.keep(plan, PolicyEvaluation.Moment.CLAIM, outcome, "refused before it ran")
    return reason, waits


def refusal(plan: IntentPlan, approval: Approval | None, key: str) -> str:
    """Why this plan may not run under this approval; empty when it may. Reads nothing but its arguments."""
    actual = digest_of(plan.document)
    if approval is None:
        return "nobody has approved this plan"
    if actual != plan.digest:
        return "the stored document is not the one that was proposed: its bytes have changed"
    if actual != plan.approved_digest or actual != approval.digest:
        return "the stored document is not the one that was approved"
    if approval.intent_plan_id != plan.pk or not seal.is_genuine(grant_of(approval), approval.mac, key):
        return "the seal of the approval does not fit: the approval was changed or not made by mindX"
    if not approval.by.is_active:
        return f"{approval.by.display_name}, who approved this plan, is no longer active"
    return ""


def _holds(document: bytes, intent: Mapping[str, Any]) -> bool:
    """True when the document has exactly this step."""
    try:
        wanted = _acts(intent)
        plan = json.loads(document)
        return any(_acts(step) == wanted for step in [*plan["intents"], *plan["cleanup"]])
    except (ValueError, KeyError, TypeError):
        return False


def _acts(step: Mapping[str, Any]) -> bytes:
    return rfc8785.dumps({name: step.get(name) for name in _ACTS})
