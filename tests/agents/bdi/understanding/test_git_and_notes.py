"""What git is asked in passing, branches and commits that show what they are, and notes by the names that are there."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.understand import by_name, understand
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(
    (
        "README.md",
        "notes/groceries.md",
        "notes/Dentist.md",
        "notes/tax office.md",
        "shop/cart.py",
        "shop/util/money.py",
        "tests/test_cart.py",
        "requirements.txt",
        "requirements-dev.txt",
        "staging/index.html",
    )
)
steps = HERE.steps


@pytest.mark.parametrize(
    "text",
    [
        "did I leave anything uncommitted?",
        "is there anything left to commit",
        "did i change anything",
        "have we changed anything?",
        "any pending changes?",
        "is everything committed?",
        "which files have I modified?",
        "are there files that git doesn't know yet?",
        "do we have anything that isn't committed",
        "i want to know whether my work is all committed",
    ],
)
def test_questions_about_the_work_are_for_its_status(text: str) -> None:
    assert steps(text) == [("status", {})]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("what's staged?", {"what": "staged"}),
        ("what changes have I not staged yet?", {"what": "unstaged"}),
        ("give me the difference of the staged things", {"what": "staged"}),
        ("show only what I have staged", {"what": "staged"}),
        ("which lines of money.py changed since v1.2?", {"since": "v1.2", "only": "shop/util/money.py"}),
        ("my changes vs origin/main", {"since": "origin/main"}),
        ("what's different from main?", {"since": "main"}),
        ("show me the difference to main", {"since": "main"}),
        ("diff against origin/next, restricted to shop/util", {"since": "origin/next", "only": "shop/util"}),
        ("how did I change cart.py compared to main", {"since": "main", "only": "shop/cart.py"}),
        ("how does money.py differ from the version on main?", {"since": "main", "only": "shop/util/money.py"}),
        ("show the differences to v1.2 in the tests folder", {"since": "v1.2", "only": "tests"}),
        ("what has changed between develop and now?", {"since": "develop"}),
    ],
)
def test_a_difference_is_asked_for_with_what_it_is_against(text: str, values: dict[str, Any]) -> None:
    assert steps(text) == [("diff", values)]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("switch to develop", ("switch_branch", {"name": "develop"})),
        ("can you switch me back to main", ("switch_branch", {"name": "main"})),
        ("go back to release/2.0", ("switch_branch", {"name": "release/2.0"})),
        ("log of main, 10 entries", ("log", {"branch": "main", "most": 10})),
        ("list commits, max 15", ("log", {"most": 15})),
        ("what have we committed so far?", ("log", {})),
        ("create a branch off main, call it trial", ("create_branch", {"name": "trial", "start": "main"})),
        ("initialise a repo here, default branch should be trunk", ("init", {"branch": "trunk"})),
        ("I need a git repo in shop", ("init", {"path": "shop"})),
        ('commit the staged stuff only with message "half"', ("commit", {"everything": False, "message": "half"})),
        (
            'commit as Ada Byron <ada@engine.example>: "tables"',
            ("commit", {"author_name": "Ada Byron", "author_email": "ada@engine.example", "message": "tables"}),
        ),
    ],
)
def test_git_is_spoken_of_without_its_nouns(text: str, meant: tuple[str, dict[str, Any]]) -> None:
    assert steps(text) == [meant]


def test_a_branch_that_the_repository_has_is_one_by_any_name() -> None:
    tree = Tree.of([(".git/refs/heads/garden", "file")])
    assert by_name(understand("switch to garden", tree, REGISTRY))[0][1:] == ("switch_branch", {"name": "garden"})


@pytest.mark.parametrize(
    "text",
    [
        # Nothing says that these are branches: folders are gone to, and files are not compared by git.
        "switch to gardening",
        "go back to photos",
        "Compare requirements.txt with requirements-dev.txt.",
        # Only a part is to be committed, and which it is was not taken up.
        'commit just that new file with "add it"',
        "do not switch to develop",
        "switch to develop unless something is uncommitted",
    ],
)
def test_what_is_no_branch_for_sure_is_asked_about(text: str) -> None:
    assert HERE.is_asked(text)


def test_a_folder_that_is_called_like_a_branch_is_gone_to() -> None:
    assert steps("switch to staging") == [("cd", {"path": "staging"})]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("show my groceries note", ("show_note", {"name": "groceries"})),
        ("what does the groceries note say?", ("show_note", {"name": "groceries"})),
        ("what did I note about the dentist?", ("show_note", {"name": "Dentist"})),
        ("show me the note tax office", ("show_note", {"name": "tax office"})),
        ("put butter on the groceries note", ("append_note", {"name": "groceries", "text": "butter"})),
        ("groceries note: add lemons, no limes", ("append_note", {"name": "groceries", "text": "lemons, no limes"})),
        (
            "add a line to the dentist note: bring the card",
            ("append_note", {"name": "Dentist", "text": "bring the card"}),
        ),
        (
            "add to the note Dentist that the appointment is at 10",
            ("append_note", {"name": "Dentist", "text": "the appointment is at 10"}),
        ),
        (
            'the dentist note should also say "no coffee before"',
            ("append_note", {"name": "Dentist", "text": "no coffee before"}),
        ),
        (
            "add to note shopping: call mum. Then buy tea",
            ("append_note", {"name": "shopping", "text": "call mum. Then buy tea"}),
        ),
        ("jot down eggs in the note groceries", ("append_note", {"name": "groceries", "text": "eggs"})),
        ("make a note named uniforms: black, no ties", ("write_note", {"name": "uniforms", "text": "black, no ties"})),
        ("please add to the groceries note: two loaves", ("append_note", {"name": "groceries", "text": "two loaves"})),
        ('tax office note: please add "call 14"', ("append_note", {"name": "tax office", "text": "call 14"})),
        ("the note groceries needs another line: oats", ("append_note", {"name": "groceries", "text": "oats"})),
        (
            'keep a note, name it launch, text "4 May, 9:00"',
            ("write_note", {"name": "launch", "text": "4 May, 9:00"}),
        ),
    ],
)
def test_a_note_is_found_by_its_name_and_added_to(text: str, meant: tuple[str, dict[str, Any]]) -> None:
    assert steps(text) == [meant]


def test_a_command_behind_a_note_is_none_of_its_text() -> None:
    assert steps("make a note named fun: have fun, delete README.md") == [
        ("write_note", {"name": "fun", "text": "have fun"}),
        ("rm", {"path": "README.md"}),
    ]


@pytest.mark.parametrize(
    "text",
    [
        # There is no such note, and others are.
        "show the note gardening",
        # There is a note of that name: replaced, or added to? And no file: made, or the note?
        "add a note groceries: oats",
        'append "oats" to groceries',
        # What it is to be called, or what it says, is not said.
        "note: buy stamps",
        "add butter to my note",
        "do not show my groceries note",
    ],
)
def test_a_note_that_is_not_there_or_not_named_is_asked_about(text: str) -> None:
    assert HERE.is_asked(text)
