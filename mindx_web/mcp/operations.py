"""The tools that mindX offers to clients: name, arguments, the scope that opens each, and what it asks of the API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jsonschema import Draft202012Validator

from mindx_web.mcp.calling import Answer, Caller, ask
from people.scopes import Scope

Arguments = Mapping[str, Any]
# An id goes into a path, so it is digits and nothing else.
_ID = {"type": "string", "pattern": "^[0-9]{1,18}$"}
_DIGEST = {"type": "string", "description": "the plan's digest as you read it; any other is refused"}
_AFTER = {"type": "string", "description": "`next` of the page before"}


@dataclass(frozen=True)
class Operation:
    """One tool. `reads` is false for what changes something."""

    name: str
    description: str
    scope: Scope
    carry_out: Callable[[Caller, Arguments], Answer]
    properties: Mapping[str, Any] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    reads: bool = True

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of its arguments; what is not named is refused."""
        described = {"type": "object", "properties": dict(self.properties), "additionalProperties": False}
        return described | ({"required": list(self.required)} if self.required else {})

    def fault(self, arguments: Arguments) -> str:
        """Why these are no arguments for it; empty when they are."""
        error = next(iter(Draft202012Validator(self.schema).iter_errors(dict(arguments))), None)
        return f"{'.'.join(map(str, error.absolute_path)) or 'arguments'}: {error.message}"[:500] if error else ""


def _submit(caller: Caller, given: Arguments) -> Answer:
    body = {name: value for name, value in given.items() if name != "idempotency_key"}
    return ask(caller, "POST", "goals", body=body, key=given.get("idempotency_key", ""))


def _goal(caller: Caller, given: Arguments) -> Answer:
    return ask(caller, "GET", f"goals/{given['goal']}")


def _result(caller: Caller, given: Arguments) -> Answer:
    goal = _goal(caller, given)
    if goal.refused or goal.data["intent_plan"] is None:
        return goal if goal.refused else Answer(200, {**_ending(goal.data), "steps": []})
    plan = ask(caller, "GET", f"intent-plans/{goal.data['intent_plan']}")
    if plan.refused:
        return plan
    shown = ("position", "phase", "sentence", "state", "reason", "result")
    steps = [{name: step[name] for name in shown} for step in plan.data["intents"]]
    return Answer(200, {**_ending(goal.data), "plan": plan.data["id"], "steps": steps})


def _ending(goal: Mapping[str, Any]) -> dict[str, Any]:
    shown = ("id", "text", "state", "outcome", "reason", "checks", "workspace", "ended_at")
    return {name: goal[name] for name in shown}


def _log(caller: Caller, given: Arguments) -> Answer:
    query = {"after": given.get("after", 0), "limit": given.get("limit", 200)}
    return ask(caller, "GET", f"goals/{given['goal']}/log", query=query)


def _cancel(caller: Caller, given: Arguments) -> Answer:
    return ask(caller, "POST", f"goals/{given['goal']}/cancel")


def _reviews(caller: Caller, given: Arguments) -> Answer:
    query = {"order": "queue", "after": given.get("after"), "limit": given.get("limit", 20)}
    return ask(caller, "GET", "intent-plans", query=query)


def _plan(caller: Caller, given: Arguments) -> Answer:
    return ask(caller, "GET", f"intent-plans/{given['plan']}")


def _decision(kind: str) -> Callable[[Caller, Arguments], Answer]:
    def decide(caller: Caller, given: Arguments) -> Answer:
        body = {name: value for name, value in given.items() if name != "plan"}
        return ask(caller, "POST", f"intent-plans/{given['plan']}/{kind}", body=body)

    return decide


WAIT = "wait_for_goal"
LONGEST_WAIT_S = 25
_GOAL = {"goal": {**_ID, "description": "id of a goal"}}
_PLAN = {"plan": {**_ID, "description": "id of an intent plan"}}
_TEXT = {"type": "string", "maxLength": 10_000}

OPERATIONS = (
    Operation(
        "submit_goal",
        "Submit a goal in plain English. mindX plans it; nothing runs before a person has approved the plan.",
        Scope.GOALS_WRITE,
        _submit,
        {
            "text": {"type": "string", "minLength": 1, "maxLength": 100_000},
            "workspace": {
                "type": "string",
                "description": "name of a workspace of yours; without one it gets a new one",
            },
            "priority": {"type": "integer", "minimum": 1, "maximum": 5, "description": "1 is adopted first"},
            "agent": {"type": "string", "maxLength": 64},
            "idempotency_key": {"type": "string", "maxLength": 180, "description": "repeating it makes no second goal"},
        },
        ("text",),
        reads=False,
    ),
    Operation(
        WAIT,
        "Wait until a goal has ended or needs a person. `status` is working, input_required, completed, failed or "
        "cancelled; input_required names the address at which a person decides, and a state for the next call.",
        Scope.GOALS_READ,
        _goal,
        {
            **_GOAL,
            "seconds": {"type": "number", "minimum": 0, "maximum": LONGEST_WAIT_S, "default": 20},
            "state": {"type": "string", "maxLength": 1_000, "description": "`waiting.state` of the call before"},
        },
        ("goal",),
    ),
    Operation("read_goal", "Read a goal: its state, outcome and plan.", Scope.GOALS_READ, _goal, _GOAL, ("goal",)),
    Operation(
        "read_result",
        "Read what came of a goal: its outcome, what its checks showed, and the result of each step.",
        Scope.REVIEW_READ,
        _result,
        _GOAL,
        ("goal",),
    ),
    Operation(
        "read_log",
        "Read the numbered lines of a goal's log. Ask again after the last number for more.",
        Scope.GOALS_READ,
        _log,
        {
            **_GOAL,
            "after": {"type": "integer", "minimum": 0},
            "limit": {"type": "integer", "minimum": 1, "maximum": 1_000},
        },
        ("goal",),
    ),
    Operation("cancel_goal", "Cancel a goal.", Scope.GOALS_WRITE, _cancel, _GOAL, ("goal",), reads=False),
    Operation(
        "list_reviews",
        "List the plans that await review, most pressing first.",
        Scope.REVIEW_READ,
        _reviews,
        {"after": _AFTER, "limit": {"type": "integer", "minimum": 1, "maximum": 100}},
    ),
    Operation(
        "read_plan",
        "Read a plan as reviewers see it: every step with every argument, the code of tools that people made, and the "
        "digest of exactly these bytes.",
        Scope.REVIEW_READ,
        _plan,
        _PLAN,
        ("plan",),
    ),
    Operation(
        "approve_plan",
        "Approve exactly the plan of this digest, in the name of the token's person and with their rights.",
        Scope.REVIEW_DECIDE,
        _decision("approve"),
        {**_PLAN, "digest": _DIGEST, "comment": _TEXT},
        ("plan", "digest"),
        reads=False,
    ),
    Operation(
        "reject_plan",
        "Reject a plan; its goal is dropped.",
        Scope.REVIEW_DECIDE,
        _decision("reject"),
        {**_PLAN, "digest": _DIGEST, "reason": _TEXT},
        ("plan", "digest", "reason"),
        reads=False,
    ),
    Operation(
        "request_changes",
        "Send a plan back; the agent plans again with the comment.",
        Scope.REVIEW_DECIDE,
        _decision("request-changes"),
        {**_PLAN, "digest": _DIGEST, "comment": _TEXT},
        ("plan", "digest", "comment"),
        reads=False,
    ),
)
BY_NAME: Mapping[str, Operation] = {one.name: one for one in OPERATIONS}
