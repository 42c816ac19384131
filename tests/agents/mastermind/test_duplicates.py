"""When two wishes are one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.mastermind.duplicates import NEAR_ENOUGH, are_one, differ, key, normal


def test_case_punctuation_and_spaces_do_not_make_another_wish() -> None:
    assert key("tool:git", "Add  better error-handling!") == key("tool:git", "add better error-handling")
    assert key("tool:git", "Add tags") != key("tool:notes", "Add tags")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Keep the numbers in summaries", "Do not keep the numbers in summaries"),
        ("Cache results for 1 hour", "Cache results for 24 hours"),
        ("Add a time limit", "Remove the time limit"),
        ("rename the option path to file", "rename the option file to path"),
        ("Document src/a.py", "Document src/b.py"),
        ("Mend what F401 finds", "Mend what E501 finds"),
        ("call it before the check", "call it after the check"),
    ],
)
def test_what_changes_a_meaning_without_moving_it_far_keeps_two_wishes_apart(one: str, other: str) -> None:
    assert differ(one, other)
    assert not are_one(one, other, 0.99)


def test_other_words_for_the_same_are_one_wish_when_they_are_near_enough() -> None:
    assert are_one("Add better error handling", "Improve the error handling", 0.943)
    assert not are_one("Add better error handling", "Add better logging", 0.394)
    assert not are_one("Add better error handling", "Improve the error handling", NEAR_ENOUGH - 0.001)


@given(st.text(max_size=80), st.text(max_size=80))
def test_the_order_of_two_wishes_makes_no_difference(one: str, other: str) -> None:
    assert differ(one, other) == differ(other, one)
    assert not differ(one, one)
    assert normal(normal(one)) == normal(one)
