"""mindX as an MCP server, asked by the official client: a tool does what the token may, and nothing else."""

from __future__ import annotations

import importlib.util
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from asgiref.sync import async_to_sync
from django.core import signing

from agents.cycle import cycle
from agents.models import Goal, IntentPlan
from agents.states import GoalState, PlanState
from mindx_web.mcp import operations, state, waits
from mindx_web.mcp.calling import Caller, ask
from mindx_web.mcp.state import StateRefused, Waiting
from people import scopes

if TYPE_CHECKING:
    from people.models import User

pytestmark = [
    pytest.mark.extras,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(importlib.util.find_spec("mcp") is None, reason="requirements-interop.txt is not installed"),
]
TokenOf = Callable[..., str]


def asked(secret: str, work: Callable[[Any], Awaitable[Any]], **client: Any) -> Any:
    """What the official client gets from a server that acts with this token."""
    from mcp import Client

    from mindx_web.mcp import server

    async def main() -> Any:
        async with Client(server.make(lambda context: Caller(secret)), **client) as connected:
            return await work(connected)

    return async_to_sync(main)()


def call(secret: str, name: str, **given: Any) -> Any:
    """The result of one tool."""
    return asked(secret, lambda client: client.call_tool(name, given))


def names(secret: str) -> set[str]:
    async def listed(client: Any) -> set[str]:
        return {tool.name for tool in (await client.list_tools()).tools}

    found: set[str] = asked(secret, listed)
    return found


@pytest.fixture
def plan(owner: User, propose_plan: Callable[..., IntentPlan]) -> IntentPlan:
    return propose_plan(owner)


def test_a_client_is_offered_what_its_token_is_for(reviewer: User, owner: User, token_of: TokenOf) -> None:
    assert names(token_of(reviewer)) == {*operations.BY_NAME}
    assert names(token_of(owner, "goals:read")) == {"wait_for_goal", "read_goal", "read_log"}
    decides = {"approve_plan", "reject_plan", "request_changes"}
    assert not decides & names(token_of(owner))


@pytest.mark.parametrize("operation", operations.OPERATIONS, ids=lambda one: one.name)
def test_no_tool_does_anything_without_its_scope(
    operation: operations.Operation, reviewer: User, plan: IntentPlan, token_of: TokenOf
) -> None:
    given = {"goal": str(plan.goal_id), "plan": str(plan.pk), "digest": plan.digest, "text": "x"}
    given |= {"reason": "because it is so", "comment": "another way, please"}
    secret = token_of(reviewer, *(scope.value for scope in scopes.grantable_to(reviewer) if scope != operation.scope))
    result = call(secret, operation.name, **{name: given[name] for name in operation.required})
    assert result.is_error
    assert result.structured_content["type"] == "urn:mindx:problem:insufficient_scope"
    plan.refresh_from_db()
    assert plan.state == PlanState.AWAITING_REVIEW
    assert Goal.objects.count() == 1


def test_a_plan_is_decided_by_its_digest_and_by_who_may(
    reviewer: User, owner: User, outsider: User, plan: IntentPlan, token_of: TokenOf, settings: Any
) -> None:
    number, digest = str(plan.pk), plan.digest
    shown = call(token_of(reviewer), "read_plan", plan=number).structured_content
    assert (shown["digest"], len(shown["intents"])) == (digest, 2)
    assert call(token_of(outsider), "read_plan", plan=number).structured_content["status"] == 404
    stale = call(token_of(reviewer), "approve_plan", plan=number, digest="0" * 64)
    assert stale.structured_content["status"] == 409
    # With four eyes on, whoever submitted the goal decides nothing of it, whatever they are besides.
    settings.FOUR_EYES = True
    owner.roles = ["submitter", "reviewer"]
    owner.save()
    own = call(token_of(owner), "approve_plan", plan=number, digest=digest)
    assert own.is_error
    plan.refresh_from_db()
    assert plan.state == PlanState.AWAITING_REVIEW
    approved = call(token_of(reviewer), "approve_plan", plan=number, digest=digest)
    assert not approved.is_error, approved
    plan.refresh_from_db()
    assert plan.state == PlanState.APPROVED


def test_reviews_are_listed_and_rejected_with_a_reason(reviewer: User, plan: IntentPlan, token_of: TokenOf) -> None:
    secret = token_of(reviewer)
    listed = call(secret, "list_reviews").structured_content["items"]
    assert [one["id"] for one in listed] == [str(plan.pk)]
    assert not call(secret, "reject_plan", plan=str(plan.pk), digest=plan.digest, reason="Not needed.").is_error
    assert call(secret, "read_goal", goal=str(plan.goal_id)).structured_content["state"] == "dropped"
    assert call(secret, "wait_for_goal", goal=str(plan.goal_id)).structured_content["status"] == "cancelled"


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("read_goal", {"goal": "1/cancel"}),
        ("read_goal", {"goal": "../tuning"}),
        ("read_goal", {"goal": 1}),
        ("read_goal", {"goal": "1", "more": True}),
        ("submit_goal", {"text": ""}),
        ("submit_goal", {"text": "x", "priority": 9}),
        ("wait_for_goal", {"goal": "1", "seconds": 600}),
    ],
)
def test_arguments_are_checked_before_anything_is_asked(
    name: str, given: dict[str, Any], owner: User, token_of: TokenOf
) -> None:
    result = call(token_of(owner), name, **given)
    assert result.is_error
    assert result.structured_content["type"] == "urn:mindx:problem:invalid"
    assert not Goal.objects.exists()


