"""Which remembered run a plan had followed where a person changed it."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.learning.followed_runs import replaced, was_followed


def steps(*values: Any) -> list[dict[str, Any]]:
    return [{"params": {f"p{at}": {"value": value} for at, value in enumerate(values)}}]


def test_what_a_person_replaced_is_neither_in_the_new_plan_nor_in_the_goal() -> None:
    words = replaced(steps("old/reports/week7.txt", "7 of Kolmi"), steps("new/reports/week7.txt"), "store Kolmi")
    assert words == {"old"}


@pytest.mark.parametrize(
    ("remembered", "follows"),
    [
        ("Write old/reports/week3.txt.", True),
        ("Write OLD/week3.txt.", True),
        ("Write older/week3.txt.", False),
        ("Write new/reports/week3.txt.", False),
        ("", False),
    ],
)
def test_only_a_run_that_names_it_was_followed(remembered: str, follows: bool) -> None:
    assert was_followed(remembered, frozenset({"old"})) is follows


@pytest.mark.parametrize("value", [7, None, True, ["12", 3], {"deep": {"n": 4}}, "", "a1 12 %% \0"])
def test_values_without_words_replace_nothing(value: Any) -> None:
    assert replaced(steps(value), steps("other"), "") == frozenset()


def test_words_in_lists_and_objects_count() -> None:
    assert replaced(steps(["x.csv", {"to": "archive/may"}]), steps(["x.csv"]), "") == {"archive", "may"}


def test_nothing_changed_replaces_nothing() -> None:
    assert replaced(steps("old/reports"), steps("old/reports"), "") == frozenset()
    assert not was_followed("Write old/reports.", frozenset())
