"""Groups of waiting plans with the same steps and the same results of their dry runs, and how their members differ.

Plans of a batch must also do the same: if one of them failed in its dry run, or deleted something that the others
kept, it is in another group. Plans that failed or were not tried are shown like the others, but decided alone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Min

from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document
from agents.models import IntentPlan
from people.models import User
from review.deciding import shown
from review.models import Decision, HeldDecision, QueueEntry
from review.queue import listing as queue
from review.queue.listing import Cursor, Waiting
from review.reading import frames, members, outcomes, outliers, overlaps, summary
from review.reading.danger import Told
from review.reading.filters import Filters
from review.reading.members import Column, Fact, SharedStep
from review.reading.outcomes import Outcome, Seen
from review.reading.outliers import Traits
from review.reading.overlaps import Meeting
from review.reading.summary import Gist

GROUPS = 50
MEMBERS = 20
MOST_COLUMNS = 3
# How many of the least dangerous plans of the shape define what is usual, besides those on the page.
COMPARED = 40


@dataclass(frozen=True)
class Group:
    """Plans of one group. `plan`, its `gist` and what is `told` of it are those of the most dangerous."""

    shape: str
    trial: str
    outcome: Outcome
    members: int
    level: str
    reason: str
    since: datetime
    gist: Gist | None
    plan: IntentPlan
    told: Told


@dataclass(frozen=True)
class Member:
    """One plan of a group. `seal` goes into the form that decides it; "" if it may not be decided there.

    `apart` says how it stands out. It then has no seal until its difference was opened (`is_open`).
    """

    row: Waiting
    # Its value in each column of the table.
    cells: tuple[tuple[Column, Fact | None], ...]
    seen: Seen
    apart: tuple[str, ...]
    is_open: bool
    seal: str
    held: HeldDecision | None
    is_broken: bool
    # This person approved it as the first of two, so another person has to approve it.
    is_first: bool
    # False if its dry run failed or is missing: then it is decided on its own page.
    in_batch: bool

    @property
    def plan(self) -> IntentPlan:
        """The plan itself."""
        return self.row.plan

    @property
    def is_alone(self) -> bool:
        """Whether a person selects it by itself, never with all that are alike: it stands out, or is dangerous."""
        return bool(self.apart) or self.row.entry.is_grave

    @property
    def may_be_decided(self) -> bool:
        """Whether this person may decide it here, now or after opening its difference."""
        if not self.in_batch:
            return False
        return bool(self.seal) or not (self.is_open or self.is_broken or self.row.refusal or self.held)


@dataclass(frozen=True)
class Sibling:
    """Another group of the same shape with other results of its dry runs."""

    trial: str
    outcome: Outcome
    members: int


@dataclass(frozen=True)
class GroupPage:
    """One page of a group: its steps with what these members share, and the members, those that stand out first."""

    shape: str
    trial: str
    outcome: Outcome
    count: int
    siblings: tuple[Sibling, ...]
    columns: tuple[Column, ...]
    shared: tuple[Fact, ...]
    steps: tuple[SharedStep, ...]
    # Whether steps contain a value of the table in another one.
    has_frames: bool
    members: tuple[Member, ...]
    following: Cursor | None
    # Those of the members that meet in files.
    meetings: tuple[Meeting, ...]

    @property
    def is_wide(self) -> bool:
        """Whether they differ in more than fits into columns, so that one cell has all of it."""
        return len(self.columns) > MOST_COLUMNS

    @property
    def may_be_decided(self) -> bool:
        """Whether anything on this page can be decided."""
        return any(member.may_be_decided for member in self.members)

    @property
    def alike(self) -> int:
        """How many can be selected together."""
        return sum(bool(member.seal) and not member.is_alone for member in self.members)

    @property
    def standing_out(self) -> int:
        """How many of them stand out."""
        return sum(bool(member.apart) for member in self.members)

    @property
    def grave(self) -> int:
        """How many delete, overwrite, send, or run what came from outside."""
        return sum(member.row.entry.is_grave for member in self.members)


@dataclass(frozen=True)
class _Read:
    """A member, read once: its document, and the parts that are compared."""

    entry: QueueEntry
    document: Document
    traits: Traits


def listing(user: User, only: Filters | None = None) -> list[Group]:
    """The groups of waiting plans, the one with the most urgent plan first; at most fifty."""
    found = list(
        queue.waiting_for(user, only)
        .exclude(shape="")
        .order_by()
        .values("shape", "trial", "outcome")
        .annotate(members=Count("pk"), first=Min("rung"), since=Min("queued_at"))
        .order_by("first", "since", "shape", "trial")[:GROUPS]
    )
    worst = queue.with_plans(queue.waiting_for(user, only).filter(shape__in=[one["shape"] for one in found]))
    first = {
        (one.shape, one.trial): one for one in worst.order_by("shape", "trial", *queue.ORDER).distinct("shape", "trial")
    }
    # One that was decided between the two questions is in no list any more.
    return [_group(one, place) for one in found if (place := first.get((one["shape"], one["trial"])))]


def _group(one: Mapping[str, Any], place: QueueEntry) -> Group:
    plan, outcome = place.intent_plan, Outcome(one["outcome"])
    try:
        line = summary.gist(documents.read(bytes(plan.document)))
    except ValueError:
        line = None
    reason, told = queue.reason(place), queue.told(place)
    return Group(
        one["shape"], one["trial"], outcome, one["members"], place.level, reason, one["since"], line, plan, told
    )


def page(
    user: User,
    shape: str,
    trial: str,
    *,
    only: Filters | None = None,
    after: Cursor | None = None,
    opened: Collection[int] = (),
    limit: int = MEMBERS,
) -> GroupPage | None:
    """One page of a group for one person; None if no plan of it waits that they may see."""
    entries = queue.waiting_for(user, only).filter(shape=shape, trial=trial)
    shown_here = queue.with_plans(queue.beyond(entries, after) if after else entries)
    rows = list(shown_here.annotate(last_word=queue.last_word(user))[: limit + 1])
    read = [one for one in map(_read, rows[:limit]) if one is not None]
    if not read:
        return None
    everyone = [*read, *_compared_with(user, shape, trial, read)]
    facts = [one.traits.facts for one in read]
    same = members.shared(facts)
    columns, framed = frames.framed(facts, members.columns(facts, same))
    held = {row.intent_plan_id: row for row in _held([one.entry.pk for one in read])}
    first = {row.pk for row in rows if getattr(row, "last_word", None) == Decision.Verdict.FIRST_APPROVAL}
    found = [
        _member(user, one, everyone, columns, opened, held.get(one.entry.pk), is_first=one.entry.pk in first)
        for one in read
    ]
    groups = _of_shape(user, shape, only)
    return GroupPage(
        shape=shape,
        trial=trial,
        outcome=Outcome(read[0].entry.outcome),
        count=sum(one.members for one in groups if one.trial == trial),
        siblings=tuple(one for one in groups if one.trial != trial),
        columns=columns,
        shared=tuple(fact for key, fact in same.items() if key.position == members.WHOLE and fact.text),
        steps=members.steps(read[0].document, same | framed),
        has_frames=bool(framed),
        members=tuple(sorted(found, key=lambda member: not member.apart)),
        following=Cursor.of(rows[limit - 1]) if len(rows) > limit else None,
        meetings=tuple(overlaps.meetings(overlaps.works_of([one.plan for one in found if one.in_batch]))),
    )


def _compared_with(user: User, shape: str, trial: str, read: Sequence[_Read]) -> list[_Read]:
    """Other plans of the group, to find what is usual in it."""
    others = queue.waiting_for(user).filter(shape=shape, trial=trial).exclude(pk__in=[one.entry.pk for one in read])
    rows = others.select_related("intent_plan__risk").reverse()[:COMPARED]
    return [one for one in map(_read, rows) if one is not None]


def _of_shape(user: User, shape: str, only: Filters | None) -> list[Sibling]:
    """All groups of a shape, the one with the most urgent plan first."""
    entries = queue.waiting_for(user, only).filter(shape=shape).order_by()
    rows = entries.values("trial", "outcome").annotate(members=Count("pk"), first=Min("rung"))
    found = rows.order_by("first", "trial")[:GROUPS]
    return [Sibling(one["trial"], Outcome(one["outcome"]), one["members"]) for one in found]


def _held(plans: Sequence[int]) -> list[HeldDecision]:
    return list(HeldDecision.objects.filter(intent_plan__in=plans, dropped="").select_related("by"))


def _read(entry: QueueEntry) -> _Read | None:
    try:
        document = documents.read(bytes(entry.intent_plan.document))
    except ValueError:
        return None
    specs = [spec for step in document.all_intents for spec in (step, *step.alternatives)]
    hosts = frozenset(host for spec in specs for host in spec.hosts)
    traits = Traits(members.facts_of(document), hosts, entry.rank, entry.danger, queue.told(entry).sentence)
    return _Read(entry, document, traits)


def _member(
    user: User,
    one: _Read,
    everyone: Sequence[_Read],
    columns: Sequence[Column],
    opened: Collection[int],
    held: HeldDecision | None,
    *,
    is_first: bool,
) -> Member:
    row = queue.waiting(user, one.entry)
    reasons = outliers.apart(one.traits, [other.traits for other in everyone if other.entry.pk != one.entry.pk])
    digest = documents.digest_of(one.entry.intent_plan.document)
    is_broken = digest != one.entry.intent_plan.digest
    risk = getattr(one.entry.intent_plan, "risk", None)
    run_id = risk.shadow_run_id if risk is not None else None
    in_batch = bool(one.entry.group) and run_id is not None
    # What nobody can select need not be opened first. A danger is looked at in each plan that has it.
    is_open = not (reasons or one.entry.is_grave) or one.entry.pk in opened or not in_batch
    may = in_batch and is_open and not row.refusal and held is None and not is_broken
    return Member(
        row=row,
        cells=tuple((column, members.cell(one.traits.facts, column)) for column in columns),
        seen=outcomes.seen(risk.trial if risk is not None else None),
        apart=reasons,
        is_open=is_open,
        seal=shown.seal(one.entry, digest, user, run_id) if may and run_id is not None else "",
        held=held,
        is_broken=is_broken,
        is_first=is_first,
        in_batch=in_batch,
    )
