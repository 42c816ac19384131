"""What is learned of a strategy, beside the textbook's sum over every moment at which the present may have begun."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from statistics import fmean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.recovery.recovery_learning import Cell, Memory, moving_average
from agents.bdi.recovery.recovery_settings import USUAL

WAYS = ("retry", "other", "ask")
cases = st.lists(st.tuples(st.sampled_from(WAYS), st.booleans()), max_size=40)
memories = st.builds(
    Memory,
    hazard=st.floats(0.001, 0.3),
    discount=st.floats(0.8, 1.0),
    prior_successes=st.floats(0.5, 3.0),
    prior_failures=st.floats(0.5, 3.0),
)
Cases = list[tuple[str, bool]]


def learned(found: Cases, memory: Memory) -> Cell:
    cell = Cell(memory)
    for way, worked in found:
        cell.learn(way, worked)
    return cell


def seen(found: Cases, memory: Memory, way: str) -> tuple[float, float]:
    """Successes and failures of a strategy in these cases, each worth less with every case since."""
    worth = [(worked, memory.discount**age) for age, (name, worked) in enumerate(reversed(found)) if name == way]
    return sum(much for worked, much in worth if worked), sum(much for worked, much in worth if not worked)


def counts(found: Cases, memory: Memory, way: str) -> tuple[float, float]:
    """As `Cell.counts`, by the joint chance of all cases and each start of the present (Adams and MacKay 2007)."""
    joint = [1.0]
    for number, (name, worked) in enumerate(found):
        told = []
        for start, chance in enumerate(joint):
            won, lost = seen(found[start:number], memory, name)
            helps = (won + memory.prior_successes) / (won + lost + memory.prior_successes + memory.prior_failures)
            told.append(chance * (helps if worked else 1.0 - helps))
        joint = [(1.0 - memory.hazard) * one for one in told] + [memory.hazard * sum(told)]
    parts = [(chance / sum(joint), seen(found[start:], memory, way)) for start, chance in enumerate(joint)]
    return sum(share * won for share, (won, _) in parts), sum(share * lost for share, (_, lost) in parts)


@given(cases, memories)
def test_what_still_counts_is_the_sum_over_every_start_of_the_present(found: Cases, memory: Memory) -> None:
    cell = learned(found, memory)
    for way in WAYS:
        won, lost = counts(found, memory, way)
        assert cell.counts(way) == pytest.approx((won, lost))
        a, b = memory.prior_successes, memory.prior_failures
        assert cell.expected(way) == pytest.approx((won + a) / (won + lost + a + b))


def test_of_a_long_past_only_what_is_likely_is_kept_in_mind() -> None:
    """The sum over all of it costs more with each case; the likely starts say nearly the same."""
    rng = Random(1)
    found = [("retry", rng.random() < (0.9 if number < 60 else 0.1)) for number in range(110)]
    memory = Memory(hazard=0.02)
    cell = learned(found, memory)
    assert len(cell._starts) == 48
    assert cell.counts("retry") == pytest.approx(counts(found, memory, "retry"), rel=0.01)
    assert sum(one.weight for one in cell._starts) == pytest.approx(1.0)


def test_what_could_not_have_happened_begins_the_present_anew() -> None:
    certain = Memory(prior_failures=0.0)
    cell = learned([("retry", True)] * 3, certain)
    assert cell.expected("retry") == 1.0
    cell.learn("retry", False)
    assert (cell.counts("retry"), cell.expected("retry")) == ((0.0, 0.0), 1.0)
    cell.learn("retry", True)
    assert cell.counts("retry")[0] > 0.9


def test_a_strategy_that_nobody_tried_is_drawn_by_what_is_believed_of_any() -> None:
    cell = learned([("retry", True)] * 20, Memory(prior_successes=1.0, prior_failures=3.0))
    drawn = [cell.sample(["ask"], Random(seed))["ask"] for seed in range(400)]
    assert fmean(drawn) == pytest.approx(0.25, abs=0.02)


def test_with_more_sharpness_what_is_drawn_is_nearer_to_what_is_expected() -> None:
    def drawn(sharpness: float) -> list[float]:
        cell = learned([("retry", True), ("retry", False)] * 4, replace(Memory(hazard=0.001), sharpness=sharpness))
        return [cell.sample(["retry"], Random(seed))["retry"] for seed in range(400)]

    soft, sharp = drawn(1.0), drawn(16.0)
    assert fmean(soft) == pytest.approx(0.5, abs=0.05)
    assert fmean(sharp) == pytest.approx(0.5, abs=0.05)
    assert pstdev(sharp) < pstdev(soft) / 2.5


def test_a_cell_remembers_as_operators_set_it_and_without_a_word_as_usual() -> None:
    assert USUAL.memory == Memory()
    memory = Memory(hazard=0.2)
    assert Cell(memory).memory is memory
    assert Cell().memory == Memory()


@pytest.mark.parametrize(
    ("outcomes", "average"), [([], 0.5), ([True], 0.65), ([False], 0.35), ([True, False], 0.455), ([False] * 2, 0.245)]
)
def test_the_references_average_moves_by_its_rate(outcomes: list[bool], average: float) -> None:
    assert moving_average(outcomes, 0.3) == pytest.approx(average)
    assert moving_average(outcomes, 0.3, start=0.0) == pytest.approx(average - 0.5 * 0.7 ** len(outcomes))
