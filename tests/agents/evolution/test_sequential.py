"""Tests that are looked at after every case: their chance of error over all looks, counted path by path."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.evolution.ab_trials.trial_plans import Asked
from agents.evolution.activation import prompt_canaries
from agents.evolution.replays import gate
from agents.evolution.replays.gate import watch_edge
from agents.evolution.sequential import (
    Boundary,
    Count,
    Design,
    Spending,
    Stretch,
    Verdict,
    boundary,
    chance_to_cross,
    counts_of,
    course,
    fails_more_often,
    fisher,
    follow,
)

HALF = Fraction(1, 2)


def ever_crossed(edge: Boundary, chance: Fraction, differences: int) -> Fraction:
    """The chance to cross at any of so many looks, in fractions: nothing is rounded."""
    alive, crossed = {0: Fraction(1)}, Fraction(0)
    for n in range(1, differences + 1):
        came: dict[int, Fraction] = defaultdict(Fraction)
        for against, path in alive.items():
            came[against + 1] += path * chance
            came[against] += path * (1 - chance)
        crossed += sum((path for against, path in came.items() if edge.is_crossed(against, n)), Fraction(0))
        alive = {against: path for against, path in came.items() if not edge.is_crossed(against, n)}
    return crossed


@pytest.mark.parametrize("chance", [Fraction(1, 2), Fraction(1, 4), Fraction(1, 20), Fraction(1, 100)])
@pytest.mark.parametrize("spending", [Spending(0.05), Spending(0.05, 5), Spending(0.025, half=5.0)])
def test_one_that_is_as_good_is_called_worse_no_more_often_than_alpha_over_all_looks(
    spending: Spending, chance: Fraction
) -> None:
    edge = boundary(spending, float(chance))
    crossed = ever_crossed(edge, chance, 200)
    assert crossed <= Fraction(spending.alpha)
    assert float(crossed) == pytest.approx(edge.spent(200), abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(st.floats(0.001, 0.2), st.floats(0.02, 0.9), st.integers(1, 8), st.floats(0.5, 20))
def test_alpha_holds_whatever_the_figures_are(alpha: float, chance: float, least: int, half: float) -> None:
    edge = Boundary(Spending(alpha, least, half), chance)
    assert ever_crossed(edge, Fraction(chance), 60) <= Fraction(alpha)
    assert all(edge.enough(n) <= edge.enough(n + 1) for n in range(60))


def test_the_watch_takes_five_to_none_as_the_gate_does_and_errs_in_five_of_a_hundred_watches() -> None:
    edge = watch_edge()
    assert [n for n in range(8) if edge.is_crossed(n, n)] == [5, 6, 7]
    assert [edge.enough(n) for n in (10, 15, 20, 30, 50)] == [9, 13, 16, 23, 36]
    # As many flips as a watch has cases, counted over every row of fair flips.
    crossed = ever_crossed(edge, HALF, 50)
    assert float(crossed) == pytest.approx(0.0470, abs=1e-4)
    # The test that was made before: the same one, again after each flip.
    repeated = sum((Fraction(1, 2**n) * ways for n, ways in first_times(50)), Fraction(0))
    assert float(repeated) == pytest.approx(0.158, abs=1e-3)


def first_times(flips: int) -> list[tuple[int, int]]:
    """In how many rows of flips the plain sign test first comes to 5 % after so many."""
    alive, found = {0: 1}, []
    for n in range(1, flips + 1):
        came: dict[int, int] = defaultdict(int)
        for broken, ways in alive.items():
            came[broken] += ways
            came[broken + 1] += ways
        over = {broken for broken in came if gate.sign_test(broken, n - broken) <= gate.SIGNIFICANT}
        found.append((n, sum(came[broken] for broken in over)))
        alive = {broken: ways for broken, ways in came.items() if broken not in over}
    return found


def test_every_row_of_flips_is_counted_as_it_is_played() -> None:
    edge = watch_edge()
    rows = list(product((0, 1), repeat=12))
    crossed = sum(any(edge.is_crossed(sum(row[:n]), n) for n in range(13)) for row in rows)
    assert Fraction(crossed, len(rows)) == ever_crossed(edge, HALF, 12)


def test_the_power_of_the_watch() -> None:
    assert gate.chance_to_notice(0.0, 0.0, 50) == 0.0
    assert gate.chance_to_notice(1.0, 0.0, 5) == pytest.approx(1.0)
    assert gate.chance_to_notice(1.0, 0.0, 4) == 0.0
    assert gate.chance_to_notice(0.2, 0.0, 50) == pytest.approx(0.9815, abs=1e-4)
    assert gate.chance_to_notice(0.1, 0.0, 50) == pytest.approx(0.5688, abs=1e-4)
    assert gate.chance_to_notice(0.2, 0.05, 50) == pytest.approx(0.5064, abs=1e-4)
    # By hand: five to none within six cases, each of which is a flip.
    assert chance_to_cross(watch_edge(), 0.6, 0.4, 6) == pytest.approx(0.6**5)


def test_fishers_chances_are_those_of_the_hypergeometric() -> None:
    assert fisher(Stretch(11, 42, 7, 5)) == pytest.approx(
        [comb(11, k) * comb(42, 7 - k) / comb(53, 7) for k in range(8)]
    )
    assert fisher(Stretch(0, 4, 2, 0)) == pytest.approx([1.0])


# Stretches of uses of both versions and of failures: alike and unlike shares, many and few, easy and hard times.
SHARES = [
    [(10, 30, 5)] * 8,
    [(1, 1, 1)] * 40,
    [(3, 1, 2), (1, 9, 5), (20, 20, 3), (2, 5, 6)] * 4,
    [(50, 50, 60)],
    [(5, 0, 5), (2, 2, 2), (0, 7, 3)] * 5,
]


@pytest.mark.parametrize("counted", SHARES)
def test_a_canary_that_is_as_good_is_taken_back_in_five_of_a_hundred_at_most(
    counted: list[tuple[int, int, int]],
) -> None:
    """Every way in which the failures can fall on the answers, stretch by stretch, each with its chance."""
    spending = Spending(gate.SIGNIFICANT, prompt_canaries.FAILURES_LEAST)
    alive, harmed = {0: Fraction(1)}, Fraction(0)
    needed = least_against(spending, counted)
    for (uses, others, failed), enough in zip(counted, needed, strict=True):
        ways = comb(uses + others, failed)
        came: dict[int, Fraction] = defaultdict(Fraction)
        for before, path in alive.items():
            for more in range(min(uses, failed) + 1):
                came[before + more] += path * Fraction(comb(uses, more) * comb(others, failed - more), ways)
        harmed += sum((path for against, path in came.items() if against >= enough), Fraction(0))
        alive = {against: path for against, path in came.items() if against < enough}
    assert 0 <= harmed <= Fraction(1, 20)


def least_against(spending: Spending, counted: list[tuple[int, int, int]]) -> list[int]:
    """By how many failures of the canary it is taken back at each look, found by asking."""
    found = []
    for at in range(len(counted)):
        sofar = [Stretch(uses, others, failed, 0) for uses, others, failed in counted[: at + 1]]
        last = sofar[-1]
        for against in range(sum(one[2] for one in counted) + 2):
            asked = [*sofar[:-1], Stretch(last.uses, last.other_uses, last.failed, against)]
            if fails_more_often(spending, asked):
                found.append(against)
                break
    return found


DESIGNS = [Design(0.2), Design(0.1, 0.1, 0.1), Design(0.4, 0.05, 0.05)]


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("differs", [0.05, 0.3, 1.0])
def test_two_that_are_as_good_are_told_apart_no_more_often_than_alpha(design: Design, differs: float) -> None:
    came = course(design, differs / 2, differs / 2, 300)
    assert came.a_better[-1] + came.b_better[-1] <= design.alpha
    assert came.a_better[-1] == pytest.approx(came.b_better[-1])


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("differs", [0.4, 0.6, 1.0])
def test_a_difference_that_matters_is_called_none_no_more_often_than_beta(design: Design, differs: float) -> None:
    """Whatever share of the cases differs at all, as large as it just matters."""
    came = course(design, (differs + design.difference) / 2, (differs - design.difference) / 2, 300)
    assert came.no_difference[-1] <= design.beta


@settings(deadline=None, max_examples=25)
@given(st.floats(0.05, 0.6), st.floats(0, 1), st.floats(0.02, 0.3))
def test_beta_holds_whatever_the_figures_are(difference: float, share: float, beta: float) -> None:
    differs = difference + share * (1 - difference)
    design = Design(difference, beta=beta)
    came = course(design, (differs + difference) / 2, (differs - difference) / 2, 120)
    assert came.no_difference[-1] <= beta + 1e-9


def test_a_course_is_the_sum_of_all_rows_of_cases() -> None:
    design, for_b, for_a = Design(0.5, 0.3, 0.3), 0.5, 0.2
    came = course(design, for_b, for_a, 7)
    ends: dict[Verdict | None, float] = defaultdict(float)
    length = 0.0
    for row in product((1, -1, 0), repeat=7):
        chance = float(np.prod([{1: for_b, -1: for_a, 0: 1 - for_b - for_a}[one] for one in row]))
        looks = follow(design, counts_of(row))
        ends[looks[-1].verdict] += chance
        length += chance * len(looks)
    assert came.b_better[-1] == pytest.approx(ends[Verdict.B_BETTER])
    assert came.a_better[-1] == pytest.approx(ends[Verdict.A_BETTER])
    assert came.no_difference[-1] == pytest.approx(ends[Verdict.NO_DIFFERENCE])
    assert came.expected(7) == pytest.approx(length)


def test_nothing_but_ties_shows_that_there_is_no_large_difference() -> None:
    design = Design(0.2)
    looks = follow(design, counts_of([0] * 40))
    assert looks[-1].verdict is Verdict.NO_DIFFERENCE
    # Were it that large, so many ties in a row would come with less than this chance.
    assert 0.8 ** len(looks) <= design.beta < 0.8 ** (len(looks) - 6)


def test_a_row_ends_where_it_decides_and_turned_round_it_says_the_other() -> None:
    cases = [1, 0, 1, 1, -1, *[1] * 12]
    looks, turned = follow(Design(0.2), counts_of(cases)), follow(Design(0.2), counts_of([-one for one in cases]))
    assert (looks[-1].verdict, turned[-1].verdict) == (Verdict.B_BETTER, Verdict.A_BETTER)
    assert len(looks) == len(turned) < len(cases)
    assert looks[-1].ahead >= looks[-1].needed > looks[-2].ahead
    assert [one.ahead for one in looks] == [-one.ahead for one in turned]
    assert Design(0.2).verdict(Count(0, 0, 0)) is None


def test_the_plan_of_a_trial_states_its_power_and_its_cases() -> None:
    plan = Asked(difference=20, differ=30, alpha=5, power=80).plan(available=None)
    assert plan.why_not == ""
    came = course(plan.design, 0.25, 0.05, plan.most)
    assert came.b_better[plan.most] >= 0.8 > came.b_better[plan.most - 1]
    assert plan.power == pytest.approx(came.b_better[plan.most])
    assert plan.expected_if_larger < plan.expected_if_alike < plan.most
    few = Asked(difference=20, differ=30, alpha=5, power=80).plan(available=30)
    assert (few.most, few.wanted) == (30, plan.most)
    assert few.power == pytest.approx(came.b_better[30])


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (Asked(difference=2, differ=60, alpha=5, power=80), "more than 600 cases"),
        (Asked(difference=20, differ=10, alpha=5, power=80), "at least"),
        (Asked(difference=0, differ=10, alpha=5, power=80), "2 to 60"),
        (Asked(difference=20, differ=101, alpha=5, power=80), "100"),
        (Asked(difference=20, differ=30, alpha=3, power=80), "chance of error"),
        (Asked(difference=20, differ=30, alpha=5, power=50), "Choose a power"),
    ],
)
def test_a_plan_that_cannot_be_says_what_to_change(asked: Asked, says: str) -> None:
    assert says in asked.plan(available=None).why_not
