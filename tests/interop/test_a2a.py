"""A2A: the card, messages that become goals, tasks that follow them, and what a token may not do."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from agents.models import AgentTask, Goal, IntentPlan
from agents.record.moves import move_goal
from agents.states import GoalState
from mindx_web.interop.a2a import tasks
from people import tokens
from people.models import User
from people.scopes import Scope
from review.deciding import decisions

pytestmark = pytest.mark.django_db
BOTH = (Scope.GOALS_READ, Scope.GOALS_WRITE)
Ask = Callable[..., Any]


class Caller:
    """Sends JSON-RPC with a token."""

    def __init__(self, user: User, *scopes: Scope) -> None:
        _, self.secret = tokens.issue(user, "a client", wanted=list(scopes), days=1, by=user)

    def post(self, body: Any, **headers: str) -> Any:
        sent = {"authorization": f"Bearer {self.secret}", "a2a-version": "1.0"} | headers
        data = body if isinstance(body, str | bytes) else json.dumps(body)
        return Client().post("/a2a/", data, content_type="application/json", headers=sent)

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        answer = self.post({"jsonrpc": "2.0", "id": "7", "method": method, "params": params})
        assert answer.status_code == 200, answer.content
        told = answer.json()
        assert (told["jsonrpc"], told["id"]) == ("2.0", "7")
        return told

    def send(self, text: str = "Write a note", number: str = "m-1", **also: Any) -> dict[str, Any]:
        message = {"messageId": number, "role": "ROLE_USER", "parts": [{"text": text}]} | also
        return self.ask("SendMessage", message=message, configuration={"returnImmediately": True})

    def task(self, number: str) -> dict[str, Any]:
        return self.ask("GetTask", id=number)["result"]


@pytest.fixture
def olga(owner: User) -> Caller:
    return Caller(owner, *BOTH, Scope.REVIEW_READ)


def error_of(told: dict[str, Any]) -> tuple[int, str]:
    return told["error"]["code"], told["error"]["data"][0]["reason"]


def test_the_card_is_public_and_says_where_and_how(settings: Any) -> None:
    answer = Client().get("/.well-known/agent-card.json")
    card = answer.json()
    assert answer.status_code == 200
    assert card["supportedInterfaces"] == [
        {"url": f"{settings.PUBLIC_URL}/a2a/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    ]
    assert card["securitySchemes"]["bearer"]["httpAuthSecurityScheme"]["scheme"] == "bearer"
    assert {"goal", "simple_coder"} <= {skill["id"] for skill in card["skills"]}
    assert card["capabilities"] == {"streaming": True, "pushNotifications": False, "extendedAgentCard": False}


def test_a_message_is_a_goal_of_the_tokens_person(olga: Caller, owner: User) -> None:
    task = olga.send("Write a note", contextId="talk-1")["result"]["task"]
    goal = Goal.objects.get()
    assert (goal.text, goal.submitted_by) == ("Write a note", owner)
    assert task["status"]["state"] == "TASK_STATE_SUBMITTED"
    assert task["contextId"] == "talk-1"
    assert task["history"][0]["parts"] == [{"text": "Write a note"}]
    assert task["id"] != str(goal.pk)
    assert len(task["id"]) > 20
    assert olga.task(task["id"]) == task


def test_the_same_message_again_is_the_same_task(olga: Caller) -> None:
    first = olga.send()["result"]["task"]
    assert olga.send()["result"]["task"]["id"] == first["id"]
    assert Goal.objects.count() == AgentTask.objects.count() == 1
    assert error_of(olga.send("Something else")) == (-32602, "INVALID_PARAMS")
    assert Goal.objects.count() == 1


def test_workspace_and_priority_come_with_the_message(olga: Caller, owner: User, make_workspace: Any) -> None:
    make_workspace(owner, "reports")
    olga.send(metadata={"workspace": "reports", "priority": 1.0})
    goal = Goal.objects.get()
    assert (goal.workspace.name, goal.priority) == ("reports", 1)
    for wrong in ({"workspace": "of-others"}, {"priority": "high"}, {"priority": 9}, {"priority": 1.5}):
        assert error_of(olga.send(number="m-2", metadata=wrong))[0] == -32602
    assert Goal.objects.count() == 1


def test_a_plan_that_waits_is_input_required_with_plan_digest_and_link(
    olga: Caller, owner: User, propose_plan: Callable[..., IntentPlan], settings: Any
) -> None:
    number = olga.send()["result"]["task"]["id"]
    plan = propose_plan(Goal.objects.get())
    status = olga.task(number)["status"]
    assert status["state"] == "TASK_STATE_INPUT_REQUIRED"
    text, data = status["message"]["parts"]
    url = f"{settings.PUBLIC_URL}/review/{plan.pk}/"
    assert url in text["text"]
    told = data["data"]
    assert (told["digest"], told["url"], told["intentPlan"]) == (plan.digest, url, str(plan.pk))
    assert "expiresAt" in told
    assert told["plan"]["intents"][1]["params"]["content"] == "first line\n"
    bare = Caller(owner, *BOTH).task(number)["status"]["message"]["parts"][1]["data"]
    assert bare == {name: value for name, value in told.items() if name != "plan"}


def test_a_message_decides_nothing(
    olga: Caller, owner: User, propose_plan: Callable[..., IntentPlan], reviewer: User
) -> None:
    number = olga.send()["result"]["task"]["id"]
    plan = propose_plan(Goal.objects.get())
    for who in (olga, Caller(reviewer, *BOTH, Scope.REVIEW_DECIDE)):
        told = who.send("approve", number="m-2", taskId=number)
        assert error_of(told) == (-32004, "UNSUPPORTED_OPERATION")
        assert "A message decides nothing" in told["error"]["message"]
    plan.refresh_from_db()
    assert plan.state == "awaiting_review"
    assert Goal.objects.count() == 1


def test_tasks_end_as_their_goals_do(olga: Caller, reviewer: User, propose_plan: Callable[..., IntentPlan]) -> None:
    ids = [olga.send(number=f"m-{index}")["result"]["task"]["id"] for index in range(2)]
    goals = list(Goal.objects.order_by("pk"))
    plan = propose_plan(goals[0])
    decisions.reject(plan, by=reviewer, digest=plan.digest, reason="not this way, please", via="api")
    rejected = olga.task(ids[0])
    assert rejected["status"]["state"] == "TASK_STATE_REJECTED"
    assert olga.ask("CancelTask", id=ids[1])["result"]["status"]["state"] == "TASK_STATE_CANCELED"
    assert error_of(olga.ask("CancelTask", id=ids[1])) == (-32002, "TASK_NOT_CANCELABLE")
    assert "over" in olga.send("more", number="m-9", taskId=ids[1])["error"]["message"]


def test_every_state_of_a_goal_has_a_state_of_a_task(olga: Caller, owner: User) -> None:
    olga.send()
    found = {}
    for state in GoalState:
        ended = state in (GoalState.ACHIEVED, GoalState.FAILED, GoalState.DROPPED)
        Goal.objects.update(state=state.value, ended_at="2026-01-01T00:00Z" if ended else None)
        found[state.value] = tasks.visible_to(owner).values_list("state", flat=True).get()
    assert found == {
        "blocked": "TASK_STATE_SUBMITTED",
        "pending": "TASK_STATE_SUBMITTED",
        "planning": "TASK_STATE_WORKING",
        "awaiting_review": "TASK_STATE_WORKING",  # without a plan that waits
        "executing": "TASK_STATE_WORKING",
        "recovering": "TASK_STATE_WORKING",
        "manual": "TASK_STATE_INPUT_REQUIRED",
        "achieved": "TASK_STATE_COMPLETED",
        "failed": "TASK_STATE_FAILED",
        "dropped": "TASK_STATE_CANCELED",
    }


def test_a_goal_that_needs_a_person_says_where(olga: Caller, settings: Any) -> None:
    number = olga.send()["result"]["task"]["id"]
    goal = move_goal(Goal.objects.get(), GoalState.PLANNING, by="a test", reason="")
    move_goal(goal, GoalState.MANUAL, by="a test", reason="no_applicable_rule")
    status = olga.task(number)["status"]
    assert status["state"] == "TASK_STATE_INPUT_REQUIRED"
    assert f"{settings.PUBLIC_URL}/goals/{goal.pk}/" in status["message"]["parts"][0]["text"]


def test_results_are_told_and_bounded(olga: Caller, propose_plan: Callable[..., IntentPlan]) -> None:
    number = olga.send()["result"]["task"]["id"]
    plan = propose_plan(Goal.objects.get())
    plan.intents.filter(position=1).update(result={"stdout": "hello"}, state="succeeded")
    Goal.objects.update(state="achieved", ended_at="2026-01-01T00:00Z")
    (artifact,) = olga.task(number)["artifacts"]
    assert artifact["parts"][0]["data"]["steps"][0]["result"] == {"stdout": "hello"}
    plan.intents.filter(position=1).update(result={"stdout": "x" * (tasks.RESULT_MAX_CHARS + 1)})
    (artifact,) = olga.task(number)["artifacts"]
    assert artifact["parts"][0]["data"]["steps"][0]["result"] is None
    assert "leftOut" in artifact["parts"][0]["data"]


def test_tasks_are_listed_page_by_page(olga: Caller, propose_plan: Callable[..., IntentPlan]) -> None:
    ids = [olga.send(number=f"m-{index}", contextId=f"c-{index % 2}")["result"]["task"]["id"] for index in range(3)]
    first = olga.ask("ListTasks", pageSize=2)["result"]
    assert [task["id"] for task in first["tasks"]] == [ids[2], ids[1]]
    assert (first["totalSize"], first["pageSize"]) == (3, 2)
    second = olga.ask("ListTasks", pageSize=2, pageToken=first["nextPageToken"])["result"]
    assert ([task["id"] for task in second["tasks"]], second["nextPageToken"]) == ([ids[0]], "")
    assert [task["id"] for task in olga.ask("ListTasks", contextId="c-1")["result"]["tasks"]] == [ids[1]]
    propose_plan(Goal.objects.order_by("pk")[1])
    found = olga.ask("ListTasks", status="TASK_STATE_INPUT_REQUIRED", historyLength=0)["result"]["tasks"]
    assert [task["id"] for task in found] == [ids[1]]
    assert "history" not in found[0]
    assert error_of(olga.ask("ListTasks", pageToken="x"))[0] == -32602
    assert error_of(olga.ask("ListTasks", pageSize=1000))[0] == -32602


# --- rights --------------------------------------------------------------------------------------------------


def test_a_task_of_somebody_else_is_not_there(olga: Caller, outsider: User, reviewer: User) -> None:
    number = olga.send()["result"]["task"]["id"]
    other = Caller(outsider, *BOTH)
    for method in ("GetTask", "CancelTask"):
        assert error_of(other.ask(method, id=number)) == (-32001, "TASK_NOT_FOUND")
        assert other.ask(method, id=number)["error"] == other.ask(method, id="made-up")["error"]
    assert other.ask("ListTasks")["result"]["tasks"] == []
    assert error_of(other.send("on", number="m-2", taskId=number)) == (-32001, "TASK_NOT_FOUND")
    judge = Caller(reviewer, *BOTH)
    assert judge.task(number)["id"] == number
    assert error_of(judge.ask("CancelTask", id=number)) == (-32002, "TASK_NOT_CANCELABLE")
    assert Goal.objects.get().state == "pending"


@pytest.mark.parametrize(
    ("scope", "method", "params"),
    [
        (Scope.GOALS_READ, "SendMessage", {"message": {}}),
        (Scope.GOALS_READ, "CancelTask", {"id": "1"}),
        (Scope.GOALS_WRITE, "GetTask", {"id": "1"}),
        (Scope.GOALS_WRITE, "ListTasks", {}),
    ],
)
def test_each_method_needs_its_scope(owner: User, scope: Scope, method: str, params: Any) -> None:
    answer = Caller(owner, scope).post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    assert answer.status_code == 403
    assert "insufficient_scope" in answer.headers["WWW-Authenticate"]


def test_without_a_token_nothing_is_answered(olga: Caller, owner: User, client_of: Callable[[User], Client]) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {}}
    for headers in ({"authorization": ""}, {"authorization": "Bearer wrong"}):
        answer = olga.post(body, **headers)
        assert answer.status_code == 401
        assert "Bearer" in answer.headers["WWW-Authenticate"]
    cookies = client_of(owner).post("/a2a/", json.dumps(body), content_type="application/json")
    assert cookies.status_code == 401


# --- what is no request --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("{", -32700),
        ('{"id": 1, "id": 2}', -32700),
        ("[" * 100_000, -32700),
        ([], -32600),
        ({"id": 1, "method": "GetTask"}, -32600),
        ({"jsonrpc": "2.0", "method": "GetTask"}, -32600),
        ({"jsonrpc": "2.0", "id": True, "method": "GetTask"}, -32600),
        ({"jsonrpc": "2.0", "id": 1}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "message/send"}, -32601),
        ({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": []}, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": 7}}, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "CreateTaskPushNotificationConfig", "params": {}}, -32003),
        ({"jsonrpc": "2.0", "id": 1, "method": "GetExtendedAgentCard"}, -32007),
    ],
)
def test_what_is_no_request_is_refused_in_the_protocols_words(olga: Caller, body: Any, code: int) -> None:
    answer = olga.post(body)
    assert answer.status_code == 200
    assert answer.json()["error"]["code"] == code


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"parts": []}, -32602),
        ({"role": "ROLE_AGENT"}, -32602),
        ({"messageId": ""}, -32602),
        ({"messageId": "x" * 151}, -32602),
        ({"messageId": "a\nb"}, -32602),
        ({"contextId": "x" * 151}, -32602),
        ({"parts": [{"text": ""}]}, -32602),
        ({"parts": [{"text": "x" * 5_000}]}, -32602),
        ({"parts": [{"raw": "aGVsbG8="}]}, -32005),
        ({"parts": [{"text": "look at"}, {"url": "file:///etc/passwd"}]}, -32005),
        ({"parts": [{"data": {"approve": True}}]}, -32005),
    ],
)
def test_what_is_no_message_makes_no_goal(olga: Caller, message: dict[str, Any], code: int) -> None:
    assert error_of(olga.send(**message))[0] == code
    assert not Goal.objects.exists()


@pytest.mark.parametrize("version", ["", "0.3", "2.0"])
def test_another_version_of_the_protocol_is_not_guessed_at(olga: Caller, version: str) -> None:
    answer = olga.post({"jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {}}, **{"a2a-version": version})
    assert error_of(answer.json()) == (-32009, "VERSION_NOT_SUPPORTED")


def test_a_message_that_wants_to_be_pushed_to_makes_no_goal(olga: Caller) -> None:
    message = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Write a note"}]}
    wanted = {"taskPushNotificationConfig": {"url": "http://169.254.169.254/"}, "returnImmediately": True}
    assert error_of(olga.ask("SendMessage", message=message, configuration=wanted))[0] == -32003
    assert not Goal.objects.exists()


def test_a_body_beyond_the_limit_is_not_read_as_json(olga: Caller) -> None:
    assert olga.post(b" " * (513 * 1024)).status_code == 413


def test_an_error_inside_tells_nothing_of_itself(olga: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("the secret of the house")

    monkeypatch.setattr(tasks, "visible_to", broken)
    told = olga.ask("ListTasks")
    assert told["error"]["code"] == -32603
    assert "secret" not in json.dumps(told)


@pytest.mark.django_db(transaction=True)
def test_a_message_waits_for_a_moment_until_somebody_is_needed(
    owner: User, propose_plan: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    from mindx_web.interop.a2a import views

    monkeypatch.setattr(views, "WAIT_S", 0.3)
    caller = Caller(owner, Scope.GOALS_WRITE)
    message = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Write a note"}]}
    assert caller.ask("SendMessage", message=message)["result"]["task"]["status"]["state"] == "TASK_STATE_SUBMITTED"
    propose_plan(Goal.objects.get())
    told = caller.ask("SendMessage", message=message)["result"]["task"]
    assert told["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
