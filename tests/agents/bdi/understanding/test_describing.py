"""Things that are described and not named, turned round, counted or called “it”."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.understanding.names.descriptions import described
from agents.bdi.understanding.names.paths import ANY, FILE, Tree
from agents.bdi.understanding.understand import by_name, understand
from agents.bdi.understanding.words.tokens import number_of, tokens_of, with_numbers
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

PATHS = (
    "README.md",
    "letters/to_landlord.txt",
    "letters/offer.txt",
    "recipes/lentil_soup.md",
    "plants/roses.py",
    "plants/rose_bed.csv",
    "tools/unit_converter_tool.py",
    "photos/beach.jpg",
    "config/database.yml",
    "invoices/2023/may.csv",
    "archive/.keep",
    "cellar/wine/list.txt",
    "lab/pyvenv.cfg",
)
HERE = Workspace.of(PATHS)
TREE, steps = HERE.tree, HERE.steps


@pytest.mark.parametrize(
    ("words", "heads", "path"),
    [
        (["letter", "landlord"], [], "letters/to_landlord.txt"),
        (["recipe", "lentil", "soup"], [], "recipes/lentil_soup.md"),
        (["unit", "converter"], ["tool"], "tools/unit_converter_tool.py"),
        (["beach"], ["photo"], "photos/beach.jpg"),
        (["database", "configuration"], [], "config/database.yml"),
        (["may", "2023"], ["table"], "invoices/2023/may.csv"),
        # Misspelt, and in another number.
        (["lentils", "soop"], [], ""),
        (["lentils", "soup"], [], "recipes/lentil_soup.md"),
        # Every word must be said by something.
        (["letter", "grandmother"], [], ""),
        # What only a folder says names no file in it.
        (["letter"], [], ""),
    ],
)
def test_a_description_means_what_all_of_its_words_fit(words: list[str], heads: list[str], path: str) -> None:
    assert (described(words, heads, TREE, FILE).value or "") == path


def test_of_several_that_fit_the_one_is_meant_whose_name_says_no_more() -> None:
    found = described(["rose"], ["file"], TREE, FILE)
    assert found.value == "plants/roses.py"
    assert found.confidence < 0.93
    assert {one.path for one in found.choices} == {"plants/roses.py", "plants/rose_bed.csv"}


def test_where_several_fit_alike_nobody_can_tell() -> None:
    tree = Tree.of([("a/red_rose.md", "file"), ("b/blue_rose.md", "file")])
    found = described(["rose"], [], tree, ANY)
    assert found.value is None
    assert len(found.choices) == 2


@pytest.mark.parametrize(
    "text",
    [
        # Two fit, and what is gone is gone.
        "delete the rose file",
        # One of some kind is none of those that are there.
        "send a letter to the landlord",
        "move a photo to the archive",
        # What the words do not name is not taken for what they resemble.
        "open the file",
        "improve the thing",
        "let the agent improve the module",
        # A place that is said to be there and is not.
        "move README.md to the attic",
        # A number of things, of which fewer are named.
        "create three folders: a and b",
        "copy all three letters to the archive",
        # Texts that are told of.
        "write something in README.md",
        "write my address to README.md",
        "send my data",
        # The names of files are not those of new folders.
        "create the folder README.md",
        # What works on code does not work on a photo.
        "audit photos/beach.jpg",
        "find the mistake in the letters",
        # English before it is a program.
        "sort README.md by date",
        # A verb between an article and a noun.
        "give README.md a better name",
        # What stands before it begins another command.
        "make this folder a git status",
        "create a virtual environment and, please, activate",
        # No program, and no package.
        "stop talking",
        "install the washing machine",
        # One thing is none of the folder of many, and a kind of file is no part of a name.
        "delete the letter",
        "delete the photo file",
        # What is said only of how it is.
        "is autonomous mode on?",
        # Nothing but a verb that many commands share.
        "search",
        # Into the folder, or into the file?
        "make the folder red and put a file blue.txt with the text 'x' in it",
        # A tool alone.
        "git tool",
        # Prose behind a program.
        "run pytest on the tests",
        # Of which somebody sees what it is.
        "commit just that new file with 'wip'",
        # Another thing is asked for first.
        "I want to commit",
    ],
)
def test_what_is_only_guessed_is_asked(text: str) -> None:
    found = understand(text, TREE, REGISTRY)
    assert found.questions, by_name(found)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("what is written in the letter to the landlord?", [("read", {"path": "letters/to_landlord.txt"})]),
        ("make two folders please: red and blue", [("mkdir", {"path": "red"}), ("mkdir", {"path": "blue"})]),
        ("I want two directories, red and blue", [("mkdir", {"path": "red"}), ("mkdir", {"path": "blue"})]),
        # Turned round.
        ("offer.txt is to be moved to the archive", [("mv", {"path": "letters/offer.txt", "to": "archive/offer.txt"})]),
        (
            "the environment variable STAGE should be set to test",
            [("set_env", {"name": "STAGE", "value": "test"})],
        ),
        ("I want offer.txt deleted", [("rm", {"path": "letters/offer.txt"})]),
        # “It” by its name.
        (
            "create the branch spike and switch to it",
            [("create_branch", {"name": "spike"}), ("switch_branch", {"name": "spike"})],
        ),
        (
            "make a virtual environment, activate it and install flask",
            [("create_venv", {}), ("activate_venv", {}), ("run", {"command_line": "pip install flask"})],
        ),
        (
            "copy offer.txt to photos and show it",
            [
                ("cp", {"path": "letters/offer.txt", "to": "photos/offer.txt"}),
                ("read", {"path": "photos/offer.txt"}),
            ],
        ),
        # Numbers in words.
        ("read README.md from line a hundred and twenty", [("read", {"path": "README.md", "from_line": 120})]),
        (
            "show only the first twenty lines of README.md",
            [("read", {"path": "README.md", "from_line": 1, "to_line": 20})],
        ),
        (
            "audit plants/roses.py but stop it after two minutes",
            [("audit", {"path": "plants/roses.py", "timeout_s": 120})],
        ),
        # All of it.
        ("audit the whole project", [("audit", {})]),
        # Where it lies.
        ("delete the file offer.txt from the letters folder", [("rm", {"path": "letters/offer.txt"})]),
        # Whose words they are.
        (
            'commit in the name of Eva Blum, eva@blum.test, message: "wip"',
            [("commit", {"message": "wip", "author_name": "Eva Blum", "author_email": "eva@blum.test"})],
        ),
        # What is quoted first is the text; another clause is no part of a value.
        (
            'write a note named maths with the text "page 4, exercise 2", my teacher said so',
            [("write_note", {"name": "maths", "text": "page 4, exercise 2"})],
        ),
        ("run pytest in the background under the name tests", [("start", {"command_line": "pytest", "name": "tests"})]),
        ("activate the virtual environment", [("activate_venv", {"venv_name": "lab"})]),
        ("make a folder called empty", [("mkdir", {"path": "empty"})]),
        (
            "copy offer.txt to offer_old.txt right next to it",
            [("cp", {"path": "letters/offer.txt", "to": "letters/offer_old.txt"})],
        ),
        # Neither is said with its folder: they lie beside each other.
        (
            "copy offer.txt as offer_old.txt",
            [("cp", {"path": "letters/offer.txt", "to": "letters/offer_old.txt"})],
        ),
        # Names as other systems write them, and with spaces.
        ("git-tool status", [("status", {})]),
        ("gitTool create branch tide from main", [("create_branch", {"name": "tide", "start": "main"})]),
        ("list-notes please", [("list_notes", {})]),
        ("open lentil soup.md", [("read", {"path": "recipes/lentil_soup.md"})]),
        # A restriction that is kept.
        (
            "propose fixes for plants/roses.py but only for rule F401",
            [("propose_fixes", {"path": "plants/roses.py", "rules": "F401"})],
        ),
        ("I would like to know what is in the folder letters", [("ls", {"path": "letters"})]),
        # One thing said in several words is not another thing with one of them as its name.
        ("look for problems in plants", [("audit", {"path": "plants"})]),
        ("make folders a, b and c", [("mkdir", {"path": "a"}), ("mkdir", {"path": "b"}), ("mkdir", {"path": "c"})]),
    ],
)
def test_general_ways_of_describing(text: str, wanted: list[tuple[str, dict[str, Any]]]) -> None:
    assert HERE.steps_or_first_answer(text) == wanted


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("a hundred and twenty", 120),
        ("two thousand", 2000),
        ("three hundred forty five", 345),
        ("twenty five", 25),
        ("seven", 7),
        ("five and six", 5),
        ("a thousand two hundred", 1200),
    ],
)
def test_numbers_in_words_are_numbers(text: str, number: int) -> None:
    assert next(found for token in with_numbers(tokens_of(text)) if (found := number_of(token))) == number
