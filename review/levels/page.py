"""Designs and choices of rules as reviewers see them: a list of those that wait, and one in full."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from django.db.models import QuerySet

from agents.bdi.planning import levels
from agents.bdi.planning.levels import Selection
from agents.bdi.plans.document import digest_of
from agents.models import IntentPlan, LevelDocument
from agents.pages.library import design_page
from agents.presentation.flow_graph import Graph
from agents.record import authors
from agents.record.selectors import goals_visible_to
from agents.states import LevelState
from people import sealing
from people.journal import Event
from people.models import User
from review import rights
from review.audit import decided
from review.audit.decided import Decided
from review.reading import difference
from review.reading.difference import Difference

MOST_WAITING = 50
LATEST = 10
_WAITS = LevelState.AWAITING_REVIEW.value
_COMES_TO = {"approve": LevelState.APPROVED, "reject": LevelState.REJECTED, "request_changes": LevelState.SENT_BACK}
_FORGED = "Nobody decided this in mindX: its state was written into the database from outside."


@dataclass(frozen=True)
class LevelRow:
    """A waiting one in a list; `refusal` says why this person may not decide it."""

    document: LevelDocument
    refusal: str


@dataclass(frozen=True)
class LevelView:
    """A design or a choice of rules in full, read from the stored bytes. Both are None when these cannot be read."""

    document: LevelDocument
    design: str | None
    selection: Selection | None
    digest_now: str
    refusal: str
    versions: list[LevelDocument]
    decision: Decided | None

    @property
    def is_broken(self) -> bool:
        """True if the stored bytes are not those that were put to review: then it cannot be decided."""
        return self.digest_now != self.document.digest or (self.design is None and self.selection is None)

    @property
    def may_decide(self) -> bool:
        """True when this person may decide it now."""
        return self.document.state == _WAITS and not self.is_broken and not self.refusal

    @property
    def is_design(self) -> bool:
        """A design; otherwise a choice of rules."""
        return self.document.kind == LevelDocument.Kind.DESIGN

    @property
    def statements(self) -> tuple[str, ...]:
        """What the agent would hold true once the design is approved."""
        return levels.statements(self.design or "")

    @property
    def graph(self) -> Graph | None:
        """The picture of a design that names components; None of any other."""
        return design_page.of_text(self.design) if self.design else None

    @property
    def asks(self) -> tuple[str, ...]:
        """The values that the design still lacks: until then it cannot be approved."""
        return design_page.asks(self.design) if self.design else ()

    @property
    def earlier(self) -> LevelDocument | None:
        """The version before this one, to compare with."""
        return next((one for one in reversed(self.versions) if one.number < self.document.number), None)


def visible_to(user: User) -> QuerySet[LevelDocument]:
    """Those of the goals that this person may see."""
    found = LevelDocument.objects.filter(goal__in=goals_visible_to(user))
    return found.select_related("goal__submitted_by", "goal__agent", "by", "decided_by")


def waiting(user: User) -> list[LevelRow]:
    """What waits for a decision, longest first."""
    found = visible_to(user).filter(state=_WAITS).defer("document").order_by("pk")[:MOST_WAITING]
    known = rights.known_of({one.goal_id for one in found})
    return [LevelRow(one, rights.why_not_level(user, one, known)) for one in found]


def latest(user: User) -> list[LevelDocument]:
    """The latest decisions, newest first."""
    ended = visible_to(user).filter(decided_at__isnull=False).defer("document")
    return [row for row, _ in told(ended.order_by("-pk")[:LATEST])]


def decidable(user: User) -> QuerySet[LevelDocument]:
    """What waits for this person's decision; the same as `rights.why_not_level` says of each."""
    if not rights.is_reviewer(user):
        return LevelDocument.objects.none()
    found = LevelDocument.objects.filter(state=_WAITS, goal__in=goals_visible_to(user))
    if settings.FOUR_EYES:
        found = found.exclude(goal__submitted_by=user).exclude(authors.wrote(user, "goal_id"))
    return found


def told(documents: Iterable[LevelDocument]) -> list[tuple[LevelDocument, Decided | None]]:
    """Each with the decision on it, as people and programs are told of it: one that nobody made is none."""
    rows = list(documents)
    settled = {f"goal:{row.goal_id}" for row in rows if row.state in _COMES_TO.values()}
    made = decided.of(Event.LEVEL, settled) if settled else {}
    return [(row, _decision(row, made.get(f"goal:{row.goal_id}", ()))) for row in rows]


def _decision(row: LevelDocument, made: Iterable[Decided]) -> Decided | None:
    if row.state not in _COMES_TO.values():
        return None
    for one in made:
        claimed = (one.data.get("document"), one.digest, one.by.pk, _COMES_TO.get(one.verdict))
        if claimed == (row.pk, row.digest, row.decided_by_id, row.state):
            return one
    row.state, row.reason, row.decided_by, row.decided_at = LevelState.CANCELLED.value, _FORGED, None, None
    return None


def level_view(document: LevelDocument, user: User) -> LevelView:
    """Read one for one person."""
    [(document, decision)] = told([document])
    data = bytes(document.document)
    versions = LevelDocument.objects.filter(goal_id=document.goal_id, kind=document.kind).defer("document")
    return LevelView(
        document=document,
        design=design_of(document),
        selection=selection_of(document),
        digest_now=digest_of(data),
        refusal=rights.why_not_level(user, document),
        versions=list(versions.order_by("number")),
        decision=decision,
    )


def design_of(document: LevelDocument) -> str | None:
    """The text of a design; None for a choice, and for bytes that are no design."""
    try:
        return levels.read_design(bytes(document.document))
    except ValueError:
        return None


def selection_of(document: LevelDocument) -> Selection | None:
    """The choice of rules; None for a design, and for bytes that are no choice."""
    try:
        return levels.read_selection(bytes(document.document))
    except ValueError:
        return None


def compared(document: LevelDocument, other: LevelDocument) -> Difference | None:
    """What changed from another version of the design to this one; None when one of them cannot be read."""
    before, after = design_of(other), design_of(document)
    return None if before is None or after is None else difference.between(before, after)


@dataclass(frozen=True)
class BehindPlan:
    """What was reviewed before the plan was made, for the plan's page."""

    design: LevelDocument | None
    selection: LevelDocument | None

    @property
    def all(self) -> list[LevelDocument]:
        """Both, if there are any."""
        return [one for one in (self.design, self.selection) if one is not None]


def behind(plan: IntentPlan) -> BehindPlan:
    """The design of the plan's goal, and the choice of rules with which the plan was made."""
    used = (plan.plan.evidence or {}).get("selection") or {}
    settled = [LevelState.APPROVED.value, LevelState.UNREVIEWED.value]
    found = LevelDocument.objects.filter(goal_id=plan.goal_id, state__in=settled).select_related("decided_by")
    rows = [one for one in found.defer("document").order_by("-pk") if sealing.is_genuine(one)]
    design = next((one for one in rows if one.kind == LevelDocument.Kind.DESIGN), None)
    return BehindPlan(design, next((one for one in rows if one.pk == used.get("id")), None))
