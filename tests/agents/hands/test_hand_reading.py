"""What a line typed by hand means with its hosts and its time, and which policies keep it from running unreviewed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from agents.hands import command_reading, hand_commands
from agents.models import Goal, HandCommand
from agents.record.errors import CommandRefused
from agents.states import HandState
from people.models import User
from review.policy.verdict import Action
from sandbox.contract import SessionState
from tests.cast import person
from tests.review.some_policies import in_force

pytestmark = pytest.mark.django_db

TypeIn = Callable[..., HandCommand]


@pytest.fixture
def typist(db: None) -> User:
    return person("tyra", "submitter", "operator")


@pytest.fixture
def goal(typist: User, make_goal: Callable[..., Goal]) -> Goal:
    return make_goal(typist)


@pytest.fixture
def type_in(typist: User, goal: Goal) -> TypeIn:
    def submitted(text: str, **also: Any) -> HandCommand:
        return hand_commands.submit(goal, typist, text, **also)

    return submitted


@pytest.mark.parametrize(
    ("line", "also", "said"),
    [
        ("run hosts=*.example.org python x", {}, "no wildcards"),
        ("run hosts=a.example hosts=b.example python x", {}, "Usage: run"),
        ("run hosts=a.example python x", {"hosts": ["b.example"]}, "Usage: run"),
        ("run timeout_s=soon python x", {}, "Usage: run"),
        ("run timeout_s=0 python x", {}, "from 1 to"),
        ("run timeout_s=2.5 python x", {}, "whole number of seconds"),
        ("run python x", {"hosts": ["https://a.example"]}, "without a scheme"),
        ("ls", {"hosts": ["a.example"]}, "only to the command run"),
        ("ls", {"timeout_s": 5}, "only to the command run"),
        ("start x hosts=a.example python x", {}, "its own sandbox"),
    ],
)
def test_what_cannot_be_let_in_is_refused_with_the_reason(
    type_in: TypeIn, line: str, also: dict[str, Any], said: str
) -> None:
    with pytest.raises(CommandRefused, match=re.escape(said)):
        type_in(line, **also)
    assert not HandCommand.objects.exists()


def test_what_a_policy_forbids_is_forbidden_by_hand_too(type_in: TypeIn, admin: User) -> None:
    in_force(Action.FORBID, admin, "nothing leaves", hosts=["a.example"])
    in_force(Action.FORBID, admin, "prod stays", commands=["rm", "write"], paths=["prod/*"])
    with pytest.raises(CommandRefused, match="Forbidden by policy “nothing leaves”"):
        type_in("run hosts=a.example,b.example python x.py")
    with pytest.raises(CommandRefused, match="Forbidden by policy “prod stays”"):
        type_in("write prod/x y")
    assert type_in("run hosts=b.example true").state == HandState.WAITING


def test_a_policy_looks_at_who_types_not_at_whose_goal_it_is(goal: Goal, admin: User) -> None:
    chief = person("chief", "submitter", "operator", "admin")
    in_force(Action.FORBID, admin, "not the chief", submitters=["chief"])
    with pytest.raises(CommandRefused, match="not the chief"):
        hand_commands.submit(goal, chief, "ls")
    assert hand_commands.submit(goal, goal.submitted_by, "ls").state == HandState.WAITING


@pytest.mark.parametrize("action", [Action.REQUIRE_REVIEW, Action.REQUIRE_TWO])
def test_hosts_that_people_are_to_look_at_first_are_not_for_the_prompt(
    type_in: TypeIn, admin: User, action: Action
) -> None:
    in_force(action, admin, "look first", hosts=["a.example"])
    with pytest.raises(CommandRefused, match=r"A review comes first: policy “look first”.*Propose it as a plan"):
        type_in("run hosts=a.example python x.py")
    assert type_in("run true").state == HandState.WAITING


def test_a_policy_knows_the_folder_that_the_session_stands_in(goal: Goal, typist: User, admin: User) -> None:
    in_force(Action.FORBID, admin, "prod stays", commands=["write"], paths=["prod/*"])
    with pytest.raises(CommandRefused, match="prod stays"):
        command_reading.read(goal, typist, "write x y", SessionState(cwd="prod"))
    assert command_reading.read(goal, typist, "write x y", SessionState(cwd="other")).command == "write"
