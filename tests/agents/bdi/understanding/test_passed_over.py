"""What was once passed over in silence: a word that said which, where or what else, and nobody took up."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.understanding.understand import by_name, understand
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(
    (
        "README.md",
        "main.py",
        "docs/plan.md",
        "reports/march.md",
        "archive/old files/.keep",
        "first box/papers/.keep",
        "second box/papers here/.keep",
        "third box/papers here/.keep",
    )
)
steps = HERE.steps


@pytest.mark.parametrize("text", ["move main.py to old files", "move main.py to the old files folder"])
def test_a_folder_with_a_space_in_its_name_takes_what_is_put_wherever_it_lies(text: str) -> None:
    assert steps(text) == [("mv", {"path": "main.py", "to": "archive/old files/main.py"})]


def test_of_two_folders_of_a_name_with_a_space_neither_is_taken() -> None:
    assert HERE.is_asked("move main.py to papers here")


@pytest.mark.parametrize(
    "text",
    [
        # “But” is no name of a file.
        "list all files but the newest",
        "list the reports but the newest",
        # Which of them?
        "find md files; the newest",
        "find md files, the newest",
        # The other half of it.
        "switch autonomous mode off, and on",
        "turn autonomous mode off, then back on",
        # It is about the branch, and none is made.
        "that branch is important",
        "the folder is full",
        # When, and no name.
        "create a new branch now",
        "create a new branch today",
    ],
)
def test_what_nobody_took_up_is_asked(text: str) -> None:
    assert HERE.is_asked(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("find md files", ("find", {"pattern": "*.md", "kind": "file"})),
        ("switch autonomous mode off", ("toggle_autonomous_mode", {"on": False})),
        ("create a new branch named storm now", ("create_branch", {"name": "storm"})),
        (
            "add to the note list: milk, bread and butter",
            ("append_note", {"name": "list", "text": "milk, bread and butter"}),
        ),
    ],
)
def test_what_is_like_it_is_done(text: str, meant: tuple[str, dict[str, Any]]) -> None:
    assert steps(text) == [meant]


def test_a_word_that_takes_something_back_is_no_name() -> None:
    assert HERE.is_asked("find all files but")
    assert HERE.is_asked("find files except main.py")
    assert steps("search for 'files except'") == [("grep", {"text": "files except"})]


def test_whoever_adds_to_a_note_never_replaces_it() -> None:
    for text in (
        "add to note list: milk",
        "add to note list: call mum. Then buy tea",
        "add to the note list: call him",
    ):
        assert all(command != "write_note" for _, command, _ in by_name(understand(text, HERE.tree, REGISTRY)))
    assert steps("add a note named list: milk") == [("write_note", {"name": "list", "text": "milk"})]