def test_a_client_without_addresses_is_told_where_a_person_decides(
    owner: User, plan: IntentPlan, token_of: TokenOf, settings: Any
) -> None:
    told = call(token_of(owner), "wait_for_goal", goal=str(plan.goal_id)).structured_content
    assert told["status"] == "input_required"
    assert told["waiting"]["address"] == f"{settings.PUBLIC_URL}/review/{plan.pk}/"
    assert told["waiting"]["digest"] == plan.digest
    blind = call(token_of(owner, "goals:read"), "wait_for_goal", goal=str(plan.goal_id)).structured_content
    assert blind["waiting"]["digest"] is None


def test_a_goal_that_needs_a_person_says_so_and_one_that_is_worked_on_too(
    owner: User, make_goal: Callable[..., Goal], token_of: TokenOf, settings: Any
) -> None:
    goal = make_goal(owner, "Reconcile the ledger of the harbour")
    wait = {"goal": str(goal.pk), "seconds": 0.2}
    assert call(token_of(owner), "wait_for_goal", **wait).structured_content["status"] == "working"
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.MANUAL
    told = call(token_of(owner), "wait_for_goal", **wait).structured_content
    assert (told["status"], told["waiting"]["plan"]) == ("input_required", None)
    assert told["waiting"]["address"] == f"{settings.PUBLIC_URL}/goals/{goal.pk}/"


def test_a_person_is_shown_the_plan_once_and_the_state_waits_for_another(
    owner: User, reviewer: User, plan: IntentPlan, token_of: TokenOf
) -> None:
    from mcp_types import ElicitResult

    seen: list[Any] = []

    async def shown(context: Any, params: Any) -> Any:
        seen.append(params)
        return ElicitResult(action="accept")

    secret = token_of(owner)
    given = {"goal": str(plan.goal_id), "seconds": 0.3}
    result = asked(secret, lambda client: client.call_tool("wait_for_goal", given), elicitation_callback=shown)
    told = result.structured_content
    assert [one.url for one in seen] == [told["waiting"]["address"]]
    assert (told["status"], told["plan_changed"]) == ("input_required", False)


def test_a_state_is_mindx_s_own_for_one_token_and_one_goal_and_expires(
    owner: User, reviewer: User, plan: IntentPlan, token_of: TokenOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal, secret = str(plan.goal_id), token_of(owner)
    given = call(secret, "wait_for_goal", goal=goal).structured_content["waiting"]["state"]

    def refused(who: str, said: str) -> str:
        result = call(who, "wait_for_goal", goal=goal, seconds=0, state=said)
        assert result.is_error
        assert result.structured_content["type"] == "urn:mindx:problem:state_refused"
        return str(result.structured_content["detail"])

    assert not call(secret, "wait_for_goal", goal=goal, seconds=0, state=given).is_error
    assert "another token" in refused(token_of(owner), given)
    assert "did not give" in refused(secret, given[:-1] + ("A" if given[-1] != "A" else "B"))
    assert "did not give" in refused(secret, signing.dumps({"token": 1}, salt="another"))
    assert "did not give" in refused(secret, signing.dumps({"odd": 1}, salt="mindx.mcp.waiting"))
    with pytest.raises(StateRefused):
        state.read(given, token=1, goal="999")
    monkeypatch.setattr(state, "LIVES", timedelta(seconds=-1))
    assert "has expired" in refused(secret, given)


def test_a_state_gives_no_right(owner: User, outsider: User, plan: IntentPlan, token_of: TokenOf) -> None:
    from people import tokens

    other = tokens.find(token_of(outsider))
    assert other is not None
    forged = state.give(Waiting(other.pk, str(plan.goal_id), str(plan.pk), plan.digest))
    result = async_to_sync(waits.wait)(Caller(token_of(owner)), {"goal": str(plan.goal_id), "seconds": 0})
    assert result.data["status"] == "input_required"
    told = call(token_of(outsider), "read_goal", goal=str(plan.goal_id))
    assert told.structured_content["status"] == 404
    with pytest.raises(StateRefused):
        async_to_sync(waits.wait)(Caller(token_of(outsider)), {"goal": str(plan.goal_id), "state": forged})


def test_a_repeated_submission_makes_no_second_goal(owner: User, token_of: TokenOf) -> None:
    secret = token_of(owner)
    first, second = (call(secret, "submit_goal", text="Write a note", idempotency_key="k") for _ in range(2))
    assert first.structured_content["id"] == second.structured_content["id"]
    assert Goal.objects.count() == 1


def test_an_unknown_tool_and_a_dead_token_are_errors(owner: User, token_of: TokenOf) -> None:
    from mcp import MCPError

    async def unknown(client: Any) -> str:
        with pytest.raises(MCPError) as refused:
            await client.call_tool("drop_everything", {})
        return str(refused.value)

    assert asked(token_of(owner), unknown) == "There is no tool with this name."
    assert ask(Caller("mindx_wrong"), "GET", "goals").status == 401
    assert call("mindx_wrong", "read_goal", goal="1").structured_content["status"] == 401
