"""Rows of a restored database that no move of mindX leaves together: mended, each with a sentence that says so.

A dump is of one moment, so it holds none of them by itself. Rows that were changed by hand, tables that were restored
one by one, and disks that lost a part do.
"""

from __future__ import annotations

from functools import partial

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from agents.models import Attempt, Goal, Intent, IntentPlan, LevelDocument, StepReport
from agents.plans import report_filing, stray_plans
from agents.record import logs
from agents.record.moves import move_goal, move_intents
from agents.states import GOAL_MOVES, PLAN_ENDED, GoalState, IntentState, LevelState, PlanState
from mindx_web.backup.settled import BY, Rows, Settled

_ENDED = sorted(state.value for state in PLAN_ENDED)
_UNDER_WAY = [GoalState.AWAITING_REVIEW.value, GoalState.EXECUTING.value, GoalState.RECOVERING.value]


def waiting_plans(why: str) -> Settled:
    """Plans that await review under a goal that does not: the goal does then, or its plan is ended where it cannot."""
    waiting = IntentPlan.objects.filter(state=PlanState.AWAITING_REVIEW.value)
    rows = Rows()
    for plan_id, goal_id in waiting.exclude(goal__state=GoalState.AWAITING_REVIEW.value).values_list("pk", "goal_id"):
        rows.settle(f"goal {goal_id}: plan {plan_id}", partial(_fit, plan_id, goal_id, why))
    return rows.settled("plans waiting for review under goals in another state were corrected")


def _fit(plan_id: int, goal_id: int, why: str) -> str:
    goal = Goal.objects.select_for_update(no_key=True).get(pk=goal_id)
    plan = IntentPlan.objects.select_for_update(no_key=True).get(pk=plan_id)
    if said := stray_plans.end(goal, plan, by=BY, why=why):
        return said
    said = f"the goal was {goal.state.replace('_', ' ')} but revision {plan.revision} waits for review; now both do"
    move_goal(goal, GoalState.AWAITING_REVIEW, by=BY, wake_at=None)
    return _say(goal, said)


def left_open(why: str) -> Settled:
    """Tries without an end, and steps that run, under plans that have ended."""
    reported = Exists(StepReport.objects.filter(intent_plan=OuterRef("pk")))
    runs = Exists(Intent.objects.filter(intent_plan=OuterRef("pk"), state=IntentState.RUNNING.value))
    tried = Exists(Attempt.objects.filter(intent__intent_plan=OuterRef("pk"), finished=None))
    rows = Rows()
    for plan in IntentPlan.objects.filter(reported | runs | tried, state__in=_ENDED).order_by("pk"):
        row = f"goal {plan.goal_id}: plan {plan.pk}"
        # What its steps reported first; where that cannot be filed it is left out.
        rows.settle(row, partial(_close, plan, why, files=True), partial(_close, plan, why, files=False))
    return rows.settled("ended plans with tries or steps that had no end were closed")


def _close(plan: IntentPlan, why: str, *, files: bool) -> str:
    if files:
        report_filing.file(plan.pk, plan.goal_id)
    tries = Attempt.objects.filter(intent__intent_plan=plan, finished=None)
    tries.update(finished=timezone.now(), outcome="lost", reason=why)
    move_intents(plan.intents.filter(state=IntentState.RUNNING.value), IntentState.FAILED, reason=why)
    said = f"revision {plan.revision} is {plan.state} and had a step without an end; the step was closed"
    return _say(plan.goal, said)


def without_plan() -> Settled:
    """Goals under way or in review of which nothing waits, may run or runs: a person is asked."""
    has_plan = Exists(IntentPlan.objects.filter(~Q(state__in=_ENDED), goal=OuterRef("pk")))
    waiting = LevelDocument.objects.filter(goal=OuterRef("pk"), state=LevelState.AWAITING_REVIEW.value)
    rows = Rows()
    for goal in Goal.objects.filter(~has_plan, ~Exists(waiting), state__in=_UNDER_WAY).order_by("pk"):
        said = f"the goal was {goal.state.replace('_', ' ')}, but it has no plan that is waiting, approved or running"
        rows.settle(f"goal {goal.pk}", partial(ask_a_person, goal, said))
    return rows.settled("goals without a plan now need a person")


def ask_a_person(goal: Goal, said: str) -> str:
    """Have a person plan the goal where one can be asked; what is said of it."""
    if GoalState.MANUAL in GOAL_MOVES[GoalState(goal.state)]:
        move_goal(goal, GoalState.MANUAL, by=BY, reason="no_plan_is_open", wake_at=None)
        said = f"{said}; a person must decide how it continues"
    return _say(goal, said)


def _say(goal: Goal, said: str) -> str:
    logs.say(goal.pk, "review", "review", said, level="error")
    return f"goal {goal.pk}: {said}"
