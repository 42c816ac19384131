"""The chain of decisions, and the approvals that belong to it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

from django.conf import settings

from agents.models import IntentPlan
from agents.record import telemetry
from people import journal
from people.journal import Event
from people.models import User
from review.audit import approval_seal, canonical, chain
from review.audit.chain_rows import Chain
from review.models import Approval, Decision, PlanRisk


def add(
    plan: IntentPlan,
    verdict: Decision.Verdict,
    *,
    digest: str,
    by: User,
    via: str,
    comment: str,
    edits: Mapping[str, Any] | None = None,
    policy_id: int | None = None,
) -> Decision:
    """Append a decision to the chain. Call it inside the transaction that moves the plan."""
    decision = _CHAIN.add(
        Decision(
            intent_plan=plan,
            digest=digest,
            verdict=verdict.value,
            by=by,
            via=via,
            comment=comment,
            edits=dict(edits or {}),
            policy_id=policy_id,
        )
    )
    said = {"mindx.plan.id": plan.pk, "mindx.verdict": decision.verdict, "mindx.via": via}
    telemetry.happened("review", plan.goal_id, said, since=plan.queued_at)
    journal.decided(
        Event.DECISION,
        by=by,
        subject=f"plan:{plan.pk}",
        verdict=decision.verdict,
        digest=digest,
        comment=comment,
        shown=_shown(plan),
        decision=decision.pk,
        goal=plan.goal_id,
        via=via,
    )
    return decision


def _shown(plan: IntentPlan) -> dict[str, Any]:
    """What stood beside the plan when it was decided: its risk, its danger sentence, and its dry run."""
    risk = PlanRisk.objects.filter(pk=plan.pk).values("level", "danger", "shadow_run_id").first()
    if risk is None:
        return {}
    danger = (risk["danger"] or {}).get("sentence", "")
    return {"risk": risk["level"], "danger": danger, "dry_run": risk["shadow_run_id"]}


def grant_of(approval: Approval) -> approval_seal.Grant:
    """The content of a stored approval, as it was sealed."""
    return approval_seal.Grant(approval.intent_plan_id, approval.digest, approval.by_id, approval.envelope, approval.at)


def walk() -> chain.Walk:
    """Verify every decision, oldest first, and the approval of each one that approved."""
    found = _CHAIN.walk()
    if found.broken is not None:
        return found
    granted = Decision.objects.filter(verdict=Decision.Verdict.APPROVE).order_by("pk").select_related("approval")
    broken = next((wrong for decision in granted.iterator() if (wrong := _approval_break(decision))), None)
    return replace(found, broken=broken)


def _entry(row: Decision) -> chain.Entry:
    said = (row.via, row.comment, row.at, row.edits, row.policy_id)
    return chain.Entry(row.intent_plan_id, row.digest, row.verdict, row.by_id, *said)


_CHAIN = Chain(Decision, 0x6D587276, _entry)  # "mXrv"


def is_genuine(row: Decision) -> bool:
    """True when this row holds exactly what was signed, wherever it stands in the chain."""
    try:
        signed = chain.hash_of(_entry(row), row.previous_hash, settings.APPROVAL_KEY)
    except (ValueError, TypeError):  # content that cannot be signed
        return False
    return canonical.same(row.hash, signed)


def are_whole(rows: Collection[Decision], named: AbstractSet[int]) -> bool:
    """True when these are all decisions on a plan and each is genuine. The journal also `named` each one, so a row that
    was removed, or given to another plan, is noticed without checking the whole chain.
    """
    return named <= {row.pk for row in rows} and all(map(is_genuine, rows))


def _approval_break(decision: Decision) -> chain.Break | None:
    approval: Approval | None = getattr(decision, "approval", None)
    if approval is None:
        return chain.Break(decision.pk, "it approved, but its approval is missing")
    if not approval_seal.is_genuine(grant_of(approval), approval.mac, settings.APPROVAL_KEY):
        return chain.Break(decision.pk, "the seal of its approval was not made by mindX")
    claimed = (approval.intent_plan_id, approval.digest, approval.by_id)
    if claimed != (decision.intent_plan_id, decision.digest, decision.by_id):
        return chain.Break(decision.pk, "its approval belongs to another decision")
    return None
