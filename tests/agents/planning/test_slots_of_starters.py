"""What the slots of the rules that ship take for a value, and what they do not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.models import Goal

pytestmark = pytest.mark.django_db(transaction=True)


def _steps(goal: Goal) -> list[str]:
    return [step["command"] for plan in goal.intent_plans.all() for step in plan.plan.steps]


@pytest.mark.parametrize(
    "text",
    [
        "rename all txt files to lower case",
        "rename all txt files to UPPER CASE",
        "change all txt files to numbers",
        "rename the txt files to the original",
        "rename the txt files to uppercase",
    ],
)
def test_words_that_look_like_no_ending_become_none(ask: Callable[[str], Goal], text: str) -> None:
    assert _steps(ask(text)) == []


@pytest.mark.parametrize("text", ["rename all txt files to md", "turn the txt files into .markdown"])
def test_an_ending_becomes_one(ask: Callable[[str], Goal], text: str) -> None:
    assert set(_steps(ask(text))) == {"toggle_autonomous_mode", "rename_ending"}
