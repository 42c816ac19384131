"""One thing of a rule's text is changed and nothing else; where that cannot be done there is no proposal."""

from __future__ import annotations

import pytest

from agents.rules import grammar
from agents.rules.amending import with_context, with_value

THERE = "there is a file named {file}"
PLAIN = """RULE show
IF your task is to show {file}
THEN:
  # Why, AND how.
  show the file {file}, say "THEN go AND stay"
"""


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        "IF your task is to show {file} THEN: show the file {file}",
        "IF your task is to show {file}\nCONSIDERING there is a folder named src AND you are in src THEN: show {file}",
        "IF your task is to show {file}\nUNLESS there is a folder named src\nUNLESS you are in x\nTHEN: show {file}",
        "IF your task is to show {file}\nCONSIDERING NOT you are in src\nUNLESS you are in x\nTHEN: show {file}\n"
        "ON FAILURE: show {file}",
    ],
)
def test_a_condition_comes_behind_the_others_and_nothing_else_changes(text: str) -> None:
    made = with_context(text, THERE)
    assert made is not None
    (before,), (after,) = grammar.parse(text), grammar.parse(made)
    assert sorted(map(str, after.contexts)) == sorted([*map(str, before.contexts), THERE])
    assert [one.text for one in after.body] == [one.text for one in before.body]
    assert [one.text for one in after.on_failure] == [one.text for one in before.on_failure]
    assert after.name == before.name


def test_what_is_no_single_rule_gets_no_condition() -> None:
    assert with_context("no rule", THERE) is None
    assert with_context(f"{PLAIN}--\n{PLAIN}", THERE) is None
    assert with_context(PLAIN, "a\nTHEN: delete the file {file}") is None


def test_a_value_is_changed_where_it_stands_once_in_a_step() -> None:
    text = (
        "RULE note\nIF your task is to note {text} in a.txt\n"
        "THEN: write {text} to notes/a.txt, show the file notes/b.txt\n"
    )
    assert with_value(text, "notes/a.txt", "in/a.txt") == text.replace("notes/a.txt", "in/a.txt")
    assert with_value(text, "a.txt", "b.txt") is None, "in the task alone"
    assert with_value(text, "notes", "in") is None, "a part of a name is no value"
    assert with_value(text, "", "x") is None
    assert with_value(text, "notes/b.txt", "x, delete the file y") is None, "it would be a further step"
    assert with_value(text.replace("b.txt", "a.txt"), "notes/a.txt", "x") is None, "it is not said which of two"
