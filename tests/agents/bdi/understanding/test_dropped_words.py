from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.understand import understand
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

TREE = Tree.of(
    [
        ("Garden/Diary.md", "file"),
        ("Club/Letter to sponsor Brown.txt", "file"),
        ("app/tests/test_fares.py", "file"),
        ("app/server.py", "file"),
        ("build/out.txt", "file"),
        ("sales.csv", "file"),
    ]
)


def _steps(text: str) -> tuple[bool, list[list[tuple[str, dict[str, Any]]]]]:
    """Whether it is taken, and what is meant, or may be: the readings that are offered, in their order."""
    found = understand(text, TREE, REGISTRY)
    offered = [found.meant] if found.is_sure else [one.meant for each in found.questions for one in each.choices]
    return found.is_sure, [[(one.command, dict(one.values())) for one in each] for each in offered]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (
            "Write a note named cellar: shelf 3 is full, start shelf 4.",
            [("write_note", {"name": "cellar", "text": "shelf 3 is full, start shelf 4"})],
        ),
        (
            "Go to app and run pytest -q tests/test_fares.py there.",
            [("cd", {"path": "app"}), ("run", {"command_line": "pytest -q tests/test_fares.py"})],
        ),
        (
            "Write in the end of Diary.md: first pears, 9 August",
            [("write", {"path": "Garden/Diary.md", "content": "first pears, 9 August", "mode": "append"})],
        ),
        ("git init in app, first branch trunk", [("init", {"path": "app", "branch": "trunk"})]),
        ("Where is compute_fare called?", [("grep", {"text": "compute_fare"})]),
        (
            "Rename server.py and call it my best file.py",
            [("mv", {"path": "app/server.py", "to": "app/my best file.py"})],
        ),
        # “Make a branch” makes no folder.
        ("make a directory branch", [("mkdir", {"path": "branch"})]),
    ],
)
def test_what_a_reading_has_let_go_of_is_asked_with_it_in_the_first_answer(text: str, first: list[Any]) -> None:
    is_sure, offered = _steps(text)
    assert not is_sure
    assert offered[0] == first


@pytest.mark.parametrize(
    "text",
    [
        "Is the server.py script run?",
        "I read on your website that you know git, so show me the last 3 commits of the branch main.",
        "My phone is broken, therefore I write: please start python -m http.server 9001 in background as shop",
    ],
)
def test_what_is_told_or_asked_beside_a_command_is_not_taken_for_one(text: str) -> None:
    assert not _steps(text)[0]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (
            "Write a note named cellar: shelf 4, not shelf 3",
            [("write_note", {"name": "cellar", "text": "shelf 4, not shelf 3"})],
        ),
        (
            'search sales.csv with the regular expression "[0-9]+"',
            [("grep", {"text": "[0-9]+", "path": "sales.csv", "regular": True})],
        ),
        ("copy sales.csv and call the copy spring.csv", [("cp", {"path": "sales.csv", "to": "spring.csv"})]),
        ("Go to app and run pytest -q", [("cd", {"path": "app"}), ("run", {"command_line": "pytest -q"})]),
        ("Please create News.md with pears in it", [("write", {"path": "News.md", "content": "pears"})]),
    ],
)
def test_what_lacks_nothing_is_taken(text: str, meant: list[Any]) -> None:
    assert _steps(text) == (True, [meant])


def test_a_pattern_does_not_end_within_what_says_that_it_is_one() -> None:
    assert not _steps("look for ab+ (regex)")[0]
    whole = [("grep", {"path": "sales.csv", "text": "ab+", "regular": True})]
    assert _steps('search sales.csv with the regular expression "ab"+')[1][0] == whole
    assert _steps("look for ab+, regex") == (True, [[("grep", {"text": "ab+", "regular": True})]])


THERE = Workspace.of(("README.md", "app/main.py", "server.py", "todo", "report", "node.js/a.md", "docs/LICENSE"))


@pytest.mark.parametrize(
    ("text", "step"),
    [
        # It is to be made from another one.
        ("I want the branch storm from main", ("create_branch", {"name": "storm", "start": "main"})),
        # A branch, whatever file is called so or might be.
        ("switch to the branch todo", ("switch_branch", {"name": "todo"})),
        ("switch to the branch fix.py", ("switch_branch", {"name": "fix.py"})),
        (
            "start 'python app/main.py' as server.py",
            ("start", {"name": "server.py", "command_line": "python app/main.py"}),
        ),
        # A path, or a name in capitals, is a file's.
        ("write 'x' to docs/news", ("write", {"path": "docs/news", "content": "x"})),
        ("write 'x' to NEWS", ("write", {"path": "NEWS", "content": "x"})),
        # It is there.
        ("append 'x' to report", ("write", {"path": "report", "content": "x", "mode": "append"})),
        # A new name, or a new folder, that is plainly meant.
        ("document app/main.py in docs/pages", ("document", {"path": "app/main.py", "to": "docs/pages"})),
        ("move node.js to docs/first", ("mv", {"path": "node.js", "to": "docs/first"})),
        ("rename app/main.py to app/start", ("mv", {"path": "app/main.py", "to": "app/start"})),
    ],
)
def test_what_is_said_plainly_is_taken(text: str, step: tuple[str, dict[str, Any]]) -> None:
    assert THERE.steps(text) == [step]


def test_a_file_that_is_there_may_be_to_be_replaced() -> None:
    replaced = ("cp", {"path": "README.md", "to": "docs/LICENSE", "overwrite": True})
    assert replaced in THERE.offered("copy README.md to docs/LICENSE")
