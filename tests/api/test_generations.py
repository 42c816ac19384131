"""What models were asked, by the API: every attempt and every failure, to those who may see the goal."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.models import Generation, Goal
from library.models import ModelCall

pytestmark = pytest.mark.django_db
HOSTILE = "<script>\u202e&"


def call_for(goal: Goal, **more: Any) -> ModelCall:
    values = {"purpose": "plan", "model": "openai/one", "request_digest": "0", "goal": str(goal.pk), "agent": "1"}
    messages = [{"role": "system", "content": "Plan."}, {"role": "user", "content": HOSTILE}]
    return ModelCall.objects.create(**{**values, "messages": messages, "state": "answered", **more})


def attempted(goal: Goal) -> list[ModelCall]:
    """A plan with a problem, a question without an answer, and the repair."""
    first = call_for(goal, answer=HOSTILE, cost="0.0042", tokens_in=900, tokens_out=80, latency_ms=1200, tries=1)
    problem = {"position": 2, "field": "path", "code": "path_outside", "message": "It leads out."}
    Generation.objects.create(goal=goal, turn=1, attempt=1, call=first, problems=[problem], firmware="general 1.0.0")
    failed = call_for(goal, state="failed", failure="server_error", detail="It had an error.", tries=3)
    second = call_for(goal, answer="{}", answered_by="one-2026")
    Generation.objects.create(goal=goal, turn=2, attempt=1, call=second)
    return [first, failed, second]


def test_every_call_is_listed_newest_first_with_what_came_of_it(api_of: Any, owner: Any, make_goal: Any) -> None:
    goal = make_goal(owner)
    calls = attempted(goal)
    page = api_of(owner).get(f"goals/{goal.pk}/generations").json()
    assert [one["id"] for one in page["items"]] == [str(call.pk) for call in reversed(calls)]
    plan, failed, first = page["items"]
    assert first == {
        "id": str(calls[0].pk),
        "at": first["at"],
        "purpose": "plan",
        "state": "answered",
        "turn": 1,
        "attempt": 1,
        "problems": [{"position": 2, "field": "path", "message": "It leads out."}],
        "cannot": "",
        "firmware": "general 1.0.0",
        "model": "openai/one",
        "answered_by": "",
        "answer": HOSTILE,
        "failure": "",
        "detail": "",
        "requests": 1,
        "tokens_in": 900,
        "tokens_out": 80,
        "cost_usd": "0.00420000",
        "latency_ms": 1200,
    }
    assert (failed["state"], failed["failure"], failed["attempt"], failed["requests"]) == (
        "failed",
        "server_error",
        None,
        3,
    )
    assert (plan["turn"], plan["attempt"], plan["problems"], plan["answered_by"]) == (2, 1, [], "one-2026")
    assert "prompt" not in plan


def test_one_is_read_with_its_prompt_and_only_below_its_goal(api_of: Any, owner: Any, make_goal: Any) -> None:
    goal, other = make_goal(owner), make_goal(owner)
    first = attempted(goal)[0]
    found = api_of(owner).get(f"goals/{goal.pk}/generations/{first.pk}").json()
    assert found["prompt"] == [{"role": "system", "content": "Plan."}, {"role": "user", "content": HOSTILE}]
    assert api_of(owner).get(f"goals/{other.pk}/generations/{first.pk}").status_code == 404
    assert api_of(owner).get(f"goals/{goal.pk}/generations/x").status_code == 404


def test_who_may_not_see_the_goal_sees_none_of_it(
    api_of: Any, owner: Any, outsider: Any, reviewer: Any, make_goal: Any
) -> None:
    goal = make_goal(owner)
    first = attempted(goal)[0]
    for path in (f"goals/{goal.pk}/generations", f"goals/{goal.pk}/generations/{first.pk}"):
        answer = api_of(outsider).get(path)
        assert answer.status_code == 404
        assert "openai" not in json.dumps(answer.json())
        assert api_of(None).get(path).status_code == 401
        assert api_of(reviewer).get(path).status_code == 200
        assert api_of(owner, "files:read").get(path).status_code == 403


def test_pages_go_on_and_ask_as_little_for_many(api_of: Any, owner: Any, make_goal: Any) -> None:
    goal = make_goal(owner)
    calls = [pk for _ in range(5) for pk in [call_for(goal).pk]]
    api, seen, after = api_of(owner), [], ""
    while True:
        page = api.get(f"goals/{goal.pk}/generations?limit=2&after={after}").json()
        seen += [int(one["id"]) for one in page["items"]]
        if page["next"] is None:
            break
        after = page["next"]
    assert seen == calls[::-1]
    counts = []
    for limit in (1, 5):
        with CaptureQueriesContext(connection) as asked:
            api.get(f"goals/{goal.pk}/generations?limit={limit}")
        counts.append(len(asked))
    assert counts[0] == counts[1]
