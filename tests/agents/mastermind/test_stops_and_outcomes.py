"""When nothing is taken up any more, and what counts as better."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.mastermind.outcomes import Measured, judged
from agents.mastermind.stops import OUTCOMES, Figures, Rules, room, why_item_stopped, why_stopped

RULES = Rules(failures_of_one=3, without_success=4, per_day=5)


def test_when_nothing_succeeded_among_the_last_n_nothing_is_taken_up() -> None:
    assert "None of the last 4" in why_stopped(
        RULES, Figures(["not_achieved", "no_better", "worse", "not_achieved"], 0)
    )
    assert why_stopped(RULES, Figures(["not_achieved"] * 3, 0)) == ""
    assert why_stopped(RULES, Figures(["not_achieved", "improved", "worse", "no_better"], 0)) == ""


def test_what_nobody_measured_neither_stops_nor_saves() -> None:
    assert why_stopped(RULES, Figures(["unmeasured"] * 10, 0)) == ""
    assert why_stopped(RULES, Figures(["not_achieved", "unmeasured"] * 4, 0))


def test_the_budget_of_a_day_holds() -> None:
    assert "5 a day" in why_stopped(RULES, Figures([], 5))
    assert [room(RULES, Figures([], begun), 3) for begun in range(7)] == [3, 3, 3, 2, 1, 0, 0]


def test_an_item_is_stopped_after_so_many_failures_in_a_row() -> None:
    assert why_item_stopped(RULES, 2) == ""
    assert why_item_stopped(RULES, 3) == "it failed 3 times in a row"


@given(st.lists(st.sampled_from(OUTCOMES), max_size=30), st.integers(0, 50), st.integers(0, 50))
def test_no_more_than_the_rules_allow_is_ever_taken_up(recent: list[str], begun: int, asked: int) -> None:
    allowed = room(RULES, Figures(recent, begun), asked)
    assert 0 <= allowed <= asked
    assert begun + allowed <= max(begun, RULES.per_day)
    assert not (allowed and why_stopped(RULES, Figures(recent, begun)))


@pytest.mark.parametrize(
    ("measured", "outcome", "said"),
    [
        (Measured((7, 2), 1), "improved", "1 file changed. Findings: 7 before, 2 after"),
        (Measured((2, 7), 3), "worse", "2 before, 7 after"),
        (Measured((7, 7), 1), "no_better", "7 before, 7 after"),
        (Measured((7, 7), 0), "no_better", "no file changed"),
        (Measured((), 2), "unmeasured", "was not measured"),
        (Measured((7,), None), "unmeasured", "is unknown"),
        (Measured(failed="failed", reason="no such file"), "not_achieved", "failed: no such file"),
        (Measured((7, 2), 1, failed="dropped"), "not_achieved", "dropped"),
        (Measured(failed="dropped", reason="cancelled_by_person"), "not_achieved", "dropped: cancelled by person."),
    ],
)
def test_achieved_is_not_yet_improved(measured: Measured, outcome: str, said: str) -> None:
    found, words = judged(measured)
    assert found == outcome
    assert said in words
