"""The methods of A2A: each finds, checks rights, calls one service and answers. Who asks is a token, as in the API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agents.goals import goals
from agents.record import selectors
from agents.record.errors import NotPossibleNow
from mindx_web.interop.a2a import shapes, tasks
from mindx_web.interop.a2a.errors import A2AError, Kind
from people import tokens
from people.models import ApiToken
from people.scopes import Scope

_COUNTED_MOST = 1_000
_NO_TASK = "There is no task with this id, or you may not see it."


class ScopeMissing(Exception):
    """The token may not do this."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(f"This token has no scope {scope}.")
        self.scope = scope


Method = Callable[[ApiToken, object], dict[str, Any]]


def send(token: ApiToken, params: object) -> dict[str, Any]:
    """A message becomes a goal of the token's person. The same message again is the same task."""
    need(token, Scope.GOALS_WRITE)
    asked = shapes.read(shapes.Send, params)
    message = asked.message
    if asked.configuration.task_push_notification_config:
        raise A2AError(Kind.NO_PUSH, "mindX sends no push notifications. Ask for the task with GetTask.")
    if message.task_id:
        task = found(token, message.task_id)
        raise A2AError(Kind.UNSUPPORTED, _why_not_on(task.state))
    user = token.user
    workspace = None
    if (name := message.metadata.get("workspace")) is not None:
        workspace = selectors.workspaces_writable_by(user).filter(name=str(name)[:200]).first()
        if workspace is None:
            raise A2AError(Kind.PARAMS, "message.metadata.workspace: There is no workspace of yours with this name.")
    priority = message.metadata.get("priority", 3)
    # Numbers of a protobuf Struct are all floating.
    priority = int(priority) if isinstance(priority, float) and priority.is_integer() else priority
    if not isinstance(priority, int):
        raise A2AError(Kind.PARAMS, "message.metadata.priority: Priority is a number from 1 (first) to 5 (last).")
    goal = goals.submit(
        by=user,
        text=message.text,
        priority=priority,
        workspace=workspace,
        submission_key=f"a2a:{message.message_id}",
    )
    if goal.text != goals.checked_text(message.text):
        raise A2AError(Kind.PARAMS, "message.messageId: This id belongs to an earlier message with another text.")
    made = tasks.of_goal(goal, context=message.context_id, message=message.message_id)
    return {"task": told(token, made.code, asked.configuration.history_length)}


def get(token: ApiToken, params: object) -> dict[str, Any]:
    """One task as it is now."""
    need(token, Scope.GOALS_READ)
    asked = shapes.read(shapes.Get, params)
    return told(token, asked.id, asked.history_length)


def list_(token: ApiToken, params: object) -> dict[str, Any]:
    """The tasks that the person may see, newest first."""
    need(token, Scope.GOALS_READ)
    asked = shapes.read(shapes.List, params)
    rows = tasks.visible_to(token.user)
    if asked.context_id:
        rows = rows.filter(context=asked.context_id)
    if asked.status not in ("", "TASK_STATE_UNSPECIFIED"):
        rows = rows.filter(state=asked.status)
    total = rows.order_by()[:_COUNTED_MOST].count()
    if asked.page_token:
        if not asked.page_token.isdigit() or len(asked.page_token) > 18:
            raise A2AError(Kind.PARAMS, "pageToken: This is no token of mine.")
        rows = rows.filter(pk__lt=int(asked.page_token))
    page = list(rows[: asked.page_size + 1])
    shown = page[: asked.page_size]
    shows_plan = tokens.allows(token, Scope.REVIEW_READ)
    history = asked.history_length
    return {
        "tasks": [
            tasks.as_json(task, token.user, shows_plan=shows_plan, history=history, artifacts=asked.include_artifacts)
            for task in shown
        ],
        "nextPageToken": str(shown[-1].pk) if len(page) > len(shown) else "",
        "pageSize": asked.page_size,
        "totalSize": total,
    }


def cancel(token: ApiToken, params: object) -> dict[str, Any]:
    """Cancel the goal; a running step is stopped within seconds."""
    need(token, Scope.GOALS_WRITE)
    asked = shapes.read(shapes.Cancel, params)
    task = found(token, asked.id)
    if not selectors.may_change(token.user, task.goal):
        raise A2AError(Kind.NOT_CANCELABLE, "This goal belongs to somebody else.")
    try:
        goals.cancel(task.goal, by=token.user)
    except NotPossibleNow as error:
        raise A2AError(Kind.NOT_CANCELABLE, str(error)) from error
    return told(token, asked.id, None)


METHODS: dict[str, Method] = {"SendMessage": send, "GetTask": get, "ListTasks": list_, "CancelTask": cancel}
# Of the protocol, and not of mindX: the card says so.
NOT_OFFERED = {
    "CreateTaskPushNotificationConfig": Kind.NO_PUSH,
    "GetTaskPushNotificationConfig": Kind.NO_PUSH,
    "ListTaskPushNotificationConfigs": Kind.NO_PUSH,
    "DeleteTaskPushNotificationConfig": Kind.NO_PUSH,
    "GetExtendedAgentCard": Kind.NO_EXTENDED_CARD,
}


def call(name: object, token: ApiToken, params: object) -> dict[str, Any]:
    """The result of a method. Raises A2AError, ScopeMissing, and what the services refuse with."""
    if not isinstance(name, str):
        raise A2AError(Kind.REQUEST, "A request names its method.")
    if name in NOT_OFFERED:
        raise A2AError(NOT_OFFERED[name], "mindX does not offer this; its agent card says what it does.")
    if name not in METHODS:
        raise A2AError(Kind.METHOD, f"There is no method “{name[:60]}”.")
    return METHODS[name](token, params)


def _why_not_on(state: str) -> str:
    if state in tasks.ENDED:
        return "This task is over. Begin a new one."
    if state == tasks.INPUT_REQUIRED:
        return "This waits for a person, who decides at the address in the task's status. A message decides nothing."
    return "This task is at work. Begin another one for another goal."


def need(token: ApiToken, scope: Scope) -> None:
    """Raises ScopeMissing."""
    if not tokens.allows(token, scope):
        raise ScopeMissing(scope)


def found(token: ApiToken, code: str) -> Any:
    """The task with its `state`, as far as the token's person may see it. Raises A2AError."""
    task = tasks.visible_to(token.user).filter(code=code[:64]).first()
    if task is None:
        raise A2AError(Kind.NO_TASK, _NO_TASK)
    return task


def told(token: ApiToken, code: str, history: int | None) -> dict[str, Any]:
    """The task as this token may read it. Raises A2AError."""
    shows_plan = tokens.allows(token, Scope.REVIEW_READ)
    return tasks.as_json(found(token, code), token.user, shows_plan=shows_plan, history=history, artifacts=True)
