"""Which kind of work a worker looks for first: what people wait for, and a share for each."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.intentions.shares import EVERY, ORDER, Work, order


@given(st.integers(0, 10_000))
def test_each_kind_is_looked_for_once_in_every_turn(turn: int) -> None:
    assert sorted(order(turn)) == sorted(ORDER)


@given(st.integers(0, 10_000))
def test_most_turns_look_first_for_what_people_decided(turn: int) -> None:
    if turn % EVERY != EVERY - 1:
        assert order(turn)[:2] == (Work.TYPED, Work.APPROVED)


@given(st.integers(0, 10_000), st.sets(st.sampled_from(ORDER), min_size=1))
def test_no_kind_starves_however_much_of_the_others_waits(start: int, waiting: set[Work]) -> None:
    turns = range(start, start + EVERY * len(ORDER))
    taken = Counter(next(kind for kind in order(turn) if kind in waiting) for turn in turns)
    assert set(taken) == waiting
