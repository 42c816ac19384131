"""What seems sure part by part and is doubtful as a whole is asked, with what else may be meant among the answers."""

from __future__ import annotations

import pytest

from agents.bdi.understanding.understand import by_name, understand
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(
    (
        "Orchard/Picking diary.md",
        "Orchard/Rows 12/Yields 2024.csv",
        "Orchard/Millfield 4/Trees.csv",
        "Orchard/Course lectures/Lecture 1 Pruning.md",
        "Orchard/Course lectures/Lecture 2 Grafting.md",
        "Orchard/Buyers.csv",
        "src/server.py",
        "src/server.js",
        "harbours/Calais.md",
        "harbors/Dover.md",
        "speeches/Opening speech.md",
        "notes/jars.md",
    )
)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        # An existing file keeps what it holds unless somebody says that it shall not.
        ("write in the picking diary: frost in row nine", {"mode": "append"}),
        ("show me lecture one of the course", {"path": "Orchard/Course lectures/Lecture 1 Pruning.md"}),
        ("move the buyers to Millfield", {"to": "Orchard/Millfield 4/Buyers.csv"}),
        ("which files mention the buyer Meyer?", {"text": "Meyer"}),
        ("is frost mentioned anywhere in Orchard?", {"text": "frost"}),
        ("open server", {"path": "src/server.js"}),
        # There is no such file, and a note is.
        ("append lids to jars", {"name": "jars", "text": "lids"}),
        # Words before a name may belong to it.
        ("copy the opening speech to the speech short.md", {"to": "speeches/the speech short.md"}),
        # Words before a text may only say what follows.
        ("write note jam: the line should auld", {"name": "jam", "text": "should auld"}),
        # Two are there that are written nearly so.
        ("make a folder harbour", {"path": "harbours"}),
        # Half of the name that it has: copying to “Course” would be something else.
        ("copy Course lectures to Course for Amelie", {}),
        # “Regular” may say how to look.
        ("search Orchard for the expression ab+, regular", {"text": "ab+, regular"}),
        ("search for frost, however spelled", {"text": "frost, however spelled"}),
        # Both are code.
        ("audit server", {"path": "src/server.js"}),
    ],
)
def test_what_else_may_be_meant_is_asked(text: str, other: dict[str, str]) -> None:
    found = understand(text, HERE.tree, REGISTRY)
    assert not found.is_sure
    choices = [(question, choice) for question in found.questions for choice in question.choices]
    offered = [one.values() for _, choice in choices for one in choice.meant]
    offered += [{question.parameter: choice.value} for question, choice in choices if question.parameter]
    assert not other or any(other.items() <= values.items() for values in offered), offered


@pytest.mark.parametrize(
    ("text", "tool", "values"),
    [
        ('replace the content of Orchard/Buyers.csv with "none"', "write", {"content": "none"}),
        ("show me lecture 2 grafting", "read", {"path": "Orchard/Course lectures/Lecture 2 Grafting.md"}),
        ("copy the picking diary to Picking diary short.md", "cp", {"to": "Orchard/Picking diary short.md"}),
        ("copy src/server.py to src/server_old.py", "cp", {"to": "src/server_old.py"}),
        ('search for "the buyer Meyer"', "grep", {"text": "the buyer Meyer"}),
        ('write "text 3" to the file three.txt', "write", {"content": "text 3"}),
        ("open server.js", "read", {"path": "src/server.js"}),
    ],
)
def test_what_is_said_plainly_is_taken(text: str, tool: str, values: dict[str, str]) -> None:
    (step,) = by_name(understand(text, HERE.tree, REGISTRY))
    assert step[1] == tool
    assert values.items() <= step[2].items()


def test_what_is_shown_by_two_of_its_names_is_shown_once_and_what_changes_things_is_never_merged() -> None:
    shown = by_name(understand("open Orchard/Buyers.csv and read the buyers", HERE.tree, REGISTRY))
    assert [(command, values) for _, command, values in shown] == [("read", {"path": "Orchard/Buyers.csv"})]
    text = 'append "x" to Orchard/Buyers.csv and append "x" to Orchard/Buyers.csv'
    assert len(by_name(understand(text, HERE.tree, REGISTRY))) == 2


def test_the_folder_is_the_one_that_is_made() -> None:
    found = understand("make a folder Scans and show me what the folder holds", HERE.tree, REGISTRY)
    meant = [choice.meant for question in found.questions for choice in question.choices] or [found.meant]
    assert any(one.values().get("path") == "Scans" for one in meant[0][1:])


def test_what_is_offered_instead_says_what_stood_there_and_that_nobody_said_it_so() -> None:
    found = understand("move the buyers to Millfield", HERE.tree, REGISTRY)
    to = found.questions[0].choices[0].meant[0].params["to"]
    assert (to.value, to.origin, to.original) == ("Orchard/Millfield 4/Buyers.csv", "mapping", "Millfield")
    found = understand("write in the picking diary: frost in row nine", HERE.tree, REGISTRY)
    assert found.questions[0].choices[0].meant[0].params["mode"].origin == "mapping"
