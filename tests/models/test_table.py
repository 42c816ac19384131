"""Every way in which a provider answers, and what mindX makes of it: the goal's state, the rows of calls, the log."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from agents.models import Attempt, Generation, IntentPlan
from agents.states import GoalState
from library.language import generation
from library.models import ModelCall, ModelDay
from people.models import User
from review.models import Approval
from tests.models.conftest import KEY
from tests.models.server import Provider, breaking_off, cut_at_its_length, hanging, refusing, trailing_off
from tests.models.test_planning import GOOD, TEXT, log, planned, said, step

pytestmark = pytest.mark.django_db(transaction=True)
# What the provider counts for each answer, and what that costs (tests/models/conftest.py).
COUNTED = (120, 30, Decimal("0.00018"))
ANSWERED = ("answered", "")


def failed(why: str) -> tuple[str, str]:
    return "failed", why


def endless(asked: Any) -> None:
    """Ten megabytes."""
    asked.begin()
    for _ in range(100):
        asked.piece({"content": "x" * 100_000})


@dataclass(frozen=True)
class Kind:
    """Replies in turn (the last one stays), and what is expected: state, the reason's beginning, rows, a log line.

    `problem` is what the model is told of the first answer; `requests` is how many left.
    """

    replies: tuple[Any, ...]
    state: GoalState
    reason: str
    rows: tuple[tuple[str, str], ...]
    line: str
    requests: int
    problem: str = ""


REVIEW, MANUAL, PENDING = GoalState.AWAITING_REVIEW, GoalState.MANUAL, GoalState.PENDING
PLANNED, REPAIRED = "test-model planned 2 steps", "test-model planned 2 steps after 1 repair"


def good(*replies: Any, requests: int = 1, line: str = PLANNED) -> Kind:
    return Kind(replies, REVIEW, "", (ANSWERED,), line, requests)


def repaired(answer: str, problem: str) -> Kind:
    return Kind((answer, said(GOOD)), REVIEW, "", (ANSWERED, ANSWERED), REPAIRED, 2, problem)


def without(reply: Any, why: str, line: str, requests: int = 3) -> Kind:
    return Kind((reply,), MANUAL, f"model_{why}", (failed(why),), line, requests)


KINDS = {
    "a good plan": good(said(GOOD)),
    "prose around the JSON": good(f"Here it is:\n```json\n{said(GOOD)}\n```\nTell me if {{this}} is fine."),
    "one repair": repaired("I would make a folder.", "no JSON object"),
    "never valid": Kind(
        (said(step(tool="teleport")),),
        MANUAL,
        "model_plan_invalid",
        (ANSWERED,) * 3,
        "and it was sent back as often as it may be",
        3,
        "There is no tool “teleport”",
    ),
    "keys that stand twice": repaired(said(GOOD)[:-1] + ', "steps": []}', "stands twice"),
    "an unknown tool": repaired(said(step(tool="teleport")), "There is no tool “teleport”"),
    "an unknown parameter": repaired(said(step(params={"path": "a", "force": True})), "is not a field of this command"),
    "a wrong type": repaired(said(step(params={"path": 7})), "must be of type string"),
    "an empty answer": repaired("", "no JSON object"),
    "429 with a short Retry-After": good(
        refusing(429, retry_after="0"), said(GOOD), requests=2, line="asking again in"
    ),
    "429 with a long Retry-After": Kind(
        (refusing(429, retry_after="600"),), PENDING, "model_rate_limited", (failed("rate_limited"),), "after", 1
    ),
    "429 without end": without(refusing(429), "rate_limited", "too many requests"),
    "500 without end": without(refusing(500), "server_error", "the provider had an error"),
    "500 and then a plan": good(refusing(500), said(GOOD), requests=2, line="the provider had an error"),
    "a refused key": without(refusing(401, message=f"bad key {KEY}"), "key_refused", "refused the key", 1),
    "a hang": without(hanging, "timed_out", "no answer came in time", 1),
    "a stream that breaks off": without(breaking_off(said(GOOD)[:50]), "cut_off", "the answer was cut off"),
    "a stream that just ends": without(trailing_off(said(GOOD)[:50]), "cut_off", "the answer was cut off"),
    "an answer that is too long": without(cut_at_its_length("{"), "cut_off", "longer than", 1),
    "ten megabytes": without(endless, "answer_too_long", "stopped reading it", 1),
    "approving itself": repaired(said({**GOOD, "approved": True}), "“approved” is no field of the answer"),
    "approving a step": repaired(said(step(approved_by="admin")), "“approved_by” is no field of a step"),
    "a tool that approves": repaired(said(step(tool="admin", command="approve")), "There is no tool “admin”"),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_kind_of_answer_has_its_state_its_rows_and_its_log_line(
    kind: Kind, provider: Provider, owner: User, valkey: object, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generation, "FIRST_WAIT_S", 0.0)
    if kind.replies == (hanging,):
        settings.MODEL_TIMEOUT_S, settings.MODEL_TRIES = 0.5, 1
    provider.will_say(*kind.replies)
    goal = planned(owner)
    assert goal.state == kind.state
    assert goal.reason.startswith(kind.reason)
    assert len(provider.asked) == kind.requests
    rows = list(ModelCall.objects.order_by("pk"))
    assert [(row.state, row.failure) for row in rows] == list(kind.rows)
    for row in rows:
        assert (row.goal, row.agent, row.model) == (str(goal.pk), str(goal.agent_id), "openai/test-model")
        if row.state == "answered":
            assert (row.tokens_in, row.tokens_out, row.cost, row.tokens_are_guessed) == (*COUNTED, False)
        else:
            assert (row.tokens_in > 0) == (row.failure in ("timed_out", "cut_off", "answer_too_long"))
            assert row.detail in log(goal)
            assert row.answer == ""
        assert row.latency_ms is not None
    answers = [row.pk for row in rows if row.state == "answered"]
    day = ModelDay.objects.get()
    assert (day.answered, day.failed) == (len(answers), len(rows) - len(answers))
    assert day.cost == sum(row.cost or 0 for row in rows)
    assert [one.call_id for one in Generation.objects.order_by("pk")] == answers
    assert kind.line in log(goal)
    if kind.problem:
        assert kind.problem in " ".join(one["message"] for one in Generation.objects.order_by("pk")[0].problems)
        assert json.dumps(kind.problem)[1:-1] in provider.asked[1]["messages"][3]["content"]
    if kind.state == REVIEW:
        assert [one["command"] for one in goal.intent_plans.get().plan.steps] == ["mkdir", "write"]
    else:
        assert not IntentPlan.objects.exists()
    if kind.state == MANUAL:
        plan = goal.plans.get()
        assert (plan.source, plan.steps) == ("model", [])
        assert plan.evidence.get("trouble", "") == rows[-1].detail
    assert (goal.wake_at is not None) == (kind.state == PENDING)
    assert KEY not in log(goal) + goal.reason + str([row.detail for row in rows])
    assert not Approval.objects.exists()
    assert not Attempt.objects.exists()
    assert goal.text == TEXT
