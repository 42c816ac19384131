"""A rate is unknown below ten cases, and never without its number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.presentation.rates import rate


@pytest.mark.parametrize("cases", range(10))
def test_below_ten_cases_nothing_is_said(cases: int) -> None:
    found = rate(cases, cases)
    assert (found.percent, found.look, found.low, found.high) == (None, "none", 0, 100)


def test_wilsons_interval_is_that_of_the_literature() -> None:
    # 81 of 263 is the worked example of Newcombe (1998), table I: 0.2553 to 0.3662.
    found = rate(81, 263)
    assert (found.percent, found.low, found.high) == (31, 26, 37)


@pytest.mark.parametrize(("worked", "look"), [(10, "good"), (8, "good"), (6, "mid"), (4, "bad"), (0, "bad")])
def test_the_colour_follows_the_rate(worked: int, look: str) -> None:
    assert rate(worked, 10).look == look


@given(st.integers(10, 10_000).flatmap(lambda cases: st.tuples(st.integers(0, cases), st.just(cases))))
def test_the_rate_lies_within_its_interval(pair: tuple[int, int]) -> None:
    found = rate(*pair)
    assert found.percent is not None
    assert 0 <= found.low <= found.percent <= found.high <= 100
