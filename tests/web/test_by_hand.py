"""The plan a person writes: read while it is typed, validated whole, reviewed like any other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from agents.models import Goal, IntentPlan, ToolLimit
from agents.record.moves import move_goal
from agents.states import GoalState

if TYPE_CHECKING:
    from django.test import Client

    from people.models import User

Maker = Callable[..., Goal]
ClientOf = Callable[["User"], "Client"]


@pytest.fixture
def manual_goal(owner: User, make_goal: Maker) -> Goal:
    goal = move_goal(make_goal(owner, "Keep a diary"), GoalState.PLANNING, by="bdi_agent")
    return move_goal(goal, GoalState.MANUAL, by="bdi_agent", reason="no_relevant_rule")


def post(client: Client, goal: Goal, **data: str) -> tuple[int, str]:
    answer = client.post(reverse("goal-plan-by-hand", args=[goal.pk]), data)
    return answer.status_code, answer.content.decode()


def steps_in(page: str) -> str:
    """What stands in the text of the steps."""
    return page.split('name="steps"', 1)[1].split(">", 1)[1].split("</textarea>", 1)[0].strip()


def test_phrases_become_a_plan_that_awaits_review(manual_goal: Goal, owner: User, client_of: ClientOf) -> None:
    status, _ = post(
        client_of(owner),
        manual_goal,
        steps='create the folder diary\nwrite "dear diary" to the file diary/one.txt',
        cleanup="list the files in diary",
        action="propose",
    )
    assert status == 302
    manual_goal.refresh_from_db()
    assert manual_goal.state == "awaiting_review"
    plan = IntentPlan.objects.get(goal=manual_goal)
    assert list(plan.intents.values_list("phase", "command")) == [
        ("main", "mkdir"), ("main", "write"), ("cleanup", "ls")
    ]  # fmt: skip
    assert plan.plan.source == "person"
    assert plan.plan.by == owner


def test_a_problem_stands_at_its_line_and_nothing_is_proposed(
    manual_goal: Goal, owner: User, client_of: ClientOf
) -> None:
    written = 'create the folder diary\n\ndance with me\nwrite "x" to the file ../../etc/passwd'
    status, page = post(client_of(owner), manual_goal, steps=written, action="propose")
    assert status == 422
    assert "line 3" in page
    assert "dance with me" in steps_in(page)
    status, page = post(client_of(owner), manual_goal, steps=written.replace("dance with me\n", ""), action="propose")
    assert status == 422
    assert "line 3" in page
    assert 'aria-invalid="true"' in page
    assert not IntentPlan.objects.exists()
    manual_goal.refresh_from_db()
    assert manual_goal.state == "manual"


def test_a_path_that_leaves_the_workspace_and_comes_back_is_refused_by_hand(
    manual_goal: Goal, owner: User, client_of: ClientOf
) -> None:
    status, page = post(client_of(owner), manual_goal, steps="create the folder x/../../root/y", action="propose")
    assert (status, IntentPlan.objects.exists()) == (422, False)
    assert "leads out of the workspace" in page


def test_a_time_above_the_limit_is_told_while_the_plan_is_written(
    manual_goal: Goal, owner: User, client_of: ClientOf
) -> None:
    ToolLimit.objects.create(agent=manual_goal.agent, hard_s=40)
    url = reverse("goal-plan-check", args=[manual_goal.pk])
    for time_s, told in ((40, False), (41, True)):
        text = f"run python x.py within {time_s} seconds"
        page = client_of(owner).post(url, {"steps": text, "cleanup": ""}).content.decode()
        assert ("may ask for 40 s at most" in page) is told
    assert post(client_of(owner), manual_goal, steps=text, action="propose")[0] == 422
    assert not IntentPlan.objects.exists()


def test_an_empty_plan_is_no_plan(manual_goal: Goal, owner: User, client_of: ClientOf) -> None:
    status, page = post(client_of(owner), manual_goal, steps=" \n ", action="propose")
    assert status == 422
    assert "no steps" in page


def test_what_was_read_follows_the_typing(manual_goal: Goal, owner: User, client_of: ClientOf) -> None:
    address = reverse("goal-plan-check", args=[manual_goal.pk])
    page = client_of(owner).post(address, {"steps": "create the folder <b>\u202e"}).content.decode()
    assert page.strip().startswith('<section class="card" id="hand-check"')
    assert "<b>\u202e" not in page
    good = client_of(owner).post(address, {"steps": "create the folder diary"}).content.decode()
    assert "no problems" in good
    assert '<ins class="verbatim">diary</ins>' in good


def test_a_step_is_added_without_a_script(manual_goal: Goal, owner: User, client_of: ClientOf) -> None:
    client = client_of(owner)
    _, page = post(client, manual_goal, steps="create the folder a", add="create the folder b", action="add")
    assert steps_in(page) == "create the folder a\ncreate the folder b"


def test_a_form_is_made_out_of_the_schema_and_becomes_a_line(
    manual_goal: Goal, owner: User, client_of: ClientOf
) -> None:
    client = client_of(owner)
    _, page = post(client, manual_goal, steps="create the folder a", command="simple_coder.write", action="form")
    assert 'name="p.path"' in page
    assert '<textarea class="textarea mono" id="hand-p-content"' in page
    filled = {"command_filled": "simple_coder.write", "p.path": "a/b.py", "p.content": "if 1:\r\n    print('x')\r\n"}
    status, page = post(client, manual_goal, steps="create the folder a", action="insert", **filled)
    assert status == 200
    assert steps_in(page).startswith("create the folder a\n")
    assert "no problems" in page
    post(client, manual_goal, steps=_unescaped(steps_in(page)), action="propose")
    plan = IntentPlan.objects.get(goal=manual_goal)
    assert plan.plan.steps[1]["params"]["content"]["value"] == "if 1:\n    print('x')\n"


def test_a_switch_that_is_off_says_nothing_in_the_line(manual_goal: Goal, owner: User, client_of: ClientOf) -> None:
    filled = {"command_filled": "simple_coder.run", "p.command_line": "python x.py"}
    _, page = post(client_of(owner), manual_goal, steps="", action="insert", **filled)
    assert _unescaped(steps_in(page)).strip() == "run python x.py"


def test_a_form_filled_wrongly_is_shown_again_with_the_error(
    manual_goal: Goal, owner: User, client_of: ClientOf
) -> None:
    filled = {"command_filled": "simple_coder.run", "p.command_line": "python x.py", "p.timeout_s": "soon"}
    status, page = post(client_of(owner), manual_goal, steps="", action="insert", **filled)
    assert status == 422
    assert "whole number" in page
    assert 'value="python x.py"' in page
    assert steps_in(page) == ""


def test_clean_up_can_be_added_from_a_form(manual_goal: Goal, owner: User, client_of: ClientOf) -> None:
    filled = {"command_filled": "simple_coder.ls", "p.path": "diary", "where": "cleanup"}
    _, page = post(client_of(owner), manual_goal, steps="", action="insert", **filled)
    assert "list the files in diary" in page.split('name="cleanup"', 1)[1].split("</textarea>", 1)[0]


def test_completion_offers_phrases(manual_goal: Goal, owner: User, client_of: ClientOf) -> None:
    address = reverse("goal-plan-phrases", args=[manual_goal.pk])
    items = client_of(owner).get(address, {"q": "create the fo"}).json()["items"]
    assert items[0]["text"] == "create the folder {path}"
    assert client_of(owner).get(address, {"q": "x" * 5_000}).status_code == 200


def test_a_plan_in_review_can_be_rewritten_from_its_own_lines(
    owner: User, propose_plan: Callable[..., IntentPlan], client_of: ClientOf
) -> None:
    plan = propose_plan(owner)
    client = client_of(owner)
    page = client.get(reverse("goal-plan-by-hand", args=[plan.goal_id])).content.decode()
    lines = _unescaped(steps_in(page))
    assert lines.splitlines()[0] == "create the folder notes"
    post(client, plan.goal, steps=lines + "\ncreate the folder more", action="propose")
    plan.refresh_from_db()
    assert plan.state == "superseded"
    fresh = IntentPlan.objects.get(goal=plan.goal, state="awaiting_review")
    assert [spec["command"] for spec in fresh.plan.steps] == ["mkdir", "write", "mkdir"]


def test_a_goal_that_takes_no_plan_says_so(owner: User, make_goal: Maker, client_of: ClientOf) -> None:
    goal = make_goal(owner)
    answer = client_of(owner).get(reverse("goal-plan-by-hand", args=[goal.pk]), follow=True)
    assert "cannot be planned by hand now" in answer.content.decode()


@pytest.mark.parametrize("name", ["goal-plan-by-hand", "goal-plan-check"])
def test_others_write_no_plans(
    name: str, manual_goal: Goal, outsider: User, reviewer: User, client_of: ClientOf
) -> None:
    address = reverse(name, args=[manual_goal.pk])
    assert client_of(outsider).post(address, {"steps": "x"}).status_code == 404
    assert client_of(reviewer).post(address, {"steps": "x"}).status_code == 403


def test_an_enormous_text_is_bounded(manual_goal: Goal, owner: User, client_of: ClientOf) -> None:
    status, page = post(client_of(owner), manual_goal, steps="create the folder a\n" * 5_000, action="check")
    assert status == 200
    assert "More than 200 steps" in page


def _unescaped(text: str) -> str:
    from html import unescape

    return unescape(text)
