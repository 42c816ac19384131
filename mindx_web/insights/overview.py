"""Reading what the frame and the overview show, each with the rights of the person who asks."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import (
    BooleanField,
    Case,
    Count,
    Exists,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import TruncDate
from django.utils import timezone

from agents.bdi.outcome.outcome import MISSED, Outcome
from agents.goals import examples
from agents.models import Goal, Intent, IntentPlan, LevelDocument, RecoveryAttempt
from agents.pages.files import files_held
from agents.record import worked
from agents.record.selectors import approved, begun, goals_visible_to, paused, plans_visible_to
from agents.states import GoalState, IntentState, PlanState
from mindx_web.presentation.chart import Chart, Day, chart
from people.models import User
from people.roles import Role
from review.inbox import requests
from review.levels import page
from review.models import Decision, InboxRequest
from review.queue import listing

DAYS = 14
SHOWN = 5
# The median of more decisions than this would not be another one.
DECISIONS_LOOKED_AT = 500
_YES, _NO = Value(True), Value(False)
_HAS_FAILED = Case(
    When(Q(state=GoalState.ACHIEVED.value) & ~Q(outcome__in=sorted(MISSED)), then=_NO),
    default=_YES,
    output_field=BooleanField(),
)
_AT_WORK = (GoalState.PENDING, GoalState.PLANNING, GoalState.EXECUTING, GoalState.RECOVERING)


def plans_to_decide(user: User) -> list[listing.Waiting]:
    """The first plans that this person may decide, in the order and with the words of the queue."""
    return [listing.waiting(user, entry) for entry in listing.with_plans(listing.decidable(user))[:SHOWN]]


def levels_to_decide(user: User) -> list[LevelDocument]:
    """The designs and choices of rules that wait longest for this person."""
    found = page.decidable(user).select_related("goal__submitted_by").defer("document")
    return list(found.order_by("pk")[:SHOWN])


def requests_to_decide(user: User) -> list[InboxRequest]:
    """The requests of the inbox that this person may decide, the next to expire first."""
    return list(requests.decidable(user).select_related("by").order_by("expires_at")[:SHOWN])


@dataclass(frozen=True)
class Goals:
    """The goals of the overview. `by_hand` need this person's plan or word, and `unknown` marks those where a step's
    outcome is not known; an agent or a worker is busy with those `at_work`, at `position` of `steps` when a plan runs;
    an `approved` one waits for a worker only.

    `given` is what this person wrote in their newest goals.
    """

    by_hand: Sequence[Goal]
    at_work: Sequence[Goal]
    just_ended: Sequence[Goal]
    given: Sequence[str]

    @property
    def any(self) -> bool:
        """Whether there is one."""
        return bool(self.by_hand or self.at_work or self.just_ended or self.given)

    @property
    def needs_hands(self) -> str:
        """How many goals need a person, as the beginning of a sentence; no more are counted than are shown."""
        number = len(self.by_hand)
        if number == 1:
            return "A goal needs"
        return f"{number}{' or more' if number == SHOWN else ''} goals need"


def goals_shown(user: User) -> Goals:
    """A few goals of each kind, in one question: each kind finds its own by an index."""
    visible = goals_visible_to(user)
    by_hand, own = visible.filter(state=GoalState.MANUAL), visible.filter(submitted_by=user)
    kinds = (
        (by_hand if user.has_role(Role.OPERATOR) else by_hand.filter(submitted_by=user)).order_by("-pk")[:SHOWN],
        visible.filter(state__in=[state.value for state in _AT_WORK]).order_by("-pk")[:SHOWN],
        visible.filter(ended_at__isnull=False).order_by("-ended_at")[: SHOWN - 1],
        own.order_by("-pk")[: examples.STILL_NEW],
    )
    # From the side of the plans, whose index has those of a state in a row: most goals in review are not decided yet.
    may_run = plans_visible_to(user).filter(state=PlanState.APPROVED).order_by("-pk").values("goal_id")[:SHOWN]
    first, *others = (*(kind.values("pk") for kind in kinds), may_run)
    running = IntentPlan.objects.filter(goal=OuterRef("pk"), state=PlanState.EXECUTING)
    intents = Intent.objects.filter(intent_plan__goal=OuterRef("pk"))
    steps = intents.filter(intent_plan__state=PlanState.EXECUTING, phase=Intent.Phase.MAIN)
    found = list(
        visible.filter(pk__in=first.union(*others, all=True))
        .annotate(
            position=Subquery(running.values("position")[:1]),
            steps=_count(steps),
            unknown=Exists(intents.filter(state=IntentState.OUTCOME_UNKNOWN)),
            begun=begun(),
            approved=approved(),
            paused=paused(),
        )
        .order_by("-pk")
    )
    files_held.mark(found, user)
    # What was found as another kind stands behind the newest of this one; whoever may not mend a goal did not find it.
    mine = [goal for goal in found if goal.submitted_by_id == user.pk]
    ended = sorted((goal for goal in found if goal.ended_at), key=_ended_at, reverse=True)
    return Goals(
        [goal for goal in found if goal.state == GoalState.MANUAL][:SHOWN],
        [goal for goal in found if goal.state in _AT_WORK or goal.approved][:SHOWN],
        ended[: SHOWN - 1],
        [goal.text for goal in mine[: examples.STILL_NEW]],
    )


def _ended_at(goal: Goal) -> datetime:
    return goal.ended_at or goal.changed_at


def how_it_went(user: User) -> Chart:
    """Goals achieved and failed on each of the last days, today included.

    A goal that failed and waits for a person stands on the day since which it waits.
    """
    today = timezone.localdate()
    days = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    recovered = RecoveryAttempt.objects.filter(attempt__intent__intent_plan__goal=OuterRef("pk"))
    seen = goals_visible_to(user)
    ended = seen.filter(ended_at__gte=_start(), state__in=[GoalState.ACHIEVED.value, GoalState.FAILED.value])
    # What was handed to people is neither.
    ended = ended.exclude(outcome=Outcome.HANDED_OVER.value)
    stopped = seen.filter(changed_at__gte=_start(), state__in=[GoalState.MANUAL.value, GoalState.DROPPED.value])
    # One question, each part of it by its own index.
    rows = _by_day(ended, "ended_at", Exists(recovered), _HAS_FAILED).union(
        _by_day(worked.failed_goals(stopped), "changed_at", _NO, _YES), all=True
    )
    counts: Counter[tuple[date, bool, bool]] = Counter()
    for day, has_recovered, has_failed, count in rows:
        counts[day, not has_failed, has_recovered] += count
    return chart(
        [
            Day(
                day,
                achieved=counts.get((day, True, False), 0),
                mended=counts.get((day, True, True), 0),
                failed=counts.get((day, False, False), 0) + counts.get((day, False, True), 0),
            )
            for day in days
        ]
    )


def _by_day(
    goals: QuerySet[Goal], at: str, recovered: Exists | Value, has_failed: Case | Value
) -> QuerySet[Goal, tuple[date, bool, bool, int]]:
    told = goals.annotate(day=TruncDate(at), recovered=recovered, has_failed=has_failed).order_by()
    counted = told.values("day", "recovered", "has_failed").annotate(count=Count("pk"))
    return counted.values_list("day", "recovered", "has_failed", "count")


def median_decision_s(user: User) -> tuple[float | None, int]:
    """How long plans waited for their decision lately: the median in seconds, and of how many."""
    decisions = Decision.objects.filter(at__gte=_start(), intent_plan__in=plans_visible_to(user))
    waited = [
        (at - queued).total_seconds()
        for at, queued in decisions.order_by("-pk").values_list("at", "intent_plan__queued_at")[:DECISIONS_LOOKED_AT]
    ]
    return (statistics.median(waited) if waited else None), len(waited)


def _start() -> datetime:
    """Midnight of the first of the days."""
    now = timezone.localtime()
    return (now - timedelta(days=DAYS - 1)).replace(hour=0, minute=0, second=0, microsecond=0)


def _count(rows: QuerySet[Intent]) -> Subquery:
    """How many rows, as a column of the outer query."""
    counted = rows.order_by().values("intent_plan__goal_id").annotate(count=Count("pk")).values("count")
    return Subquery(counted[:1], output_field=IntegerField())
