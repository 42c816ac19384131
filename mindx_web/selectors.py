"""Reading what the frame and the overview show, each with the rights of the person who asks."""

from __future__ import annotations

import statistics
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Exists, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import TruncDate
from django.db.models.lookups import IsNull
from django.utils import timezone

from agents.models import Goal, Intent, IntentPlan, RecoveryAttempt
from agents.selectors import goals_visible_to, plans_visible_to
from agents.states import GoalState, IntentState, PlanState
from mindx_web.presentation.chart import Chart, Day, chart
from people.models import User
from people.roles import Role
from review.models import Decision

DAYS = 14
SHOWN = 5
# The median of more decisions than this would not be another one.
DECISIONS_LOOKED_AT = 500
_AT_WORK = (GoalState.PENDING, GoalState.PLANNING, GoalState.EXECUTING, GoalState.RECOVERING)


def waiting_for(user: User) -> QuerySet[IntentPlan]:
    """The plans this person may decide, longest waiting first."""
    plans = plans_visible_to(user).filter(state=PlanState.AWAITING_REVIEW)
    if not user.has_role(Role.REVIEWER):
        return plans.none()
    if settings.FOUR_EYES:
        plans = plans.exclude(goal__submitted_by=user)
    return plans.order_by("pk")


def plans_to_decide(user: User) -> list[IntentPlan]:
    """The first of them, each with the number of its `steps` and whether one of them `removes` something."""
    intents = Intent.objects.filter(intent_plan=OuterRef("pk"))
    # No EXISTS: for that Postgres reads the steps of all plans there are, to look five of them up.
    removing = intents.filter(phase=Intent.Phase.MAIN, command="rm").values("pk")[:1]
    return list(
        waiting_for(user)
        .defer("document")
        .annotate(
            steps=_count(intents.filter(phase=Intent.Phase.MAIN)),
            removes=IsNull(Subquery(removing), False),
        )[:SHOWN]
    )


def goals_for_hands(user: User) -> list[Goal]:
    """Goals that need this person's plan or word; `unknown` marks those where a step's outcome is not known."""
    unknown = Intent.objects.filter(intent_plan__goal=OuterRef("pk"), state=IntentState.OUTCOME_UNKNOWN)
    goals = goals_visible_to(user).filter(state=GoalState.MANUAL)
    if not user.has_role(Role.OPERATOR):
        goals = goals.filter(submitted_by=user)
    return list(goals.annotate(unknown=Exists(unknown)).order_by("-pk")[:SHOWN])


def goals_at_work(user: User) -> list[Goal]:
    """Goals the agent or a worker is busy with; `position` of `steps` when a plan runs."""
    running = IntentPlan.objects.filter(goal=OuterRef("pk"), state=PlanState.EXECUTING)
    steps = Intent.objects.filter(
        intent_plan__goal=OuterRef("pk"), intent_plan__state=PlanState.EXECUTING, phase=Intent.Phase.MAIN
    )
    goals = goals_visible_to(user).filter(state__in=[state.value for state in _AT_WORK])
    return list(
        goals.annotate(position=Subquery(running.values("position")[:1]), steps=_count(steps)).order_by("-pk")[:SHOWN]
    )


def goals_just_ended(user: User) -> list[Goal]:
    """The goals that ended last."""
    return list(goals_visible_to(user).filter(ended_at__isnull=False).order_by("-ended_at")[: SHOWN - 1])


def how_it_went(user: User) -> Chart:
    """Goals achieved and failed on each of the last days, today included."""
    today = timezone.localdate()
    days = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    recovered = RecoveryAttempt.objects.filter(attempt__intent__intent_plan__goal=OuterRef("pk"))
    rows = (
        goals_visible_to(user)
        .filter(ended_at__gte=_start(), state__in=[GoalState.ACHIEVED.value, GoalState.FAILED.value])
        .annotate(day=TruncDate("ended_at"), recovered=Exists(recovered))
        .order_by()
        .values("day", "state", "recovered")
        .annotate(count=Count("pk"))
    )
    counts = {(row["day"], row["state"] == GoalState.ACHIEVED, row["recovered"]): row["count"] for row in rows}
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
