"""The queue: what waits for a person, in an order with a reason for each place.

Danger first (`review.reading.danger`), then risk (high, unknown, medium, low; what failed in its dry run is high), then
time limits about to run out, the goal's priority, and waiting time. All of it is in columns of `QueueEntry` with one
index, so a page costs the same with fifty waiting plans as with a hundred thousand.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import CharField, DateTimeField, Exists, F, Func, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Now
from django.db.models.lookups import GreaterThan, LessThan

from agents.bdi.plans import document as documents
from agents.models import Agent, Goal, Intent, IntentPlan, Workspace
from agents.record import authors
from agents.record.authors import Authors
from agents.record.selectors import goals_visible_to, sees_everything
from agents.states import GoalState, IntentState, PlanState
from agents.toolkit.registry import tools_in_use
from people.models import User
from review import rights
from review.models import Decision, HeldDecision, PlanRisk, QueueEntry
from review.reading import filters, summary
from review.reading.danger import Told
from review.reading.filters import Filters
from review.reading.summary import Gist
from review.risk.assessment import Level
from review.talk import threads

PAGE = 25
MOST_HELP = 20
# A few goals that need a person are shown below the plans; the list of goals has all.
MOST_HANDS = 5
# By the column: ordering by the relation would use the default order of plans, newest first.
ORDER = ("rung", "queued_at", "intent_plan_id")
_LARGEST_ID = 2**63


@dataclass(frozen=True)
class Waiting:
    """A plan in the queue. `gist` is None if its bytes cannot be read; `refusal` says why the person may not decide."""

    entry: QueueEntry
    gist: Gist | None
    refusal: str

    @property
    def plan(self) -> IntentPlan:
        """The plan itself."""
        return self.entry.intent_plan

    @property
    def reason(self) -> str:
        """Why it stands where it stands, beside its danger, its risk and how long it waits."""
        return reason(self.entry)

    @property
    def told(self) -> Told:
        """Its danger sentence."""
        return told(self.entry)


@dataclass(frozen=True)
class Cursor:
    """A place in the queue's order, in the form for addresses."""

    rung: int
    queued_at: datetime
    pk: int

    def __str__(self) -> str:
        return f"{self.rung}~{self.queued_at.isoformat()}~{self.pk}"

    @classmethod
    def read(cls, text: str) -> Cursor | None:
        """The cursor in an address; None for an invalid one, which means the start."""
        try:
            rung, queued_at, pk = text.split("~")
            cursor = cls(int(rung), datetime.fromisoformat(queued_at), int(pk))
        except (ValueError, OverflowError):
            return None
        inside = 0 <= cursor.rung < 1000 and 0 <= cursor.pk < _LARGEST_ID
        return cursor if inside and cursor.queued_at.tzinfo is not None else None

    @classmethod
    def of(cls, entry: QueueEntry) -> Cursor:
        """The place of a plan."""
        return cls(entry.rung, entry.queued_at, entry.pk)


class _Row(Func):
    """Compared as a row: written as `a > x OR (a = x AND …)`, no index finds the start."""

    template = "(%(expressions)s)"
    output_field = CharField()


def waiting_for(user: User, only: Filters | None = None) -> QuerySet[QueueEntry]:
    """The places of the plans that await review and that this person may see, in the queue's order."""
    entries = QueueEntry.objects.filter(waits=True).order_by(*ORDER)
    if not sees_everything(user):
        entries = entries.filter(submitted_by=user)
    return entries.filter(_holds(only, user)) if only else entries


def _holds(only: Filters, user: User) -> Q:
    """The condition of a filter. Names are looked up in the same query, so an unknown one finds nothing."""
    which = Q()
    for word in only.words.split():
        which &= Q(intent_plan__goal__text__icontains=word)
    if only.risk:
        which &= Q(rank=Level(only.risk).rank)
    if only.agent:
        which &= Q(agent__in=Agent.objects.filter(name=only.agent))
    if only.by:
        which &= Q(submitted_by__in=_called(only.by, user))
    if only.workspace:
        which &= Q(workspace__in=Workspace.objects.filter(name=only.workspace))
    if only.does:
        which &= Q(does__overlap=commands_called(only.does))
    if only.longer:
        which &= Q(queued_at__lte=Now() - timedelta(minutes=int(only.longer)))
    if only.assigned == filters.NOBODY:
        which &= Q(assigned_to=None)
    elif only.assigned:
        which &= Q(assigned_to__in=_called(only.assigned, user))
    return which


def _called(name: str, user: User) -> QuerySet[User]:
    return User.objects.filter(pk=user.pk) if name == filters.ME else User.objects.filter(username=name)


def commands_called(text: str) -> list[str]:
    """Every "tool.command" for the name of a tool, a command, or both."""
    named = ((command.tool, command.name, f"{command.tool}.{command.name}") for command in tools_in_use().commands)
    return [names[-1] for names in named if text in names]


def beyond(entries: QuerySet[QueueEntry], cursor: Cursor, *, before: bool = False) -> QuerySet[QueueEntry]:
    """What comes after a place in the order, or before it."""
    here = _Row(F("rung"), F("queued_at"), F("intent_plan"))
    there = _Row(Value(cursor.rung), Value(cursor.queued_at, DateTimeField()), Value(cursor.pk))
    return entries.filter(LessThan(here, there) if before else GreaterThan(here, there))


def page(
    user: User, after: Cursor | None, limit: int = PAGE, only: Filters | None = None
) -> tuple[list[Waiting], Cursor | None]:
    """One page of the queue and the cursor of the next one (None at the end)."""
    entries = waiting_for(user, only)
    rows = list(with_plans(beyond(entries, after) if after else entries)[: limit + 1])
    shown = rows[:limit]
    known = rights.known_of({entry.intent_plan.goal_id for entry in shown})
    return [waiting(user, entry, known) for entry in shown], Cursor.of(shown[-1]) if len(rows) > limit else None


