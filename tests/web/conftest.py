"""What the pages of the frame share in tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.browser import chromium, open_page  # noqa: F401  # fixtures of the browser tests here

# pytest reads this file before Django is set up.
if TYPE_CHECKING:
    from agents.models import Goal
    from agents.states import GoalState
    from people.models import User


@pytest.fixture
def goal_rows(db: None) -> Callable[..., list[Goal]]:
    """`goal_rows(user, states, **fields)`: a goal in each of the states, as rows and without their history."""
    from agents.models import Agent, Goal, Workspace
    from sandbox.store.snapshots import EMPTY

    def made(user: User, *states: GoalState, **fields: object) -> list[Goal]:
        agent, _ = Agent.objects.get_or_create(name="mindx")
        workspace, _ = Workspace.objects.get_or_create(
            name=f"of-{user.username}", defaults={"owner": user, "head": EMPTY}
        )
        values = {"text": "Write a note", "agent": agent, "workspace": workspace, "submitted_by": user, **fields}
        return [Goal.objects.create(state=state.value, **values) for state in states]

    return made
