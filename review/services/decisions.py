"""A person's decision on a plan: rights, words, digest, one transaction."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings

from agents.bdi.document import digest_of
from agents.models import IntentPlan
from agents.services import plans
from people.models import User
from review import envelope, rights, seal, words
from review.errors import DecisionRefused
from review.models import Approval, Comment, Decision
from review.services import audit

logger = logging.getLogger(__name__)


def approve(
    plan: IntentPlan,
    *,
    by: User,
    digest: str,
    comment: str = "",
    via: str = "browser",
    tries: int = envelope.USUAL_TRIES,
    edits: Mapping[str, Any] | None = None,
) -> IntentPlan:
    """Approve exactly the document with this digest, every step of it, with up to `tries` tries of a step.

    `edits` is what the decision says of the revision before, when this one holds a part of it.

    Raises DecisionRefused, WordsRefused, or StaleDigest when another digest awaits or somebody decided first.
    """
    check_rights(by, plan)
    note = words.taken(comment, "comment")
    grants = envelope.granted(tries)

    def grant(locked: IntentPlan) -> None:
        if digest_of(locked.document) != locked.digest:
            raise DecisionRefused("The stored document is not the one that was proposed. Nothing was approved.")
        verdict = Decision.Verdict.APPROVE
        decision = audit.add(locked, verdict, digest=locked.digest, by=by, via=via, comment=note, edits=edits)
        claim = seal.Grant(locked.pk, locked.digest, by.pk, grants, decision.at)
        Approval.objects.create(
            intent_plan=locked,
            decision=decision,
            digest=claim.digest,
            by=by,
            envelope=grants,
            at=claim.at,
            mac=seal.mac_of(claim, settings.APPROVAL_KEY),
        )

    return plans.approve(plan, digest=digest, by=by, grant=grant, note=note)


def reject(plan: IntentPlan, *, by: User, digest: str, reason: str, via: str = "browser") -> IntentPlan:
    """Reject the plan and drop its goal. Errors as for `approve`; a reason is required."""
    check_rights(by, plan)
    why = words.taken(reason, "reason", required=True)
    grant = _written(Decision.Verdict.REJECT, by=by, via=via, comment=why)
    return plans.reject(plan, digest=digest, by=by, reason=why, grant=grant)


def request_changes(plan: IntentPlan, *, by: User, digest: str, comment: str, via: str = "browser") -> IntentPlan:
    """Send the plan back with a comment that the planner reads. Errors as for `approve`; a comment is required."""
    check_rights(by, plan)
    wish = words.taken(comment, "comment", required=True)
    decide = _written(Decision.Verdict.REQUEST_CHANGES, by=by, via=via, comment=wish)

    def grant(locked: IntentPlan) -> None:
        decide(locked)
        Comment.objects.create(goal_id=locked.goal_id, intent_plan=locked, by=by, text=wish)

    return plans.send_back(plan, digest=digest, by=by, comment=wish, grant=grant)


def _written(verdict: Decision.Verdict, *, by: User, via: str, comment: str) -> Callable[[IntentPlan], None]:
    """Write a decision that grants nothing into the chain."""

    def write(locked: IntentPlan) -> None:
        audit.add(locked, verdict, digest=locked.digest, by=by, via=via, comment=comment)

    return write


def check_rights(by: User, plan: IntentPlan) -> None:
    """Raises DecisionRefused with the reason when this person may not decide this plan."""
    reason = rights.why_not(by, plan)
    if reason:
        logger.warning("A decision on plan %s by %s was refused: %s", plan.pk, by.pk, reason)
        raise DecisionRefused(reason)
