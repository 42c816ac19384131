"""The queue: what waits for a person, in an order whose reason can be said.

Today: what removes files or puts other content over them first, then the goal's priority, then who waits longest.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Case, Exists, IntegerField, OuterRef, Q, QuerySet, Value, When

from agents.bdi import document as documents
from agents.models import Goal, Intent, IntentPlan
from agents.selectors import goals_visible_to, plans_visible_to
from agents.states import GoalState, IntentState, PlanState
from agents.toolkit.registry import REGISTRY
from people.models import User
from review import rights, talk
from review.models import HeldDecision
from review.reading import gist
from review.reading.gist import Gist

PAGE = 50
MOST_HELP = 20
COUNTED_UP_TO = 99


@dataclass(frozen=True)
class Waiting:
    """A plan in the queue. `gist` is None when its bytes cannot be read; `refusal` says why one may not decide."""

    plan: IntentPlan
    gist: Gist | None
    reason: str
    refusal: str


@dataclass(frozen=True)
class Cursor:
    """A place in the queue's order, as it stands in an address."""

    danger: int
    priority: int
    queued_at: datetime
    pk: int

    def __str__(self) -> str:
        return f"{self.danger}~{self.priority}~{self.queued_at.isoformat()}~{self.pk}"

    @classmethod
    def read(cls, text: str) -> Cursor | None:
        """The cursor in an address; None for anything else, which means the start."""
        try:
            danger, priority, queued_at, pk = text.split("~")
            cursor = cls(int(danger), int(priority), datetime.fromisoformat(queued_at), int(pk))
        except (ValueError, OverflowError):
            return None
        inside = all(0 <= number < 2**63 for number in (cursor.danger, cursor.priority, cursor.pk))
        return cursor if inside and cursor.queued_at.tzinfo is not None else None

    @classmethod
    def of(cls, plan: IntentPlan) -> Cursor:
        """Where an annotated plan stands."""
        return cls(plan.danger, plan.goal.priority, plan.queued_at, plan.pk)  # type: ignore[attr-defined]


def waiting_for(user: User) -> QuerySet[IntentPlan]:
    """The plans that await review and that this person may see, in the queue's order."""
    which = Q()
    for tool, command in gist.removing(REGISTRY):
        which |= Q(tool=tool, command=command)
    removes = Exists(Intent.objects.filter(which, intent_plan=OuterRef("pk"), phase=Intent.Phase.MAIN))
    danger = Case(When(removes | ~Q(replaces=[]), then=Value(0)), default=Value(1), output_field=IntegerField())
    plans = plans_visible_to(user).select_related("risk", "clock").filter(state=PlanState.AWAITING_REVIEW)
    return plans.annotate(danger=danger).order_by("danger", "goal__priority", "queued_at", "pk")


def beyond(plans: QuerySet[IntentPlan], cursor: Cursor) -> QuerySet[IntentPlan]:
    """What comes after a place in the order."""
    at, priority, queued_at, pk = cursor.danger, cursor.priority, cursor.queued_at, cursor.pk
    later = Q(queued_at__gt=queued_at) | Q(queued_at=queued_at, pk__gt=pk)
    return plans.filter(
        Q(danger__gt=at) | Q(danger=at, goal__priority__gt=priority) | Q(later, danger=at, goal__priority=priority)
    )


def page(user: User, after: Cursor | None, limit: int = PAGE) -> tuple[list[Waiting], Cursor | None]:
    """One page of the queue and the cursor of the next one (None at the end)."""
    plans = waiting_for(user).annotate(questions=talk.open_questions("goal_id"))
    rows = list((beyond(plans, after) if after else plans)[: limit + 1])
    shown = rows[:limit]
    return [_row(user, plan) for plan in shown], Cursor.of(shown[-1]) if len(rows) > limit else None


def decidable(user: User) -> QuerySet[IntentPlan]:
    """The waiting plans that this person may decide, in the queue's order."""
    if not rights.is_reviewer(user):
        return IntentPlan.objects.none()
    plans = waiting_for(user)
    return plans.exclude(goal__submitted_by=user) if settings.FOUR_EYES else plans


def count(user: User) -> str:
    """How many plans wait for this person's decision, in words: "7", "99+", "" for none."""
    number = decidable(user)[: COUNTED_UP_TO + 1].count()
    return f"{COUNTED_UP_TO}+" if number > COUNTED_UP_TO else str(number or "")


def around(user: User, plan: IntentPlan) -> tuple[int | None, int | None]:
    """Ids of the waiting plans before and after this one in the order, for going through the queue."""
    at = waiting_for(user).filter(pk=plan.pk).first()
    if at is None:
        return None, decidable(user).values_list("pk", flat=True).first()
    cursor = Cursor.of(at)
    following = beyond(waiting_for(user), cursor).values_list("pk", flat=True).first()
    earlier = Q(queued_at__lt=cursor.queued_at) | Q(queued_at=cursor.queued_at, pk__lt=cursor.pk)
    before = Q(danger__lt=cursor.danger) | Q(danger=cursor.danger, goal__priority__lt=cursor.priority)
    before |= Q(earlier, danger=cursor.danger, goal__priority=cursor.priority)
    previous = waiting_for(user).filter(before).values_list("pk", flat=True).last()
    return previous, following


def next_for(user: User, after: Cursor | None) -> IntentPlan | None:
    """The plan to decide next: the one after this place, else the first of the queue."""
    # What the person has just decided still waits, until it can no longer be taken back.
    plans = decidable(user).exclude(
        Exists(HeldDecision.objects.filter(intent_plan=OuterRef("pk"), by=user, dropped=""))
    )
    return (beyond(plans, after).first() if after else None) or plans.first()


def needing_help(user: User) -> tuple[list[Intent], list[Goal]]:
    """Steps whose outcome nobody knows, and goals that wait for a plan or a hand; at most twenty of each."""
    unknown = list(
        Intent.objects.filter(
            state=IntentState.OUTCOME_UNKNOWN.value,
            intent_plan__state=PlanState.EXECUTING.value,
            intent_plan__in=plans_visible_to(user),
        ).select_related("intent_plan__goal__submitted_by", "intent_plan__workspace")[:MOST_HELP]
    )
    asked = {intent.intent_plan.goal_id for intent in unknown}
    manual = goals_visible_to(user).filter(state=GoalState.MANUAL.value).exclude(pk__in=asked)
    return unknown, list(manual.order_by("priority", "pk")[:MOST_HELP])


def _row(user: User, plan: IntentPlan) -> Waiting:
    try:
        line = gist.gist(documents.read(bytes(plan.document)), REGISTRY)
    except ValueError:
        line = None
    return Waiting(plan, line, _reason(plan, line), rights.why_not(user, plan))


def _reason(plan: IntentPlan, line: Gist | None) -> str:
    if plan.danger == 0:  # type: ignore[attr-defined]
        return "it overwrites" if line and not line.removes else "it deletes"
    return f"priority {plan.goal.priority}"
