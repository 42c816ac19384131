"""Breakers by their table, the routing rules, and where calls among agents end: pure, without rows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.bus import breaker, limits, routing
from agents.bdi.bus.breaker import Circuit, PastCall, Replayed, Terms
from agents.bdi.bus.limits import Bounds, Link
from agents.bdi.bus.routing import Candidate, Strategy
from agents.states import BREAKER_MOVES, REQUEST_ENDED, REQUEST_MOVES, BreakerState, RequestState

CLOSED, OPEN, HALF_OPEN = BreakerState
NOW = datetime(2026, 1, 1, tzinfo=UTC)
TERMS = Terms(3, 300)


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def test_every_state_has_a_row() -> None:
    assert set(BREAKER_MOVES) == set(BreakerState)
    assert set(REQUEST_MOVES) == set(RequestState)


@pytest.mark.parametrize(("old", "new"), list(product(RequestState, RequestState)))
def test_a_request_is_answered_by_who_has_it_and_its_end_is_the_end(old: RequestState, new: RequestState) -> None:
    ends = {"answered", "failed", "expired", "cancelled"}
    allowed = {("waiting", new) for new in ("running", "failed", "expired", "cancelled")}
    allowed |= {("running", new) for new in ("running", "waiting", "with_goal", *ends)}
    allowed |= {("with_goal", new) for new in ends}
    assert (new in REQUEST_MOVES[old]) == ((old, new) in allowed)
    assert ends == REQUEST_ENDED


def test_three_failures_in_a_row_open_it_for_five_minutes_and_one_request_tries_it() -> None:
    circuit = Circuit()
    for number in (1, 2):
        circuit = breaker.failed(circuit, number, NOW, TERMS)
        assert circuit == Circuit(CLOSED, number)
    circuit = breaker.failed(circuit, 3, NOW, TERMS)
    assert circuit == Circuit(OPEN, 0, later(300))
    assert not breaker.admits(circuit, 4, later(299.9))
    assert breaker.admits(circuit, 4, later(300))
    circuit = breaker.tried(circuit, 4)
    assert [breaker.admits(circuit, number, later(301)) for number in (4, 5)] == [True, False]
    assert breaker.succeeded(circuit, 4) == Circuit()
    assert breaker.failed(circuit, 4, later(310), TERMS) == Circuit(OPEN, 0, later(610))
    assert breaker.abandoned(circuit, 4, later(310)) == Circuit(OPEN, 0, later(310))


def test_an_answer_between_failures_begins_the_count_anew() -> None:
    circuit = breaker.failed(breaker.failed(Circuit(), 1, NOW, TERMS), 2, NOW, TERMS)
    circuit = breaker.failed(breaker.succeeded(circuit, 3), 4, NOW, TERMS)
    assert circuit == Circuit(CLOSED, 1)


@pytest.mark.parametrize("circuit", [Circuit(OPEN, 0, later(300)), Circuit(HALF_OPEN, 0, later(300), 9)])
def test_what_was_asked_before_it_opened_changes_nothing(circuit: Circuit) -> None:
    assert breaker.succeeded(circuit, 1) == circuit
    assert breaker.failed(circuit, 1, later(100), TERMS) == circuit
    assert breaker.abandoned(circuit, 1, later(100)) == circuit


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 200)), max_size=60), st.integers(1, 5), st.integers(1, 500))
def test_every_step_is_one_of_the_table(calls: list[tuple[bool, int]], failures: int, cooldown_s: int) -> None:
    circuit, at, terms = Circuit(), 0, Terms(failures, cooldown_s)
    for number, (is_well, wait) in enumerate(calls):
        at += wait
        if not breaker.admits(circuit, number, later(at)):
            assert circuit.state == OPEN
            continue
        if circuit.state == OPEN:
            assert HALF_OPEN in BREAKER_MOVES[circuit.state]
            circuit = breaker.tried(circuit, number)
        after = breaker.succeeded(circuit, number) if is_well else breaker.failed(circuit, number, later(at), terms)
        assert after.state == circuit.state or after.state in BREAKER_MOVES[circuit.state]
        assert after.failures < failures
        circuit = after


def test_a_trial_of_other_terms_says_what_they_would_have_spared_and_cost() -> None:
    calls = [PastCall(later(second), second >= 5) for second in range(8)]
    assert breaker.replayed(calls, Terms(3, 300)) == Replayed(opened=1, spared_failures=2, kept_from_answers=3)
    assert breaker.replayed(calls, Terms(10, 300)) == Replayed()


ONE = Candidate(1, 1, 0.9, routed_at=10.0, busy=3)
TWO = Candidate(2, 2, 0.5, routed_at=5.0, busy=0)
THREE = Candidate(3, 3, 0.7, routed_at=None, busy=1)


@pytest.mark.parametrize(
    ("strategy", "options", "chosen"),
    [
        (Strategy.CONFIDENCE, {}, ONE),
        (Strategy.ROUND_ROBIN, {}, THREE),
        (Strategy.LEAST_BUSY, {}, TWO),
        (Strategy.LEAST_BUSY, {"least": 0.6}, THREE),
        (Strategy.CONFIDENCE, {"least": 0.95}, None),
        # One that failed is asked again only when nobody else is left.
        (Strategy.CONFIDENCE, {"tried": [1]}, THREE),
        (Strategy.CONFIDENCE, {"tried": [1, 2, 3]}, ONE),
        (Strategy.CONFIDENCE, {"tried": [1], "least": 0.8}, ONE),
    ],
)
def test_each_strategy_chooses_as_it_says(strategy: Strategy, options: dict[str, object], chosen: object) -> None:
    assert routing.choose([ONE, TWO, THREE], strategy, **options) == chosen  # type: ignore[arg-type]


def test_of_a_task_in_words_likeness_counts_as_much_as_confidence() -> None:
    sure, near = Candidate(1, 1, 0.9, likeness=0.2), Candidate(2, 2, 0.5, likeness=0.9)
    assert routing.choose([sure, near], Strategy.CONFIDENCE) == near


def test_round_robin_goes_round() -> None:
    rows = {number: Candidate(number, number, 0.5) for number in (1, 2, 3)}
    order = []
    for second in range(6):
        chosen = routing.choose(list(rows.values()), Strategy.ROUND_ROBIN)
        assert chosen is not None
        order.append(chosen.member)
        rows[chosen.member] = Candidate(chosen.member, chosen.member, 0.5, routed_at=float(second))
    assert order == [1, 2, 3, 1, 2, 3]


A, B = Link("a", "1"), Link("b", "1")


@pytest.mark.parametrize(
    ("chain", "new", "made", "said"),
    [
        ([], A, 0, ""),
        ([A], B, 0, ""),
        ([A], A, 0, "calls_itself"),
        ([A, B], A, 0, "calls_itself"),
        ([A], Link("a", "2"), 0, ""),
        ([Link("a", str(number)) for number in range(5)], A, 0, "calls_itself"),
        ([Link("b", str(number)) for number in range(5)], A, 0, "too_deep"),
        ([A], B, 50, "too_many_requests"),
        ([A], B, 49, ""),
    ],
)
def test_agents_cannot_call_each_other_for_ever(chain: list[Link], new: Link, made: int, said: str) -> None:
    assert limits.refusal(chain, new, made, Bounds(5, 50)) == said
    assert not said or said in limits.IN_WORDS
