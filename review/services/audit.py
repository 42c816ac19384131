"""The chain of decisions in the database: adding the next link, and walking all of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils import timezone

from agents import telemetry
from agents.models import IntentPlan
from people.journal import Event
from people.models import User
from review import canonical, chain, seal
from review.models import Approval, Decision
from review.services import journal

# Any fixed number that no other part of mindX locks: "mXrv".
_CHAIN_LOCK = 0x6D587276


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
    """Append a decision to the chain. Call it inside the transaction that moves the plan.

    The race it closes: two decisions on different plans reading the same last row. The lock is held until the
    transaction ends, so the next one reads the row that this one wrote.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_CHAIN_LOCK])
    previous = Decision.objects.order_by("-pk").values_list("hash", flat=True).first() or ""
    at = timezone.now()
    entry = chain.Entry(plan.pk, digest, verdict.value, by.pk, via, comment, at, edits or {}, policy_id)
    decision = Decision.objects.create(
        intent_plan=plan,
        digest=digest,
        verdict=verdict.value,
        by=by,
        via=via,
        comment=comment,
        edits=dict(entry.edits),
        policy_id=policy_id,
        at=at,
        previous_hash=previous,
        hash=chain.hash_of(entry, previous, settings.APPROVAL_KEY),
    )
    said = {"mindx.plan.id": plan.pk, "mindx.verdict": decision.verdict, "mindx.via": via}
    telemetry.happened("review", plan.goal_id, said, since=plan.queued_at)
    told = {"decision": decision.pk, "verdict": decision.verdict, "goal": plan.goal_id, "digest": digest, "via": via}
    journal.write(Event.DECISION, by=by, subject=f"plan:{plan.pk}", data=told | {"comment": comment})
    return decision


def grant_of(approval: Approval) -> seal.Grant:
    """What the stored approval claims, as it was sealed."""
    return seal.Grant(approval.intent_plan_id, approval.digest, approval.by_id, approval.envelope, approval.at)


@dataclass(frozen=True)
class Audit:
    """What a walk over the chain found: `broken` is None when every row holds."""

    decisions: int
    last_hash: str
    broken: chain.Break | None


def walk() -> Audit:
    """Verify every decision, oldest first, and the approval of each one that approved."""
    broken = chain.first_break(_links(), settings.APPROVAL_KEY)
    decisions = Decision.objects.order_by("pk")
    if broken is None:
        granted = decisions.filter(verdict=Decision.Verdict.APPROVE).select_related("approval")
        broken = next((found for decision in granted.iterator() if (found := _approval_break(decision))), None)
    last = decisions.last()
    return Audit(decisions.count(), last.hash if last else "", broken)


def _links() -> Iterator[chain.Link]:
    for row in Decision.objects.order_by("pk").iterator():
        yield chain.Link(row.pk, _entry(row), row.previous_hash, row.hash)


def _entry(row: Decision) -> chain.Entry:
    said = (row.via, row.comment, row.at, row.edits, row.policy_id)
    return chain.Entry(row.intent_plan_id, row.digest, row.verdict, row.by_id, *said)


def is_genuine(row: Decision) -> bool:
    """True when this row holds exactly what was signed, wherever it stands in the chain."""
    try:
        signed = chain.hash_of(_entry(row), row.previous_hash, settings.APPROVAL_KEY)
    except (ValueError, TypeError):  # what nobody could have signed
        return False
    return canonical.same(row.hash, signed)


def are_whole(rows: Collection[Decision], named: AbstractSet[int]) -> bool:
    """True when these are all decisions on a plan and each is genuine. The journal has `named` each one as well, so
    that a row that was removed, or given to another plan, is missed here without walking the whole chain.
    """
    return named <= {row.pk for row in rows} and all(map(is_genuine, rows))


def follows(row: Decision, before: str) -> bool:
    """True for a genuine row that follows the one with the hash `before`. `audit verify` walks all of them; this looks
    at one link, which is what there is time for before every claim.
    """
    return is_genuine(row) and canonical.same(row.previous_hash, before)


def _approval_break(decision: Decision) -> chain.Break | None:
    approval: Approval | None = getattr(decision, "approval", None)
    if approval is None:
        return chain.Break(decision.pk, "it approved, but its approval is missing")
    if not seal.is_genuine(grant_of(approval), approval.mac, settings.APPROVAL_KEY):
        return chain.Break(decision.pk, "the seal of its approval was not made by mindX")
    claimed = (approval.intent_plan_id, approval.digest, approval.by_id)
    if claimed != (decision.intent_plan_id, decision.digest, decision.by_id):
        return chain.Break(decision.pk, "its approval belongs to another decision")
    return None
