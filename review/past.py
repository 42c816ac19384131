"""What was decided and done before, beside a plan: earlier goals like it, and every decision about it so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings

from agents.bdi import document as documents
from agents.bdi.document import Document
from agents.models import IntentPlan
from agents.selectors import plans_visible_to
from library.memory.selectors import nearest_to
from library.models import Experience
from people.models import User
from review import envelope, seal
from review.models import Approval, Decision
from review.reading import likeness
from review.services.audit import grant_of

PRECEDENTS = 3
_TONES = {"success": "is-good", "failure": "is-bad", "partial_success": "is-clay"}
_ICONS = {"success": "check", "failure": "x", "partial_success": "mend"}


@dataclass(frozen=True)
class Precedent:
    """An earlier goal that was about something like this, and how it ended. `nearness` is per cent, None by words."""

    experience: Experience
    nearness: int | None
    # Its last plan, when it had one that this person may see: who decided what, and in what this plan differs from it.
    plan: IntentPlan | None = None
    decision: Decision | None = None
    unlike: str = ""

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
    """What was decided and whether it still fits: the approved digest beside the digest of the bytes stored now."""

    decision: Decision
    approval: Approval | None
    covers: str
    digest_now: str
    fits: bool


def precedents(plan: IntentPlan, document: Document | None, user: User) -> list[Precedent]:
    """The nearest earlier goals among what this person may read, with the plan that each came to."""
    found = nearest_to(plan.goal.text, user=user, limit=PRECEDENTS, without_goal=str(plan.goal_id))
    if not found:
        return []
    named = [row.workflow_id for row, _ in found]
    ids = [int(one) for one in named if one.isascii() and one.isdigit() and len(one) < 19]
    plans = {str(each.pk): each for each in plans_visible_to(user).filter(pk__in=ids)}
    verdicts = Decision.objects.filter(intent_plan__in=plans.values()).select_related("by").order_by("pk")
    last = {each.intent_plan_id: each for each in verdicts}
    return [_precedent(row, near, plans.get(row.workflow_id), last, document) for row, near in found]


def _precedent(
    row: Experience, near: float | None, plan: IntentPlan | None, last: Mapping[int, Decision], this: Document | None
) -> Precedent:
    nearness = None if near is None else round(100 * max(near, 0.0))
    earlier = readable(bytes(plan.document)) if plan is not None else None
    # A row of memory is named by text: what it leads to must be the plan of its own goal.
    if plan is None or earlier is None or str(plan.goal_id) != row.goal_ref:
        return Precedent(row, nearness)
    unlike = likeness.unlike(earlier, this) if this is not None else ""
    return Precedent(row, nearness, plan, last.get(plan.pk), unlike)


def receipts(plan: IntentPlan) -> list[Receipt]:
    """The decisions on this plan, each with what it covered and whether the stored bytes still are that."""
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
    fits = row.digest == now
    if approval is not None:
        fits = fits and seal.is_genuine(grant_of(approval), approval.mac, settings.APPROVAL_KEY)
    covers = envelope.in_words(approval.envelope) if approval is not None else ""
    return Receipt(row, approval, covers, now, fits)


def readable(data: bytes) -> Document | None:
    """The document of these bytes; None when this version cannot read it."""
    try:
        return documents.read(data)
    except ValueError:
        return None
