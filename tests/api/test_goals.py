"""Goals by the API: taken, shown to the right people, refused in words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.models import Goal, IntentPlan
from agents.record import logs
from agents.states import GoalState

pytestmark = pytest.mark.django_db


def test_a_goal_is_taken_and_its_address_is_told(api_of: Any, owner: Any) -> None:
    answer = api_of(owner).post("goals", {"text": "Write a note", "priority": 2})
    assert answer.status_code == 201
    goal = answer.json()
    assert answer.headers["Location"] == f"/api/v1/goals/{goal['id']}"
    assert isinstance(goal["id"], str)
    assert {"id", "text", "state", "reason", "workspace", "intent_plan"} <= set(goal)
    assert (goal["text"], goal["state"], goal["priority"], goal["intent_plan"]) == ("Write a note", "pending", 2, None)
    assert api_of(owner).get(f"goals/{goal['id']}").json() == goal


def test_a_goal_says_what_its_checks_showed(api_of: Any, owner: Any, propose_plan: Any) -> None:
    plan = propose_plan(owner)
    before = api_of(owner).get(f"goals/{plan.goal_id}").json()
    assert (before["outcome"], before["checks"]) == ("", [])
    check = {"kind": "parses", "path": "a.py", "steps": [], "word": "fix", "holds": False, "said": "line 1: bad"}
    later = {**check, "kind": "of a later version"}
    IntentPlan.objects.filter(pk=plan.pk).update(check_results=[check, later])
    Goal.objects.filter(pk=plan.goal_id).update(state="achieved", outcome="check_failed")
    told = api_of(owner).get(f"goals/{plan.goal_id}").json()
    assert (told["state"], told["outcome"]) == ("achieved", "check_failed")
    assert told["checks"] == [
        {
            "kind": "parses",
            "path": "a.py",
            "steps": [],
            "sentence": "a.py can be read as Python",
            "holds": False,
            "said": "line 1: bad",
        }
    ]
    assert api_of(owner).get("goals?state=achieved").json()["items"] == [told]


def test_an_achieved_goal_from_before_there_were_checks_is_not_checked(api_of: Any, owner: Any, make_goal: Any) -> None:
    goal = make_goal(owner)
    Goal.objects.filter(pk=goal.pk).update(state="achieved")
    told = api_of(owner).get(f"goals/{goal.pk}").json()
    assert (told["outcome"], told["checks"]) == ("not_checked", [])


def test_a_goal_goes_into_the_named_workspace_and_waits_for_the_named_goals(
    api_of: Any, owner: Any, make_workspace: Any, make_goal: Any
) -> None:
    files, first = make_workspace(owner, "textkit"), make_goal(owner)
    goal = (
        api_of(owner)
        .post("goals", {"text": "Then this", "workspace": files.name, "depends_on": [str(first.pk)]})
        .json()
    )
    assert (goal["workspace"], goal["depends_on"], goal["state"]) == ("textkit", [str(first.pk)], "blocked")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Say what"),
        ("  \n\t ", "Say what"),
        ("a" * (settings.GOAL_TEXT_MAX + 1), "is the most"),
        ("tidy\x00up", "U+0000"),
        ("tidy\x1b[2Jup", "U+001B"),
        ("tidy\x85up", "U+0085"),
    ],
)
def test_a_text_that_cannot_be_a_goal_is_refused_at_its_field(api_of: Any, owner: Any, text: str, said: str) -> None:
    answer = api_of(owner).post("goals", {"text": text})
    assert answer.status_code == 422
    assert answer.headers["Content-Type"] == "application/problem+json"
    (error,) = answer.json()["errors"]
    assert error["field"] == "text"
    assert said in error["message"]
    assert not Goal.objects.exists()


def test_a_text_of_the_most_characters_with_bidirectional_ones_is_taken_as_it_is(api_of: Any, owner: Any) -> None:
    text = "\u202eabc\u2066\n\t".ljust(settings.GOAL_TEXT_MAX, "ü")
    assert api_of(owner).post("goals", {"text": text}).json()["text"] == text


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "text"),
        ({"text": 5}, "text"),
        ({"text": None}, "text"),
        ({"text": ["x"]}, "text"),
        ({"text": "x", "priority": 0}, "priority"),
        ({"text": "x", "priority": 6}, "priority"),
        ({"text": "x", "priority": "3"}, "priority"),
        ({"text": "x", "priority": True}, "priority"),
        ({"text": "x", "priority": 2.5}, "priority"),
        ({"text": "x", "priority": 10**30}, "priority"),
        ({"text": "x", "workspace": 7}, "workspace"),
        ({"text": "x", "workspace": "nowhere"}, "workspace"),
        ({"text": "x", "depends_on": "1"}, "depends_on"),
        ({"text": "x", "depends_on": [1]}, "depends_on.0"),
        ({"text": "x", "depends_on": ["999999"]}, "depends_on.0"),
        ({"text": "x", "depends_on": ["²"]}, "depends_on.0"),
        ({"text": "x", "state": "achieved"}, "state"),
        ({"text": "x", "submitted_by": "ada"}, "submitted_by"),
    ],
)
def test_wrong_types_unknown_fields_and_foreign_names_are_refused_at_their_field(
    api_of: Any, owner: Any, body: dict[str, Any], field: str
) -> None:
    answer = api_of(owner).post("goals", body)
    assert answer.status_code == 422, answer.content
    assert field in [error["field"] for error in answer.json()["errors"]]
    assert not Goal.objects.exists()


def test_a_workspace_or_goal_of_somebody_else_is_as_unknown_as_one_that_never_was(
    api_of: Any, owner: Any, outsider: Any, make_workspace: Any, make_goal: Any
) -> None:
    caller = api_of(outsider)
    theirs, never = ({"text": "x", "workspace": name} for name in (make_workspace(owner).name, "never-was"))
    assert caller.post("goals", theirs).json()["errors"] == caller.post("goals", never).json()["errors"]
    foreign = {"text": "x", "depends_on": [str(make_goal(owner).pk)]}
    assert caller.post("goals", foreign).json()["errors"][0]["field"] == "depends_on.0"


def test_people_see_their_own_goals_and_reviewers_operators_and_admins_see_all(
    api_of: Any, owner: Any, outsider: Any, reviewer: Any, operator: Any, admin: Any, make_goal: Any
) -> None:
    goal = make_goal(owner)
    seen = {
        user.username: [item["id"] for item in api_of(user).get("goals").json()["items"]]
        for user in (owner, outsider, reviewer, operator, admin)
    }
    own = [str(goal.pk)]
    assert seen == {"olga": own, "otto": [], "rita": own, "opal": own, "ada": own}


@pytest.mark.parametrize("path", ["goals/{}", "goals/{}/log", "goals/{}/cancel", "goals/{}/plan"])
def test_a_goal_of_somebody_else_is_not_found_in_the_same_words_as_no_goal(
    api_of: Any, owner: Any, outsider: Any, make_goal: Any, path: str
) -> None:
    goal = make_goal(owner)
    caller = api_of(outsider)
    answers = []
    for goal_id in (goal.pk, goal.pk + 1000):
        address = path.format(goal_id)
        plan = {"steps": [{"tool": "simple_coder", "command": "ls"}]}
        is_read = not address.endswith(("cancel", "plan"))
        answer = caller.get(address) if is_read else caller.post(address, plan if "plan" in address else None)
        assert answer.status_code == 404
        problem = answer.json()
        del problem["instance"]
        answers.append(problem)
    assert answers[0] == answers[1]
    goal.refresh_from_db()
    assert goal.state == GoalState.PENDING


@pytest.mark.parametrize("goal_id", ["0x1", "-1", "1.0", "01", "9" * 30, "²", "%00", "1%20", "null", "%F0%9F"])
def test_what_can_be_no_id_is_not_found(api_of: Any, owner: Any, make_goal: Any, goal_id: str) -> None:
    make_goal(owner)
    answer = api_of(owner).get(f"goals/{goal_id}")
    assert answer.status_code == 404
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_pages_follow_each_other_newest_first_and_end_with_null(api_of: Any, owner: Any, make_goal: Any) -> None:
    newest_first = [str(make_goal(owner, f"goal {number}").pk) for number in range(5)][::-1]
    caller, seen, after, pages = api_of(owner), [], "", 0
    while after is not None:
        page = caller.get(f"goals?limit=2&after={after}").json()
        seen += [item["id"] for item in page["items"]]
        after, pages = page["next"], pages + 1
    assert seen == newest_first
    assert pages == 3


def test_the_list_can_be_narrowed_to_a_state(api_of: Any, owner: Any, make_goal: Any) -> None:
    first = make_goal(owner)
    blocked = make_goal(owner, depends_on=[first])
    caller = api_of(owner)
    assert [item["id"] for item in caller.get("goals?state=blocked").json()["items"]] == [str(blocked.pk)]
    assert caller.get("goals?state=achieved").json() == {"items": [], "next": None}


@pytest.mark.parametrize(
    "query", ["state=flying", "after=x", "after=-1", "limit=0", "limit=101", "limit=x", "after=%00"]
)
def test_a_wrong_question_is_refused_at_its_field(api_of: Any, owner: Any, query: str) -> None:
    answer = api_of(owner).get(f"goals?{query}")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == query.partition("=")[0]


def test_a_long_list_takes_as_many_queries_as_a_short_one(api_of: Any, owner: Any, make_goal: Any) -> None:
    caller = api_of(owner)

    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            caller.get("goals")
        return len(seen)

    make_goal(owner)
    caller.get("goals")  # the token's use is noted by the first request
    few = queries()
    first = make_goal(owner)
    for _ in range(5):
        make_goal(owner, depends_on=[first])
    assert queries() == few <= 6


def test_the_submitter_cancels_at_any_time_and_a_second_time_is_told_that_it_ended(
    api_of: Any, owner: Any, make_goal: Any
) -> None:
    goal = make_goal(owner)
    caller = api_of(owner)
    answer = caller.post(f"goals/{goal.pk}/cancel")
    assert (answer.status_code, answer.json()["state"]) == (200, "dropped")
    assert answer.json()["reason"] == "cancelled_by_person"
    again = caller.post(f"goals/{goal.pk}/cancel", {})
    assert again.status_code == 409
    assert "has ended" in again.json()["detail"]


def test_a_reviewer_sees_a_goal_and_may_not_cancel_it_and_an_operator_may(
    api_of: Any, owner: Any, reviewer: Any, operator: Any, make_goal: Any
) -> None:
    goal = make_goal(owner)
    assert api_of(reviewer).post(f"goals/{goal.pk}/cancel").status_code == 403
    goal.refresh_from_db()
    assert goal.state == GoalState.PENDING
    operators = api_of(operator).post(f"goals/{goal.pk}/cancel")
    assert operators.json()["state"] == "dropped"


def test_the_log_is_read_in_pieces_by_number(api_of: Any, owner: Any, make_goal: Any) -> None:
    goal = make_goal(owner)
    for number in range(4):
        logs.say(goal.pk, "tool.SimpleCoder", "execute", f"<b>line</b> \x1b[31m{number}")
    caller = api_of(owner)
    whole = caller.get(f"goals/{goal.pk}/log").json()
    numbers = [line["number"] for line in whole["lines"]]
    assert numbers == list(range(1, len(numbers) + 1))
    assert whole["next"] is None
    assert {"number", "at", "source", "level", "text"} <= set(whole["lines"][0])
    assert whole["lines"][-1]["text"] == "<b>line</b> \x1b[31m3"
    assert whole["lines"][-1]["data"] == {}
    piece = caller.get(f"goals/{goal.pk}/log?after=1&limit=2").json()
    assert [line["number"] for line in piece["lines"]] == [2, 3]
    assert piece["next"] == 3
    assert caller.get(f"goals/{goal.pk}/log?after=9999").json() == {"lines": [], "next": None}


def test_a_log_line_says_what_it_stands_on(api_of: Any, owner: Any, make_goal: Any) -> None:
    goal = make_goal(owner)
    data: dict[str, Any] = {"original": "readme", "value": "README.md", "span": [4, 10]}
    number = logs.say(goal.pk, "bdi_agent", "resolve", "step 1, path: corrected", **data)
    lines = api_of(owner).get(f"goals/{goal.pk}/log?after={number - 1}").json()["lines"]
    assert [line["data"] for line in lines] == [data]


@pytest.mark.parametrize("after", ["-1", "x", "1e3", str(2**70)])
def test_a_log_number_that_is_none_is_refused(api_of: Any, owner: Any, make_goal: Any, after: str) -> None:
    answer = api_of(owner).get(f"goals/{make_goal(owner).pk}/log?after={after}")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "after")


def test_a_persons_plan_is_proposed_for_a_goal_that_waits_for_one(
    api_of: Any, owner: Any, make_goal: Any, propose_plan: Any
) -> None:
    goal = propose_plan(make_goal(owner)).goal
    steps = [{"tool": "simple_coder", "command": "mkdir", "params": {"path": "docs"}}]
    answer = api_of(owner).post(f"goals/{goal.pk}/plan", {"steps": steps})
    assert answer.status_code == 201, answer.content
    plan = answer.json()
    assert answer.headers["Location"] == f"/api/v1/intent-plans/{plan['id']}"
    assert (plan["revision"], plan["state"], plan["source"]) == (2, "awaiting_review", "person")
    assert [(intent["position"], intent["command"], intent["params"]) for intent in plan["intents"]] == [
        (1, "mkdir", {"path": "docs"})
    ]


def test_a_step_names_its_hosts_and_a_wrong_one_is_named_in_the_answer(
    api_of: Any, owner: Any, make_goal: Any, propose_plan: Any
) -> None:
    goal = propose_plan(make_goal(owner)).goal
    run = {"tool": "simple_coder", "command": "run"}
    wrong = [{**run, "params": {"command_line": "python x.py", "hosts": ["https://example.org"]}}]
    refused = api_of(owner).post(f"goals/{goal.pk}/plan", {"steps": wrong})
    assert refused.status_code == 422
    assert "https://example.org" in refused.json()["errors"][0]["message"]
    steps = [
        {**run, "params": {"command_line": "python x.py", "hosts": ["Example.org", "127.0.0.1:8123"]}},
        {**run, "params": {"command_line": "pip install httpx"}},
    ]
    plan = api_of(owner).post(f"goals/{goal.pk}/plan", {"steps": steps}).json()
    assert [intent["hosts"] for intent in plan["intents"]] == [["127.0.0.1:8123", "example.org"], ["packages"]]


def test_a_plan_by_hand_with_problems_names_each_step_and_stores_nothing(
    api_of: Any, owner: Any, make_goal: Any, propose_plan: Any
) -> None:
    plan = propose_plan(make_goal(owner))
    steps = [
        {"tool": "simple_coder", "command": "mkdir", "params": {"path": "docs"}},
        {"tool": "simple_coder", "command": "format_disk", "params": {}},
        {"tool": "simple_coder", "command": "mkdir", "params": {"path": 5}},
    ]
    answer = api_of(owner).post(f"goals/{plan.goal_id}/plan", {"steps": steps})
    assert answer.status_code == 422
    fields = {error["field"] for error in answer.json()["errors"]}
    assert any(field.startswith("step 2") for field in fields)
    plan.refresh_from_db()
    assert plan.state == "awaiting_review"
    assert plan.goal.intent_plans.count() == 1


@pytest.mark.parametrize(
    "body",
    [
        {"steps": []},
        {"steps": "mkdir docs"},
        {"steps": [{"tool": "simple_coder"}]},
        {"steps": [{"tool": "simple_coder", "command": "ls", "params": []}]},
        {"steps": [{"tool": "simple_coder", "command": "ls", "shell": True}]},
        {"steps": [{"tool": "simple_coder", "command": "ls", "params": {"path": "a\x00b"}}]},
        {"steps": [{"tool": "simple_coder", "command": "ls", "params": {"path": 2**60}}]},
    ],
)
def test_a_plan_of_another_shape_is_refused(
    api_of: Any, owner: Any, make_goal: Any, propose_plan: Any, body: dict[str, Any]
) -> None:
    goal = propose_plan(make_goal(owner)).goal
    answer = api_of(owner).post(f"goals/{goal.pk}/plan", body)
    assert answer.status_code == 422, answer.content
    assert answer.json()["errors"]


def test_a_plan_by_hand_for_a_goal_that_plans_itself_is_a_conflict(api_of: Any, owner: Any, make_goal: Any) -> None:
    steps = [{"tool": "simple_coder", "command": "ls", "params": {}}]
    answer = api_of(owner).post(f"goals/{make_goal(owner).pk}/plan", {"steps": steps})
    assert answer.status_code == 409
    assert "pending" in answer.json()["detail"]


def test_a_person_without_a_role_that_submits_is_refused(api_of: Any, owner: Any) -> None:
    owner.roles = []
    owner.save()
    answer = api_of(owner).post("goals", {"text": "x"})
    assert answer.status_code in {403, 422}
    assert json.loads(answer.content)["detail"]
    assert not Goal.objects.exists()


def test_a_goal_names_the_agent_that_it_is_for(api_of: Any, owner: Any) -> None:
    from django.utils import timezone

    from agents.models import Agent, Goal

    Agent.objects.create(name="scout")
    Agent.objects.create(name="gone", retired_at=timezone.now())
    api = api_of(owner)
    goal = api.post("goals", {"text": "Look around", "agent": "Scout"}).json()
    scout = str(Agent.objects.get(name="scout").pk)
    assert goal["agent"] == scout
    assert api.post("goals", {"text": "Look around", "agent": scout}).json()["agent"] == scout
    assert api.post("goals", {"text": "Look around"}).json()["agent"] == str(Agent.objects.get(name="mindx").pk)
    for name, said in (
        ("gone", "retired"),
        ("scuot", "Did you mean scout?"),
        ("", "There is no agent"),
        ("9" * 18, "There is no agent"),
    ):
        refused = api.post("goals", {"text": "Look around", "agent": name})
        assert refused.status_code == 422
        (error,) = refused.json()["errors"]
        assert error["field"] == "agent"
        assert said in error["message"]
    assert Goal.objects.count() == 3


def test_so_many_goals_a_minute_and_the_answer_says_when_there_is_room(
    api_of: Any, owner: Any, outsider: Any, settings: Any
) -> None:
    settings.GOALS_PER_MINUTE = 2
    ask = api_of(owner)
    for _ in range(2):
        assert ask.post("goals", {"text": "Write a note"}).status_code == 201
    refused = ask.post("goals", {"text": "Write a note"})
    assert (refused.status_code, refused.headers["Content-Type"]) == (429, "application/problem+json")
    assert refused.json()["type"] == "urn:mindx:problem:too_many_goals"
    assert 0 < int(refused.headers["Retry-After"]) <= 30
    assert owner.goals.count() == 2
    assert api_of(outsider).post("goals", {"text": "Write a note"}).status_code == 201, "others have their own count"


def test_a_request_that_is_repeated_is_no_further_goal(api_of: Any, owner: Any, settings: Any) -> None:
    settings.GOALS_PER_MINUTE = 1
    for _ in range(3):
        again = api_of(owner).post("goals", {"text": "Write a note"}, Idempotency_Key="one")
        assert again.status_code == 201
