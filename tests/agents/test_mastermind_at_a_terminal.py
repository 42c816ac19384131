"""`manage.py mastermind`: what it prints, in which shape, and what a shell is told."""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from agents.models import Agent, Belief, Goal, Workspace
from people.models import User
from sandbox.store.snapshots import EMPTY

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def first_agent(db: None) -> Agent:
    return Agent.objects.get_or_create(name="mindx")[0]


def run(*words: str, by: User, typed: str = "", monkeypatch: pytest.MonkeyPatch | None = None) -> tuple[str, str, int]:
    out, err = io.StringIO(), io.StringIO()
    if monkeypatch is not None:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    try:
        call_command("mastermind", "--as", by.username, *words, stdout=out, stderr=err)
    except SystemExit as ended:
        return out.getvalue(), err.getvalue(), int(str(ended.code))
    return out.getvalue(), err.getvalue(), 0


def test_an_answer_says_what_was_understood(owner: User) -> None:
    out, err, code = run("evolve", "the", "summarisation", "tool", by=owner)
    assert (err, code) == ("", 0)
    assert out.startswith("understood: evolve summarization\n")
    assert f"Goal {Goal.objects.get().pk} was submitted" in out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["status"], 0),
        (["statsu"], 2),
        (["agent_create", "bdi_agent", "x"], 3),
        (["agent_delete", "mindx"], 3),
    ],
)
def test_the_exit_status_says_how_it_ended(owner: User, words: list[str], code: int) -> None:
    out, err, ended = run(*words, by=owner)
    assert ended == code
    assert bool(err) == (code != 0)
    assert bool(out) == (code == 0)


def test_a_refusal_by_the_state_of_things_has_a_status_of_its_own(operator: User) -> None:
    assert run("agent_delete", "mindx", by=operator)[2] == 4


def test_json_has_one_shape_for_every_outcome(owner: User) -> None:
    shape = {"outcome", "command", "understood", "said", "goals", "items", "suggestions", "data", "exit"}
    for words, outcome in (
        (["--json", "deploy", "a", "page"], "done"),
        (["deploy", "a", "page", "--json"], "done"),
        (["--json", "evovle"], "not_understood"),
        (["--json", "agent_list"], "done"),
        (["--json", "agent_create", "bdi_agent", "x"], "not_allowed"),
    ):
        out, err, _ = run(*words, by=owner)
        told = json.loads(out)
        assert (set(told), told["outcome"], err) == (shape, outcome, "")
        assert out.count("\n") == 1


def test_lines_come_in_where_there_is_no_terminal_and_the_worst_status_counts(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, err, code = run(by=owner, typed="status\n\nstatsu\nagent_list\n", monkeypatch=monkeypatch)
    assert "Open goals: none." in out
    assert "mindx: at work" in out
    assert "“statsu” is not a command" in err
    assert code == 2


def test_what_a_goal_says_never_steers_the_terminal(owner: User) -> None:
    """Past every check at the entrance: written into the table as an older version might have."""
    hostile = "\x1b]0;owned\x07\x1b[2Jsheep ‮evil​\x9b31m"
    goal = Goal.objects.create(
        text=hostile, submitted_by=owner, agent=Agent.objects.get(), workspace=_workspace(owner), reason=hostile
    )
    Belief.objects.create(goal=goal, sentence=hostile, source="person", at=timezone.now())
    for words in (["introspect"], ["--json", "introspect"], ["coord_query", "\x1b[2J"], ["\x1b[31mstatus"]):
        out, err, _ = run(*words, by=owner)
        assert not {"\x1b", "\x07", "\x9b", "‮", "​"} & set(out + err), words
    assert "sheep" in run("introspect", by=owner)[0]


def _workspace(owner: User) -> Workspace:
    return Workspace.objects.create(name="pasture", owner=owner, head=EMPTY)


def test_waiting_ends_with_the_goal(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """The goal's end is written at the moment the command would sleep: no clock decides this test."""
    cases = (("achieved", "not_checked", 0), ("achieved", "handed_over", 1), ("failed", "", 1), ("dropped", "", 1))
    for state, outcome, code in cases:
        Goal.objects.filter(ended_at=None).update(state="dropped", ended_at="2026-01-01T00:00:00Z")

        def end(_: float, state: str = state, outcome: str = outcome) -> None:
            Goal.objects.filter(state="pending").update(state=state, outcome=outcome, ended_at="2026-01-01T00:00:00Z")

        monkeypatch.setattr(time, "sleep", end)
        out, _, ended = run("--wait", "deploy", "a", "page", by=owner)
        assert ended == code
        words = {"not_checked": "ran, not checked", "handed_over": "handed over"}
        assert words.get(outcome, f"is {state}") in out


def test_waiting_gives_up_after_its_time(owner: User) -> None:
    out, _, code = run("--wait", "--timeout", "0", "--json", "deploy", "a", "page", by=owner)
    assert code == 5
    assert json.loads(out)["ended"][0]["state"] == "pending"


def test_nobody_of_that_name_is_said(db: None) -> None:
    with pytest.raises(CommandError, match="no active person"):
        call_command("mastermind", "--as", "nobody", "status")


def test_a_person_who_may_not_log_in_any_more_gives_no_commands(owner: User) -> None:
    owner.is_active = False
    owner.save()
    with pytest.raises(CommandError, match="no active person"):
        call_command("mastermind", "--as", owner.username, "status")


def test_help_lists_every_command(owner: User, make_goal: Callable[..., Goal]) -> None:
    from agents.mastermind.commands import COMMANDS

    out, _, _ = run("help", by=owner)
    assert all(command.form in out for command in COMMANDS)
    assert "For example: deploy an agent named scout" in run("help", "deploy", by=owner)[0]