def with_plans(entries: QuerySet[QueueEntry]) -> QuerySet[QueueEntry]:
    """The same with everything that a row shows, in one query, and a second one if any of them is assigned.

    A join with the assigned person would take the database longer to plan than to read.
    """
    shown = entries.annotate(questions=threads.open_questions("intent_plan__goal_id"))
    rows = ("intent_plan__goal__submitted_by", "intent_plan__workspace", "intent_plan__clock", "intent_plan__risk")
    return shown.select_related(*rows).prefetch_related("assigned_to")


def decidable(user: User, only: Filters | None = None) -> QuerySet[QueueEntry]:
    """The places of the waiting plans that this person may decide, in the queue's order.

    Plans that they approved as the first of two wait for somebody else: listed, but not next for them.
    """
    if not rights.is_reviewer(user):
        return QueueEntry.objects.none()
    entries = waiting_for(user, only).alias(said=last_word(user)).exclude(said=Decision.Verdict.FIRST_APPROVAL)
    if not settings.FOUR_EYES:
        return entries
    return entries.exclude(submitted_by=user).exclude(authors.wrote(user, "intent_plan__goal_id"))


def last_word(user: User, digest: str = "intent_plan__digest") -> Coalesce:
    """For a plan that needs two people, this person's latest word: a first approval, its withdrawal, or "".

    `digest`: the expression for the plan's digest in the outer query.
    """
    verdicts = (Decision.Verdict.FIRST_APPROVAL, Decision.Verdict.WITHDRAW)
    said = Decision.objects.filter(intent_plan=OuterRef("pk"), by=user, verdict__in=verdicts)
    newest = said.filter(digest=OuterRef(digest)).order_by("-pk").values("verdict")[:1]
    return Coalesce(Subquery(newest), Value(""))


def place_of(user: User, plan: IntentPlan) -> Cursor | None:
    """The place of a plan; None if it no longer waits, or this person may not see it."""
    entry = waiting_for(user).filter(pk=plan.pk).first()
    return Cursor.of(entry) if entry is not None else None


def around(user: User, plan: IntentPlan, only: Filters | None = None) -> tuple[int | None, int | None]:
    """Ids of the waiting plans before and after this one, for going through the queue.

    `only` filters the plans; this one itself need not match.
    """
    cursor = place_of(user, plan)
    if cursor is None:
        return None, decidable(user, only).values_list("pk", flat=True).first()
    entries = waiting_for(user, only)
    following = beyond(entries, cursor).values_list("pk", flat=True).first()
    previous = beyond(entries, cursor, before=True).values_list("pk", flat=True).last()
    return previous, following


def next_for(user: User, after: Cursor | None, only: Filters | None = None) -> IntentPlan | None:
    """The plan to decide next: the one after this place, else the first of the queue; filtered by `only`."""
    # A plan that the person has just decided still waits until it can no longer be undone.
    entries = decidable(user, only).exclude(
        Exists(HeldDecision.objects.filter(intent_plan=OuterRef("pk"), by=user, dropped=""))
    )
    entry = (beyond(entries, after).first() if after else None) or entries.first()
    return entry.intent_plan if entry is not None else None


def steps_to_judge(user: User) -> QuerySet[Intent]:
    """Steps for which it is unknown whether they took effect."""
    steps = Intent.objects.filter(state=IntentState.OUTCOME_UNKNOWN.value, intent_plan__state=PlanState.EXECUTING.value)
    return steps if sees_everything(user) else steps.filter(intent_plan__goal__submitted_by=user)


def goals_for_a_hand(user: User) -> QuerySet[Goal]:
    """Goals that wait for a plan or a hand."""
    return goals_visible_to(user).filter(state=GoalState.MANUAL.value)


def needing_help(user: User) -> tuple[list[Intent], list[Goal], bool]:
    """Steps with unknown outcome, the first few goals that need a plan or a person, and whether there are more."""
    unknown = list(
        steps_to_judge(user).select_related("intent_plan__goal__submitted_by", "intent_plan__workspace")[:MOST_HELP]
    )
    asked = {intent.intent_plan.goal_id for intent in unknown}
    manual = goals_for_a_hand(user).exclude(pk__in=asked)
    found = list(manual.order_by("priority", "pk")[: MOST_HANDS + 1])
    return unknown, found[:MOST_HANDS], len(found) > MOST_HANDS


def reason(entry: QueueEntry) -> str:
    """Why a plan stands where it stands, beside its danger, its risk and how long it waits.

    A high risk never stands without its reason: where the danger sentence is not that, it is said here.
    """
    risk = _risk_of(entry)
    is_due = risk is not None and risk.level == Level.HIGH and not entry.is_grave
    why = risk.reasons[0] if is_due and risk is not None and risk.reasons else ""
    rest = "its time runs out" if entry.is_urgent else f"priority {entry.priority}"
    return ", ".join(part for part in (why, rest) if part)


def told(entry: QueueEntry) -> Told:
    """The danger sentence of a plan; where none has been worked out, that nothing is known yet."""
    return (_risk_of(entry) or PlanRisk()).told


def _risk_of(entry: QueueEntry) -> PlanRisk | None:
    return getattr(entry.intent_plan, "risk", None)


def waiting(user: User, entry: QueueEntry, known: Authors | None = None) -> Waiting:
    """A row of the queue for one person; `known` as for `rights.why_not`."""
    try:
        line = summary.gist(documents.read(bytes(entry.intent_plan.document)))
    except ValueError:
        line = None
    return Waiting(entry, line, rights.why_not(user, entry.intent_plan, known))
