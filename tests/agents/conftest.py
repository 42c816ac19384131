"""What the tests of the mind share."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from agents.models import Goal
    from people.models import User


@pytest.fixture(autouse=True)
def _word_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence model is the library's business; here it would only cost seconds."""
    from tests.library.vectors import install

    install(monkeypatch)


@pytest.fixture
def goal_about(owner: User, make_goal: Callable[..., Goal]) -> Callable[..., Goal]:
    """`goal_about("text")`: a goal over a few files, as the worker leaves it."""
    from agents.cycle import cycle
    from agents.workspaces import workspaces

    def made(
        text: str, by: User | None = None, files: tuple[str, ...] = ("README.md", "src/app.py", "src/util.py")
    ) -> Goal:
        goal = make_goal(by or owner, text)
        for path in files:
            workspaces.put_file(goal.workspace, by=by or owner, path=path, source=io.BytesIO(b"x = 1\n"))
        cycle.work(goal.pk)
        return type(goal).objects.get(pk=goal.pk)

    return made
