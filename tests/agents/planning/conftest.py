"""Goals in words, planned with the rules that ship."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from django.core.management import call_command

if TYPE_CHECKING:
    from agents.models import Goal
    from people.models import User

FILES = {"old/a.txt": "a\n", "backup.zip": "b\n", "draft.txt": "d\n", "notes.txt": "n\n"}


@pytest.fixture
def ask(owner: User) -> Callable[[str], Goal]:
    """`ask(words)`: a goal in a workspace of a few files, planned with the rules that ship."""
    # Models can be imported only once Django is set up, which is after this file is read.
    from agents.cycle import cycle
    from agents.goals import goals
    from benchmarks.everyday import worlds

    call_command("load_starters", verbosity=0)

    def asked(text: str) -> Goal:
        goal = goals.submit(by=owner, text=text, workspace=worlds.lay(FILES, "words", owner))
        cycle.work(goal.pk)
        goal.refresh_from_db()
        return goal

    return asked
