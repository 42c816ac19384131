"""History for a plan's page: similar earlier goals, and every decision about the plan so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings

from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document
from agents.models import IntentPlan
from agents.record.selectors import plans_visible_to
from agents.states import PlanState
from library.memory.selectors import nearest_to
from library.models import Experience
from people.models import User
from review.audit import approval_seal, decision_chain
from review.audit.decision_chain import grant_of
from review.deciding import envelope
from review.models import Approval, Decision
from review.reading import likeness
from review.reading.likeness import Alike

PRECEDENTS = 3
# From here on two goals are mostly the same kind of task (`library.memory.nearness`); others do not help reviewers.
HELPFUL_FROM_PERCENT = 40
# How many earlier goals are searched for one with the same plan.
_CANDIDATES = 6
_TONES = {"success": "is-good", "failure": "is-bad", "partial_success": "is-clay"}
_ICONS = {"success": "check", "failure": "x", "partial_success": "mend"}


@dataclass(frozen=True)
class Precedent:
    """A similar earlier goal, and how it ended. `nearness` is in per cent, None if it was found by words."""

    experience: Experience
    nearness: int | None
    # Its last plan, if this person may see it: the decisions, and how this plan differs from it.
    plan: IntentPlan | None = None
    decision: Decision | None = None
    unlike: str = ""

    # The approval of that plan if it is valid, a person gave it, and the plan ended well.
    approval: Approval | None = None
    alike: Alike | None = None

    @property
    def is_helpful(self) -> bool:
        """Whether it is similar enough to be shown. If it was found by words, it has every word of the goal."""
        return self.nearness is None or self.nearness >= HELPFUL_FROM_PERCENT

    @property
    def differences(self) -> int:
        """In how many values this plan differs from it; only for a familiar one."""
        return len(self.alike.swaps) if self.alike is not None else 0

    @property
    def went_well(self) -> bool:
        return self.experience.final_outcome == "success"

    @property
    def tone(self) -> str:
        """How the page marks its outcome."""
        return _TONES.get(self.experience.final_outcome, "faint")

    @property
    def icon(self) -> str:
        """The icon beside its outcome."""
        return _ICONS.get(self.experience.final_outcome, "minus")


@dataclass(frozen=True)
class Receipt:
    """A decision, whether mindX signed it, and whether its digest still matches that of the stored bytes."""

    decision: Decision
    approval: Approval | None
    covers: str
    digest_now: str
    is_genuine: bool
    fits: bool


@dataclass(frozen=True)
class Familiar:
    """An earlier plan with the same steps, which a person approved and which ended well, and what differs."""

    plan: IntentPlan
    approval: Approval
    alike: Alike


def precedents(plan: IntentPlan, document: Document | None, user: User) -> list[Precedent]:
    """The most similar earlier goals that this person may read, with their plans."""
    found = nearest_to(plan.goal.text, user=user, limit=_CANDIDATES, without_goal=str(plan.goal_id))
    if not found:
        return []
    named = [row.workflow_id for row, _ in found]
    ids = [int(one) for one in named if one.isascii() and one.isdigit() and len(one) < 19]
    plans = {str(each.pk): each for each in plans_visible_to(user).filter(pk__in=ids)}
    verdicts = Decision.objects.filter(intent_plan__in=plans.values())
    decided: dict[int, list[Decision]] = {}
    for each in filter(decision_chain.is_genuine, verdicts.select_related("by", "approval__by").order_by("pk")):
        decided.setdefault(each.intent_plan_id, []).append(each)
    return [_precedent(row, near, plans.get(row.workflow_id), decided, document) for row, near in found]


def helpful(found: Sequence[Precedent]) -> list[Precedent]:
    """Those that are worth showing."""
    return [one for one in found if one.is_helpful][:PRECEDENTS]


def familiar(found: Sequence[Precedent]) -> Familiar | None:
    """The one from which a plan differs least, the most similar of several; None if none is familiar."""
    best = min((one for one in found if one.alike is not None), key=lambda one: one.differences, default=None)
    if best is None or best.plan is None or best.approval is None or best.alike is None:
        return None
    return Familiar(best.plan, best.approval, best.alike)


def _precedent(
    row: Experience,
    near: float | None,
    plan: IntentPlan | None,
    decided: Mapping[int, Sequence[Decision]],
    this: Document | None,
) -> Precedent:
    nearness = None if near is None else round(100 * max(near, 0.0))
    earlier = readable(bytes(plan.document)) if plan is not None else None
    # A row of memory refers by text, so check that it leads to a plan of its own goal.
    if plan is None or earlier is None or str(plan.goal_id) != row.goal_ref:
        return Precedent(row, nearness)
    decisions = decided.get(plan.pk, ())
    last = decisions[-1] if decisions else None
    if this is None:
        return Precedent(row, nearness, plan, last)
    approval = _approval_by_a_person(plan, decisions) if row.final_outcome == "success" else None
    alike = likeness.alike(earlier, this) if approval is not None else None
    return Precedent(row, nearness, plan, last, likeness.unlike(earlier, this), approval, alike)


def _approval_by_a_person(plan: IntentPlan, decisions: Sequence[Decision]) -> Approval | None:
    """The approval of a complete plan, if it is for exactly these bytes and no policy gave it."""
    if plan.state != PlanState.COMPLETE:
        return None
    digest = documents.digest_of(plan.document)
    for decision in decisions:
        approval: Approval | None = getattr(decision, "approval", None)
        if approval is not None and decision.policy_id is None and approval.digest == digest and _is_sealed(approval):
            return approval
    return None


def receipts(plan: IntentPlan) -> list[Receipt]:
    """The decisions on this plan, each with what it covered, and whether the stored bytes still match."""
    now = documents.digest_of(plan.document)
    rows = Decision.objects.filter(intent_plan=plan).select_related("by", "approval", "policy").order_by("pk")
    return [_receipt(row, now) for row in rows]


def edits_into(plan: IntentPlan) -> list[Decision]:
    """What people changed in the revision before, so that this one came to be."""
    if plan.revision == 1:
        return []
    made = Decision.objects.filter(verdict=Decision.Verdict.EDIT, intent_plan__goal_id=plan.goal_id)
    return list(
        made.filter(edits__to_digest=plan.digest).select_related("by", "intent_plan").defer("intent_plan__document")
    )


def _receipt(row: Decision, now: str) -> Receipt:
    approval: Approval | None = getattr(row, "approval", None)
    is_genuine, fits = decision_chain.is_genuine(row), row.digest == now
    if approval is not None:
        fits = fits and _is_sealed(approval)
    covers = envelope.in_words(approval.envelope) if approval is not None else ""
    return Receipt(row, approval, covers, now, is_genuine, fits)


def _is_sealed(approval: Approval) -> bool:
    return approval_seal.is_genuine(grant_of(approval), approval.mac, settings.APPROVAL_KEY)


def readable(data: bytes) -> Document | None:
    """The document of these bytes; None when this version cannot read it."""
    try:
        return documents.read(data)
    except ValueError:
        return None
