"""Goals with empty quotations and with digits that are none of 0 to 9 are read like any other."""

from __future__ import annotations

import pytest

from agents.bdi.recovery.simpler_goal import parts
from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.understand import understand
from agents.bdi.understanding.words.numerals import whole_number
from agents.presentation.schema_form import read
from agents.toolkit.registry import REGISTRY

TREE = Tree.of([("a.txt", "file"), ("chapter2.md", "file"), ("notes", "dir")])


@pytest.mark.parametrize(
    "text",
    [
        '""',
        'read ""',
        'write "" to the file a.txt',
        'the first "" of a.txt',
        'show the first “” and the second ""',
        'delete that "" file',
        "show chapter \U00010a40",
        "show the chapter\U00010a40 2",
        "delete chapter ² and chapter ٢",
        "run a.txt for ²-minutes",
        "run a.txt for at most ➑-seconds",
        f"show chapter {'1' * 5_000}",
    ],
)
def test_empty_quotations_and_odd_digits_are_read(text: str) -> None:
    found = understand(text, TREE, REGISTRY)
    assert found.questions or found.is_sure or not found.meant


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2", 2),
        ("007", 7),
        ("٢", 2),
        ("", None),
        ("²", None),
        ("\U00010a40", None),
        ("1.5", None),
        ("-1", None),
        ("9" * 18, 10**18 - 1),
        ("9" * 19, None),
    ],
)
def test_a_whole_number_is_written_in_decimal_digits(text: str, number: int | None) -> None:
    assert whole_number(text) == number


@pytest.mark.parametrize("text", ["a \x005\x00. Then show b", "\x000\x00; show a.txt"])
def test_a_goal_with_control_characters_falls_apart_like_any_other(text: str) -> None:
    assert len(parts(text)) == 2


def test_quoted_text_of_a_goal_is_never_taken_apart() -> None:
    assert parts('write "a. Then b" to x.txt. Then show x.txt') == ('write "a. Then b" to x.txt', "show x.txt")


@pytest.mark.parametrize("typed", ["²", "--5", "5-", "-", "\U00010a40"])
def test_what_is_no_whole_number_in_a_form_is_refused(typed: str) -> None:
    command = next(
        one for one in REGISTRY.commands if any(kind.get("type") == "integer" for kind in one.properties.values())
    )
    name = next(name for name, kind in command.properties.items() if kind.get("type") == "integer")
    _, errors = read(command, {name: typed})
    assert errors[name] == "This must be a whole number."
