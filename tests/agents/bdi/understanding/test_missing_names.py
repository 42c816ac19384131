"""What is looked for under a name that nothing here has: it is bent, or asked about, only where that helps."""

from __future__ import annotations

import pytest

from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(
    (
        "README.md",
        "customer.py",
        "customers/ada.csv",
        "docs/TODO.md",
        "logs/error.log",
        "main.js",
        "main.py",
        "notes/pears.md",
        "plans/spring.md",
        "plant/pear.md",
    )
)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        # It is there, and something else is called nearly so.
        ("find files named customer", "customer"),
        ("find README files", "README"),
        # Nothing is called so in small letters either.
        ("find *.TXT", "*.TXT"),
        # No word that says which: a name, that nothing here has yet.
        ("find v2 files", "v2"),
        # The file that is called so.
        ("find TODO in docs", "TODO.md"),
    ],
)
def test_what_is_looked_for_stays_as_it_is_said(text: str, pattern: str) -> None:
    (step,) = HERE.steps(text)
    assert (step[0], step[1]["pattern"]) == ("find", pattern)


@pytest.mark.parametrize(("text", "place"), [("grep todo in plann", "plans"), ("grep todo in mian", "main.js")])
def test_a_place_that_is_called_nearly_so_is_offered(text: str, place: str) -> None:
    """Two are as near, and neither is taken."""
    assert ("grep", {"text": "todo", "path": place}) in HERE.offered(text)


def test_what_is_called_nearly_so_is_offered_beside_what_may_be_no_name() -> None:
    assert "notes" in [values.get("pattern") for _, values in HERE.offered("find notse files")]


def test_half_the_name_of_a_place_is_no_place_to_look_in() -> None:
    there = Workspace.of(("server logs/error.log",))
    assert ("grep", {"text": "ERROR"}) in there.offered("find ERROR in logs")


def test_what_is_written_down_is_looked_for_nowhere() -> None:
    meant = [("append_note", {"name": "pears", "text": "buy pears in york"})]
    assert HERE.steps("add to the note pears: buy pears in york") == meant
