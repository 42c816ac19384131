"""“mindX cannot do this” is one sentence, told by the page, the log and the API alike."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from agents.bdi.planning.means_ends import OVER_LIMIT
from agents.beliefs import set_items
from agents.models import Goal
from agents.planning import planning, refusals
from agents.rules.file_sets import Items
from agents.states import GoalState
from agents.toolkit.types import NoPlan
from people.models import User


def _rejected(code: str, why: str) -> dict[str, Any]:
    return {"rejected": [{"rule": {"name": "sort it"}, "code": code, "why": why}]}


def _told(reason: str, **evidence: Any) -> str:
    return refusals.told(refusals.answered(NoPlan(reason, evidence)).evidence)


def test_what_comes_near_is_told_in_words_with_what_would_help() -> None:
    told = _told("no_rule_compiled", nearest=["“x” says nothing of “y”"], **_rejected("misnamed_value", "no column z."))
    assert told.startswith("mindX cannot do this: no rule and no command does all of it. What comes nearest: ")
    assert "“x” says nothing of “y”; the rule “sort it”, but no column z." in told
    assert "A language model (none is set up) or a rule for it would help" in told


def test_where_nothing_comes_near_it_is_said_so() -> None:
    assert "no rule and no command comes near it" in _told("no_relevant_rule")


def test_a_limit_is_told_as_the_limit_of_its_rule() -> None:
    told = _told(OVER_LIMIT, **_rejected("too_many_files", "the files are 501, and a plan is for 500 at most"))
    assert told.startswith(
        "The rule “sort it” matches this goal, but the files are 501, and a plan is for 500 at most."
    )
    assert "cannot" not in told


@pytest.mark.parametrize("reason", ["no_applicable_rule", "question_open: Which?", "failed_step_again"])
def test_reasons_that_say_what_is_missing_stay_as_they_are(reason: str) -> None:
    found = NoPlan(reason, _rejected("not_applicable", "x"))
    assert refusals.answered(found) == found


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("remove the heading of README.md", "“remove a file” (simple_coder.rm with path = README.md) says nothing of"),
        ("reserve a table for four at the harbour", "no rule and no command comes near it"),
    ],
)
def test_page_log_and_api_tell_alike_what_mindx_cannot_do(
    goal_about: Callable[..., Goal],
    owner: User,
    client_of: Callable[[User], Client],
    api_of: Callable[[User], Any],
    text: str,
    near: str,
) -> None:
    goal = goal_about(text)
    assert goal.state == GoalState.MANUAL
    said = goal.reason.partition(": ")[2]
    assert said.startswith("mindX cannot do this: ")
    assert near in said
    assert api_of(owner).get(f"goals/{goal.pk}").json()["reason"] == goal.reason
    assert any(said.rstrip(".") in line.text for line in goal.log_lines.all())
    page = client_of(owner).get(f"/goals/{goal.pk}/").content.decode()
    assert said in page
    assert "What is meant by" not in page


@pytest.mark.django_db(transaction=True)
def test_page_log_and_api_tell_a_limit_alike(
    goal_about: Callable[..., Goal],
    owner: User,
    client_of: Callable[[User], Client],
    api_of: Callable[[User], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    call_command("load_starters", stdout=io.StringIO())
    many = Items(tuple(f"{number}.tmp" for number in range(500)), 1)
    monkeypatch.setattr(set_items, "look_in", lambda workspace: lambda of: many)
    goal = goal_about("delete all the .tmp files")
    assert goal.reason.startswith(f"{OVER_LIMIT}: The rule “delete files” matches this goal, but ")
    said = goal.reason.partition(": ")[2]
    assert "are 501, and a plan is for 500 at most" in said
    assert api_of(owner).get(f"goals/{goal.pk}").json()["reason"] == goal.reason
    assert any(said.rstrip(".") in line.text for line in goal.log_lines.all())
    page = client_of(owner).get(f"/goals/{goal.pk}/").content.decode()
    assert "are 501, and a plan is for 500 at most" in page
    assert planning.may_plan_again(goal)
