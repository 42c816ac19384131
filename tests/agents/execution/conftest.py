"""Approved plans to execute, and turning the cycle in the test's own process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from tests.models.conftest import provider as provider

if TYPE_CHECKING:
    from agents.models import Goal, HandCommand, IntentPlan
    from people.models import User


def write(path: str, content: str = "x") -> dict[str, Any]:
    """A step that writes a file."""
    return {"tool": "simple_coder", "command": "write", "params": {"path": path, "content": content}}


def run(command_line: str) -> dict[str, Any]:
    """A step that runs a program."""
    return {"tool": "simple_coder", "command": "run", "params": {"command_line": command_line}}


def _proposing(owner: User, make_goal: Callable[..., Goal]) -> Callable[..., IntentPlan]:
    from django.db import transaction

    from agents.models import Goal
    from agents.plans import proposals
    from agents.record.moves import move_goal
    from agents.states import GoalState

    def made(steps: Sequence[Mapping[str, Any]], cleanup: Sequence[Mapping[str, Any]] = (), **goal: Any) -> IntentPlan:
        of = make_goal(owner, **goal)
        draft, problems = proposals.draft_by_hand(of, steps, cleanup, by=owner)
        assert problems == []
        with transaction.atomic():
            locked = Goal.objects.select_for_update(no_key=True).get(pk=of.pk)
            move_goal(locked, GoalState.PLANNING, by="a test")
            return proposals.propose(locked, draft, by=owner)

    return made


@pytest.fixture
def proposed_by_hand(transactional_db: None, owner: User, make_goal: Callable[..., Goal]) -> Callable[..., IntentPlan]:
    """`proposed_by_hand(steps, cleanup=…, workspace=…)`: an intent plan that awaits review."""
    return _proposing(owner, make_goal)


@pytest.fixture
def approved(
    transactional_db: None, owner: User, reviewer: User, make_goal: Callable[..., Goal]
) -> Callable[..., IntentPlan]:
    """`approved(steps, cleanup=…, workspace=…)`: an intent plan that a reviewer has approved; nothing ran yet."""
    from review.deciding import decisions

    propose = _proposing(owner, make_goal)

    def made(*steps: Any, **goal: Any) -> IntentPlan:
        plan = propose(*steps, **goal)
        return decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")

    return made


def give_up(goal_id: int, by: User) -> None:
    """A person answers the goal's call for a hand by giving the plan up; what is left to do is done."""
    from agents.cycle import cycle
    from agents.hands import hand_items
    from agents.models import HandItem

    hand_items.abort(HandItem.objects.get(goal=goal_id, answered_at=None), by=by)
    cycle.work(goal_id)


@pytest.fixture
def file_of() -> Callable[[IntentPlan, str], bytes]:
    """`file_of(plan, path)`: a file's bytes in the workspace's head; KeyError when it is not there."""
    from agents.models import Workspace
    from agents.workspaces.stores import store

    def content(plan: IntentPlan, path: str) -> bytes:
        head = Workspace.objects.get(pk=plan.workspace_id).head
        with store().open(head, path.encode()) as file:
            return file.read()

    return content


@pytest.fixture
def typist(transactional_db: None) -> User:
    """An operator with goals of their own: may type commands into their sessions."""
    from tests.cast import person

    return person("tyra", "submitter", "operator", first_name="Tyra", last_name="Lund")


@pytest.fixture
def typist_goal(typist: User, make_goal: Callable[..., Goal]) -> Goal:
    """A goal of the typist's, which no worker has looked at."""
    return make_goal(typist)


@pytest.fixture
def type_in(typist: User, typist_goal: Goal) -> Callable[..., HandCommand]:
    """`type_in("mkdir notes", run=True, …)`: a command of the typist in their goal, carried out by this process."""
    from agents.hands import hand_commands, typed
    from agents.models import HandCommand

    def made(text: str, *, run: bool = True, **also: Any) -> HandCommand:
        command = hand_commands.submit(typist_goal, typist, text, **also)
        if run:
            typed.work(command.pk)
        return HandCommand.objects.get(pk=command.pk)

    return made
