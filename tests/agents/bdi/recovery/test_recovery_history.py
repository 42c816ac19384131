"""How what is believed of each strategy came about: its end is what the next decision stands on; resets begin anew."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.planning.latency import GROWTH, quantile
from agents.bdi.recovery.recovery_history import Outcome, Reset, points
from agents.bdi.recovery.recovery_learning import Cell, Memory
from agents.presentation.lines import HEIGHT, WIDTH, drawn

NOW = datetime(2026, 11, 1, tzinfo=UTC)
WAYS = ("retry_with_delay", "alternative_tool", "manual_fallback")
cases = st.lists(st.tuples(st.sampled_from(WAYS), st.booleans()), min_size=1, max_size=60)
resets = st.lists(st.tuples(st.integers(0, 60), st.sampled_from(["", *WAYS])), max_size=3)


def outcomes_of(found: list[tuple[str, bool]]) -> list[Outcome]:
    return [Outcome(n, NOW + timedelta(hours=n), way, worked) for n, (way, worked) in enumerate(found, 1)]


@given(cases, resets)
def test_the_end_of_each_line_is_what_the_next_decision_stands_on(
    found: list[tuple[str, bool]], begun_anew: list[tuple[int, str]]
) -> None:
    outcomes = outcomes_of(found)
    # Of resets those that the next decision knows of and that something came after.
    anew = [Reset(up_to, NOW, strategy) for up_to, strategy in begun_anew if up_to < len(outcomes)]
    lines = points(outcomes, anew, Memory())
    counting = [
        one for one in outcomes if not any(r.strategy in ("", one.strategy) and one.number <= r.up_to for r in anew)
    ]
    cell, ends = Cell(Memory()), {}
    for one in counting:
        cell.learn(one.strategy, one.succeeded)
        ends[one.strategy] = cell.counts(one.strategy)
    for way, end in ends.items():
        last = lines[way][-1]
        assert (last.won, last.lost) == pytest.approx(end)
        assert last.cases == sum(one.strategy == way for one in counting)


@given(cases)
def test_a_line_and_its_interval_stay_in_their_box(found: list[tuple[str, bool]]) -> None:
    outcomes = outcomes_of(found)
    for series in points(outcomes, [], Memory()).values():
        values = [(one.at, one.share, one.counting) for one in series]
        shapes = drawn(values, [("reset", NOW + timedelta(hours=1))], outcomes[0].at, outcomes[-1].at)
        for path in (shapes.line, shapes.band):
            parts = path.replace("M", " ").replace("L", " ").replace("H", " X").replace("Z", " ").split()
            xs = [float(part[1:]) for part in parts if part.startswith("X")]
            assert all(0 <= x <= WIDTH for x in xs)
            pairs = [float(part) for part in parts if not part.startswith("X")]
            assert all(0 <= y <= HEIGHT for y in pairs[1::2])
            assert all(0 <= x <= WIDTH for x in pairs[::2])


def test_a_reset_forgets_what_was_before_it_and_only_of_its_strategy() -> None:
    outcomes = outcomes_of([(WAYS[0], False)] * 10 + [(WAYS[1], True)] * 5 + [(WAYS[0], True), (WAYS[1], True)])
    before = points(outcomes, [], Memory())
    after = points(outcomes, [Reset(15, NOW, WAYS[0])], Memory())
    assert before[WAYS[0]][-1].share < 0.7
    assert (after[WAYS[0]][-1].cases, after[WAYS[0]][-1].share) == (1, 1.0)
    assert after[WAYS[1]][-1].cases == 6


@given(st.lists(st.integers(1, 10**7), min_size=1, max_size=200), st.sampled_from([0.5, 0.95]))
def test_a_percentile_out_of_buckets_is_within_five_per_cent(times: list[int], share: float) -> None:
    import math

    buckets: dict[int, int] = {}
    for ms in times:
        bucket = math.floor(math.log(ms) / math.log(GROWTH))
        buckets[bucket] = buckets.get(bucket, 0) + 1
    exact = sorted(times)[math.ceil(share * len(times)) - 1]
    found = quantile(buckets, share)
    assert found is not None
    assert abs(found / exact - 1) < 0.051
    assert quantile({}, share) is None


def test_resets_take_effect_in_the_order_of_what_they_take_out_and_each_once() -> None:
    outcomes = outcomes_of([(WAYS[0], False)] * 3 + [(WAYS[1], True)] * 3 + [(WAYS[0], True), (WAYS[1], True)] * 2)
    all_of_one, other = Reset(3, NOW, WAYS[0]), Reset(6, NOW, WAYS[1])
    lines = points(outcomes, [other, all_of_one], Memory())
    assert [point.cases for point in lines[WAYS[0]]] == [1, 2, 3, 1, 2], "the first reset took three cases out"
    assert [point.cases for point in lines[WAYS[1]]] == [1, 2, 3, 1, 2]
    kept = Cell(Memory())
    for strategy in (WAYS[0], WAYS[1], WAYS[0], WAYS[1]):
        kept.learn(strategy, True)
    assert (lines[WAYS[1]][-1].won, lines[WAYS[1]][-1].lost) == kept.counts(WAYS[1])
