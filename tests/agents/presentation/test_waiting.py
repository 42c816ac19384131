"""The sentence of a goal that waits before another try."""

from __future__ import annotations

import pytest

from agents.presentation.waiting import Wait, notice


@pytest.mark.parametrize(
    ("goal", "whose"), [(17, "step 2 of goal 17"), (0, "a step of another goal"), (None, "step 2")]
)
def test_it_says_how_long_it_waits_for_whom_and_why(goal: int | None, whose: str) -> None:
    said = notice(Wait(40.2, "12:03:20 UTC", "api.example.org asked to slow down.", 2, goal))
    assert said.text == f"Waiting 40 s: api.example.org asked to slow down ({whose})."
    assert said.way_out == "The next try is at 12:03:20 UTC."


def test_a_moment_is_a_second() -> None:
    assert notice(Wait(0.2, "12:03:20 UTC", "it is locked", 1)).text.startswith("Waiting 1 s: ")
