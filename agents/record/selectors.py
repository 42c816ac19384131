"""Reading goals, plans, workspaces and logs, each with the rights of the person who asks."""

from __future__ import annotations

from django.db.models import BooleanField, Case, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document
from agents.models import Agent, Attempt, Goal, IntentPlan, LogLine, Workspace
from agents.states import GoalState, PlanState
from people.models import User
from people.roles import Role

_SEES_ALL = (Role.REVIEWER, Role.OPERATOR)


def sees_everything(user: User) -> bool:
    """True for those whose work is other people's goals."""
    return user.has_role(*_SEES_ALL)


def goals_visible_to(user: User) -> QuerySet[Goal]:
    """The person's own goals; for reviewers, operators and admins all."""
    goals = Goal.objects.select_related("submitted_by", "workspace")
    return goals if sees_everything(user) else goals.filter(submitted_by=user)


def may_see(user: User, submitter_id: int) -> bool:
    """The same rule for one goal whose submitter is known already."""
    return sees_everything(user) or submitter_id == user.pk


def begun() -> Case:
    """Of a goal that did not come to its end, whether a step of it was tried; it is looked up for such goals only."""
    tried = Attempt.objects.filter(intent__intent_plan__goal=OuterRef("pk")).annotate(yes=Value(True)).values("yes")
    # No EXISTS: for that Postgres may read all tries once instead, an eighth of a second at 100,000 goals.
    looked_up = Coalesce(Subquery(tried[:1]), Value(False))
    left = When(state__in=[GoalState.DROPPED.value, GoalState.FAILED.value], then=looked_up)
    return Case(left, default=Value(False), output_field=BooleanField())


def approved() -> Case:
    """Of a goal that was reviewed, whether it waits for a worker only: approved, and no step of it has begun."""
    decided = IntentPlan.objects.filter(goal=OuterRef("pk"), state=PlanState.APPROVED.value)
    looked_up = Coalesce(Subquery(decided.annotate(yes=Value(True)).values("yes")[:1]), Value(False))
    return Case(
        When(state=GoalState.AWAITING_REVIEW.value, then=looked_up), default=Value(False), output_field=BooleanField()
    )


# States in which an agent or a worker goes on with a goal by itself, unless the agent is paused.
MOVING = frozenset({GoalState.PENDING, GoalState.PLANNING, GoalState.EXECUTING, GoalState.RECOVERING})


def paused() -> Case:
    """Whether nothing of a goal begins although its state says so, because its agent is paused."""
    moving = [state.value for state in MOVING]
    return Case(
        When(agent__paused=True, state__in=moving, then=Value(True)), default=Value(False), output_field=BooleanField()
    )


def agents_usable_by(user: User) -> QuerySet[Agent]:
    """The agents that the person's goals may name: for those who may submit goals each that is not retired."""
    may_submit = user.has_role(Role.SUBMITTER, Role.REVIEWER, Role.OPERATOR, Role.DEVELOPER)
    return Agent.objects.filter(retired_at=None) if may_submit else Agent.objects.none()


def may_change(user: User, goal: Goal) -> bool:
    """True for those who may cancel the goal or write its plan: its submitter, operators and admins."""
    return user.is_active and (goal.submitted_by_id == user.pk or user.has_role(Role.OPERATOR))


def goals_changeable_by(user: User) -> QuerySet[Goal]:
    """The goals of which `may_change` is true."""
    goals = Goal.objects.select_related("submitted_by", "workspace")
    return goals if user.has_role(Role.OPERATOR) else goals.filter(submitted_by=user)


def may_correct(user: User, goal: Goal) -> bool:
    """True for those who may tell the agent that it believes something wrong: the submitter, and who may decide."""
    return user.is_active and (goal.submitted_by_id == user.pk or user.has_role(Role.REVIEWER))


def plans_visible_to(user: User) -> QuerySet[IntentPlan]:
    """The intent plans of the goals the person may see."""
    plans = IntentPlan.objects.select_related("goal__submitted_by", "workspace", "plan")
    return plans if sees_everything(user) else plans.filter(goal__submitted_by=user)


def workspaces_visible_to(user: User) -> QuerySet[Workspace]:
    """The person's own workspaces; for reviewers, operators and admins all."""
    workspaces = Workspace.objects.select_related("owner")
    return workspaces if sees_everything(user) else workspaces.filter(owner=user)


def workspaces_writable_by(user: User) -> QuerySet[Workspace]:
    """The workspaces whose files the person may change and submit goals to: their own; an admin's: all."""
    workspaces = Workspace.objects.select_related("owner")
    return workspaces if user.has_role() else workspaces.filter(owner=user)


def agent_names() -> dict[str, str]:
    """Every agent's name by its id as text, as sums and calls know it."""
    return {str(pk): name for pk, name in Agent.objects.order_by("name").values_list("pk", "name")}


def page_of_goals(goals: QuerySet[Goal], after: int | None = None, limit: int = 50) -> tuple[list[Goal], int | None]:
    """One page of goals, newest first, and the id to ask after for the next one (None at the end)."""
    if after is not None:
        goals = goals.filter(pk__lt=after)
    rows = list(goals.order_by("-pk")[: limit + 1])
    return rows[:limit], rows[limit - 1].pk if len(rows) > limit else None


def log_after(goal: Goal, number: int, limit: int = 1000) -> list[LogLine]:
    """The lines that follow `number`."""
    return list(goal.log_lines.filter(number__gt=number).order_by("number")[:limit])


def current_plan(goal: Goal) -> IntentPlan | None:
    """The newest revision proposed for the goal, whatever became of it."""
    return goal.intent_plans.order_by("-revision").first()


def read_document(plan: IntentPlan) -> Document | None:
    """The plan as its bytes say it; None when the bytes are no document any more (somebody changed them)."""
    try:
        return documents.read(bytes(plan.document))
    except ValueError:
        return None
