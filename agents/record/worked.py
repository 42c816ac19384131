"""Reads from the tables what `agents.bdi.outcome.worked` decides by, for one goal or plan and for many at once."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet

from agents.bdi.outcome.outcome import MISSED
from agents.bdi.outcome.worked import goal_worked, plan_worked
from agents.models import Attempt, Goal, HandItem, Intent, IntentPlan
from agents.states import GoalState, IntentState, PlanState

_TRIED_IN_VAIN = Attempt.objects.filter(intent=OuterRef("pk"), outcome="failed")
# A step that a person's cancelling stopped is `failed` too; only a try that failed says something.
_STUCK = Intent.objects.filter(
    intent_plan=OuterRef("pk"), phase=Intent.Phase.MAIN.value, state=IntentState.FAILED.value
).filter(Exists(_TRIED_IN_VAIN))
_BEGUN = Attempt.objects.filter(intent__intent_plan=OuterRef("pk"))
# A hand that is asked for because nothing could be planned has no plan, and no step has failed.
_ASKED = HandItem.objects.filter(goal=OuterRef("goal_id"), intent_plan__isnull=False)
_BEGUN_LATER = Attempt.objects.filter(
    intent__intent_plan__goal=OuterRef("goal_id"), intent__intent_plan__revision__gt=OuterRef("revision")
)


def with_failures(plans: QuerySet[IntentPlan]) -> QuerySet[IntentPlan]:
    """The plans with what `of_plan` reads of each: `has_failed` and `asked_a_person`."""
    return plans.annotate(has_failed=Exists(_STUCK), asked_a_person=Exists(_ASKED))


def begun(plans: QuerySet[IntentPlan]) -> QuerySet[IntentPlan]:
    """Those of these plans of which a step was tried, as `with_failures`."""
    return with_failures(plans).filter(Exists(_BEGUN))


def of_plan(plan: IntentPlan) -> bool | None:
    """Whether a plan worked, as `plan_worked`."""
    if not hasattr(plan, "asked_a_person"):
        plan = with_failures(IntentPlan.objects.select_related("goal")).get(pk=plan.pk)
    has_failed, asked = bool(getattr(plan, "has_failed", False)), bool(getattr(plan, "asked_a_person", False))
    return plan_worked(plan.state, plan.goal.state, plan.goal.outcome, failed=has_failed, asked=asked)


def of_goal(goal: Goal) -> bool | None:
    """Whether a goal worked, as `goal_worked`."""
    is_open_to_it = goal.state in (GoalState.MANUAL, GoalState.DROPPED)
    return goal_worked(goal.state, goal.outcome, failed=is_open_to_it and stopped_in(goal) is not None)


def stopped_in(goal: Goal) -> IntentPlan | None:
    """The plan in which the goal is stuck: the newest one that was begun, where a step of it has failed."""
    return stuck(goal.intent_plans.all()).first()


def stuck(plans: QuerySet[IntentPlan]) -> QuerySet[IntentPlan]:
    """Those of these plans of which a step has failed and behind which no other plan of the goal was begun."""
    return plans.filter(Exists(_STUCK), ~Exists(_BEGUN_LATER))


def error_before(goal: Goal) -> str:
    """What had failed when a goal was cancelled, or waits for a person, as words; "" where nothing had."""
    plan = stopped_in(goal)
    if plan is None:
        return ""
    tried = Attempt.objects.filter(intent__intent_plan=plan, outcome="failed")
    last = tried.filter(intent__state=IntentState.FAILED.value).select_related("intent").order_by("-pk").first()
    return f"step {last.intent.position} had failed: {last.reason}" if last is not None else ""


# Goals that failed, whether they have ended or wait for a person. Beside it `goal_worked` is the same of one goal.
def failed_goals(goals: QuerySet[Goal]) -> QuerySet[Goal]:
    """Those of these goals that did not work, as `goal_worked` says False of them."""
    in_vain = stuck(IntentPlan.objects.filter(goal=OuterRef("pk")))
    waits = Q(state__in=[GoalState.MANUAL.value, GoalState.DROPPED.value]) & Exists(in_vain)
    missed = Q(state=GoalState.ACHIEVED.value, outcome__in=sorted(MISSED))
    return goals.filter(Q(state=GoalState.FAILED.value) | missed | waits)


def bad_ends(plans: QuerySet[IntentPlan]) -> QuerySet[IntentPlan]:
    """Those of these plans that did not work, as `plan_worked` says False of them."""
    missed = Q(state=PlanState.COMPLETE.value) & (
        Q(goal__outcome__in=sorted(MISSED)) | Q(goal__state=GoalState.FAILED.value)
    )
    over = Q(goal__state__in=[GoalState.MANUAL.value, GoalState.DROPPED.value])
    over |= Q(state__in=[PlanState.SUPERSEDED.value, PlanState.CANCELLED.value, PlanState.EXPIRED.value])
    asked, has_failed = Q(asked_a_person=True), Q(has_failed=True)
    return with_failures(plans).filter(asked | Q(state=PlanState.FAILED.value) | missed | (has_failed & over))
