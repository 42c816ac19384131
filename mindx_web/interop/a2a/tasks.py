"""Goals as tasks of A2A: which states correspond, and what a task tells."""

from __future__ import annotations

import json
import secrets
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Case, CharField, OuterRef, Q, QuerySet, Subquery, Value, When
from django.urls import reverse

from agents.models import AgentTask, Goal, IntentPlan
from agents.record import selectors
from agents.states import GoalState, PlanState
from mindx_web.api.review.intent_plans import plan_out, plan_to_read
from people.models import User
from review.models import ReviewClock

SUBMITTED, WORKING = "TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"
INPUT_REQUIRED, COMPLETED = "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_COMPLETED"
FAILED, CANCELED, REJECTED = "TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_REJECTED"
# Nothing comes of waiting in these: it is over, or somebody has to do something.
AT_REST = frozenset({INPUT_REQUIRED, COMPLETED, FAILED, CANCELED, REJECTED})
ENDED = frozenset({COMPLETED, FAILED, CANCELED, REJECTED})
# What steps answered is as long as they like; the goal's page has all of it.
RESULT_MAX_CHARS = 64_000

_GOAL_IS = "goal__state"
_PLAN_IS = "plan_state"
# The first that fits counts. A plan that is approved and not begun leaves its goal where it was.
_STATES = (
    (Q(**{_GOAL_IS: GoalState.AWAITING_REVIEW, _PLAN_IS: PlanState.AWAITING_REVIEW}), INPUT_REQUIRED),
    (Q(**{_GOAL_IS: GoalState.MANUAL}), INPUT_REQUIRED),
    (Q(**{f"{_GOAL_IS}__in": [GoalState.BLOCKED, GoalState.PENDING]}), SUBMITTED),
    (Q(**{_GOAL_IS: GoalState.ACHIEVED}), COMPLETED),
    (Q(**{_GOAL_IS: GoalState.FAILED}), FAILED),
    (Q(**{_GOAL_IS: GoalState.DROPPED, _PLAN_IS: PlanState.REJECTED}), REJECTED),
    (Q(**{_GOAL_IS: GoalState.DROPPED}), CANCELED),
)


def visible_to(user: User) -> QuerySet[Any]:
    """The tasks whose goals the person may see, each with its `state`, newest first."""
    tasks = _with_states().filter(goal__in=selectors.goals_visible_to(user).order_by())
    return tasks.select_related("goal__workspace", "goal__submitted_by").order_by("-pk")


def is_at_rest(code: str) -> bool:
    """Whether nothing changes about the task until somebody does something. Asks for no rights."""
    return _with_states().filter(code=code, state__in=AT_REST).exists()


def due_of(plan_id: int | None) -> datetime | None:
    """When a plan that waits expires, where it does."""
    return ReviewClock.objects.filter(intent_plan=plan_id).values_list("due_at", flat=True).first()


def _with_states() -> QuerySet[Any]:
    newest = IntentPlan.objects.filter(goal=OuterRef("goal")).order_by("-revision")
    states = [When(condition, then=Value(state)) for condition, state in _STATES]
    plan = {"plan": Subquery(newest.values("pk")[:1]), "plan_state": Subquery(newest.values("state")[:1])}
    return AgentTask.objects.annotate(**plan).annotate(
        state=Case(*states, default=Value(WORKING), output_field=CharField())
    )


def of_goal(goal: Goal, *, context: str, message: str) -> AgentTask:
    """The task of a goal, made where there is none yet."""
    try:
        with transaction.atomic():
            return AgentTask.objects.create(
                code=secrets.token_urlsafe(18), goal=goal, context=context or secrets.token_urlsafe(12), message=message
            )
    except IntegrityError:
        # The same message came twice: one of the two requests made it.
        return AgentTask.objects.get(goal=goal)


def as_json(task: AgentTask, user: User, *, shows_plan: bool, history: int | None, artifacts: bool) -> dict[str, Any]:
    """The task in the JSON form of the protocol. `shows_plan`: whether the token may read plans."""
    goal, state = task.goal, task.state  # type: ignore[attr-defined]  # `visible_to` puts it there
    parts = _said(task, user, shows_plan=shows_plan)
    told: dict[str, Any] = {
        "id": task.code,
        "contextId": task.context,
        "status": {
            "state": state,
            "timestamp": _moment(goal.ended_at or goal.changed_at),
            "message": {
                "messageId": f"{task.code}-{goal.state}-{goal.changed_at.timestamp():.0f}",
                "contextId": task.context,
                "taskId": task.code,
                "role": "ROLE_AGENT",
                "parts": parts,
            },
        },
        "metadata": {"goal": str(goal.pk), "goalState": goal.state, "url": _address("goal", goal.pk)},
    }
    if history != 0:
        told["history"] = [
            {
                "messageId": task.message,
                "contextId": task.context,
                "taskId": task.code,
                "role": "ROLE_USER",
                "parts": [{"text": goal.text}],
            }
        ]
    if artifacts and state in (COMPLETED, FAILED) and (found := _result(task)) is not None:
        told["artifacts"] = [found]
    return told


def _said(task: AgentTask, user: User, *, shows_plan: bool) -> list[dict[str, Any]]:
    goal, state = task.goal, task.state  # type: ignore[attr-defined]  # as above
    if state != INPUT_REQUIRED:
        words = goal.shown_state.replace("_", " ")
        return [{"text": f"The goal is {words}{f': {goal.reason}' if goal.reason else ''}."}]
    if goal.state == GoalState.MANUAL:
        return [{"text": f"A person has to help ({goal.reason}): {_address('goal', goal.pk)}"}]
    return _review(task, user, shows_plan=shows_plan)


def _review(task: AgentTask, user: User, *, shows_plan: bool) -> list[dict[str, Any]]:
    plan = plan_to_read(user, str(task.plan))  # type: ignore[attr-defined]  # as above
    shown = plan_out(plan).model_dump(mode="json")
    url = _address("review-plan", plan.pk)
    until = f" before {shown['due_at']}" if shown["due_at"] else ""
    told = {
        "kind": "plan_review",
        "intentPlan": shown["id"],
        "revision": shown["revision"],
        "digest": shown["digest"],
        "url": url,
        "expiresAt": shown["due_at"],
    }
    if shows_plan:
        told["plan"] = shown
    return [
        {"text": f"A plan waits for a person's decision{until}: {url}"},
        {"data": told, "mediaType": "application/json"},
    ]


def _result(task: AgentTask) -> dict[str, Any] | None:
    """What came of the steps; text in it is whatever programs wrote."""
    plan = IntentPlan.objects.filter(pk=task.plan).first()  # type: ignore[attr-defined]  # as above
    if plan is None:
        return None
    steps = list(plan.intents.order_by("position").values("position", "tool", "command", "state", "reason", "result"))
    result: dict[str, Any] = {"outcome": task.goal.outcome, "workspace": task.goal.workspace.name, "steps": steps}
    if len(json.dumps(result)) > RESULT_MAX_CHARS:
        result["steps"] = [{**step, "result": None} for step in steps[:200]]
        result["leftOut"] = f"The results of the steps are longer than {RESULT_MAX_CHARS} characters."
    return {
        "artifactId": f"{task.code}-result",
        "name": "result",
        "parts": [{"data": result, "mediaType": "application/json"}],
    }


def _address(name: str, key: int) -> str:
    return f"{settings.PUBLIC_URL}{reverse(name, args=[key])}"


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
