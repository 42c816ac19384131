"""The gate that the executor asks: bytes, approval, seal, and a person who may still approve.

It fails closed: anything that cannot be checked is refused, with a sentence for the log and the page.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings

from agents.actors import models_in_use
from agents.bdi.plans import branches
from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document, digest_of
from agents.components import components
from agents.models import Goal, IntentPlan
from agents.record.gate import Forbidden, Verdict
from agents.record.prepared import Row
from agents.states import IntentState
from agents.toolkit import canonical
from people.models import User
from review import rights
from review.audit import approval_seal, decision_chain
from review.audit.canonical import same
from review.audit.decision_chain import grant_of
from review.deciding import envelope, grounds
from review.deciding.grounds import Grounds
from review.models import Approval, Decision, PolicyEvaluation
from review.policies import evaluation
from review.policy import verdict

logger = logging.getLogger(__name__)

_WENT_WELL = {IntentState.SUCCEEDED.value, IntentState.SKIPPED.value}
_PASSED_OVER = {*_WENT_WELL, IntentState.FAILED.value, IntentState.OUTCOME_UNKNOWN.value}
# The fields of a step that decide what happens when it runs; the other fields explain it.
_ACTS = ("position", "tool", "command", "params", "effect", "limits", "hosts", "condition", "asks")


def check(plan: IntentPlan, intent: Mapping[str, Any] | None = None, read: Sequence[Row] | None = None) -> Verdict:
    """Whether the plan, or one intent of its document, may run now; `plan.document` holds the bytes that would run."""
    found = grounds.read(plan, read)
    approval = found.approval
    reason = refusal(plan, approval, settings.APPROVAL_KEY) or _not_in_order(plan, found)
    if not reason and intent is not None and not _holds(bytes(plan.document), intent):
        reason = "this step is not in the approved document"
    answer = Verdict(allowed=False, reason=reason)
    if not reason and approval is not None:
        answer = _policed(plan, approval, found) or Verdict(
            allowed=True,
            reason=f"approved by {approval.by.display_name}",
            tries=envelope.tries_in(approval.envelope),
            alternatives=envelope.alternatives_in(approval.envelope),
            minimum=evaluation.least_isolation(approval),
            stamp=found.stamp,
        )
    if not answer.allowed:
        logger.warning("The gate refused plan %s: %s", plan.pk, answer.reason, extra={"intent_plan": plan.pk})
    return answer


def forbidden(goal: Goal, document: Document) -> Sequence[Forbidden]:
    """What policies forbid in a plan that is being written: the same policies, asked by the same function."""
    return evaluation.forbidden(goal, document)


def by_hand(goal: Goal, document: Document, by: User) -> str:
    """Why policies forbid a person to do this without a review; "" if they do not."""
    return evaluation.by_hand(goal, document, by)


def _policed(plan: IntentPlan, approval: Approval, found: Grounds) -> Verdict | None:
    """Objections by four eyes, policies and components, which may have changed since the approval; else None.

    The plan goes back to review if a person has to look at it again; it waits if only a second person is missing.
    """
    if settings.FOUR_EYES and rights.four_eyes(approval.by, plan.goal):
        who = approval.by.display_name
        reason = f"four eyes are required, and {who}, who approved it, submitted its goal or wrote a part of its plans"
        return Verdict(allowed=False, reason=reason, asks=True)
    document = documents.read(bytes(plan.document))
    changed = components.changed_since(document)
    if document.sends_text:  # read the models' settings only if needed
        settled = {position for position, _ in envelope.alternatives_in(approval.envelope)}
        changed = [
            *changed,
            *models_in_use.changed_since(document, plan.goal.agent, first=plan.position, settled=settled),
        ]
    if reason := evaluation.no_longer_backed(plan, approval) or "; ".join(changed):
        return Verdict(allowed=False, reason=reason, asks=True)
    if not found.policies:
        return None
    outcome = evaluation.outcome_of(plan)
    reason = verdict.refusal(outcome) or evaluation.person_wanted(outcome, approval)
    waits = verdict.second_person(outcome, evaluation.approvers(plan, approval)) if outcome.approvals > 1 else ""
    if not reason and not waits:
        return None
    evaluation.keep(plan, PolicyEvaluation.Moment.CLAIM, outcome, "refused before it ran")
    return Verdict(allowed=False, reason=reason or waits, asks=bool(reason), waits=not reason)


def refusal(plan: IntentPlan, approval: Approval | None, key: str) -> str:
    """Why this plan may not run under this approval; empty if it may. Uses only its arguments."""
    actual = digest_of(plan.document)
    if approval is None:
        return "nobody has approved this plan"
    if actual != plan.digest:
        return "the stored document is not the one that was proposed: its bytes have changed"
    if actual != plan.approved_digest or actual != approval.digest:
        return "the stored document is not the one that was approved"
    genuine = envelope.is_whole(approval.envelope) and approval_seal.is_genuine(grant_of(approval), approval.mac, key)
    if approval.intent_plan_id != plan.pk or not genuine:
        return "the seal of the approval is not valid: the approval was changed or not made by mindX"
    if not _is_about(plan):
        return "the stored document is of another goal, workspace or revision than its row says"
    if not approval.by.is_active:
        return f"{approval.by.display_name}, who approved this plan, is no longer active"
    return ""


def _is_about(plan: IntentPlan) -> bool:
    """Whether the row belongs to its document: the row decides in whose files the steps run."""
    data = bytes(plan.document)
    try:
        document = documents.read(data)
        claimed = (document.goal_id, document.workspace, document.revision)
    except ValueError:  # a document of another format may still say which
        try:
            read = json.loads(data)
            claimed = (read["goal_id"], read["workspace"], read["revision"])
        except (ValueError, KeyError, TypeError):
            return False
    return bool(claimed == (str(plan.goal_id), plan.workspace.name, plan.revision))


def _not_in_order(plan: IntentPlan, found: Grounds) -> str:
    """Why the decisions behind the approval, or the plan's position, are inconsistent; "" if they are not."""
    approval = found.approval
    if approval is None:
        return ""
    made = approval.decision
    # `audit verify` checks the whole chain; before every claim there is time for only one link.
    is_whole = decision_chain.are_whole(found.decisions, found.named) and (
        made in found.decisions or decision_chain.is_genuine(made)
    )
    if not is_whole or not same(made.previous_hash, found.before):
        return "a decision on this plan was changed or not made by mindX"
    if (made.intent_plan_id, made.digest, made.by_id, made.verdict) != (
        approval.intent_plan_id,
        approval.digest,
        approval.by_id,
        Decision.Verdict.APPROVE.value,
    ):
        return "the approval belongs to another decision"
    # Every step before this position must have ended, as when the executor sets the position.
    ends = _PASSED_OVER if plan.aborting else _WENT_WELL
    if found.passed <= ends or (not plan.aborting and _are_put_off(plan, found)):
        return ""
    return "the position of the plan does not fit the steps that have ended"


def _are_put_off(plan: IntentPlan, found: Grounds) -> bool:
    """Whether the open steps before the position are those of a failed branch in the approved document."""
    try:
        intents = documents.read(bytes(plan.document)).intents
    except documents.Unreadable:
        return False
    return branches.may_be_open(intents, found.open_steps, plan.position)


def _holds(document: bytes, intent: Mapping[str, Any]) -> bool:
    """True when the document has exactly this step."""
    try:
        wanted = _acts(intent)
        plan = json.loads(document)
        return any(_acts(step) == wanted for step in [*plan["intents"], *plan["cleanup"]])
    except (ValueError, KeyError, TypeError):
        return False


def _acts(step: Mapping[str, Any]) -> bytes:
    return canonical.dumps({name: step.get(name) for name in _ACTS})
