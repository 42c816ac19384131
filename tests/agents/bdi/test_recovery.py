"""Classifying failures and choosing what to do, without any database."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.recovery import (
    REPEATABLE_EFFECTS,
    RETRIABLE,
    Envelope,
    Failure,
    FailureClass,
    Strategy,
    choose,
    classify,
)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"return_code": 1, "stderr": "AssertionError: 2 != 3"}, FailureClass.TOOL_EXECUTION_ERROR),
        ({"return_code": 127, "stderr": ""}, FailureClass.TOOL_UNAVAILABLE),
        ({"return_code": 1, "stderr": "HTTP error 429 while getting x"}, FailureClass.RATE_LIMIT_ERROR),
        ({"return_code": 1, "stderr": "Temporary failure in name resolution"}, FailureClass.NETWORK_ERROR),
        ({"error_class": "PERMISSION_ERROR", "reason": "rm needs autonomous mode"}, FailureClass.PERMISSION_ERROR),
        ({"error_class": "INVALID_PARAMETERS", "reason": "leaves the workspace"}, FailureClass.INVALID_PARAMETERS),
        ({"error_class": "TOOL_EXECUTION_ERROR", "reason": "no such file"}, FailureClass.TOOL_EXECUTION_ERROR),
        ({"limit": "memory", "return_code": -9}, FailureClass.TOOL_EXECUTION_ERROR),
        ({"error_class": "SOMETHING_ELSE"}, FailureClass.UNKNOWN_ERROR),
        ({}, FailureClass.UNKNOWN_ERROR),
    ],
)
def test_a_failure_is_classified_by_its_facts(result: dict[str, Any], expected: FailureClass) -> None:
    failure = classify(result)
    assert failure.failure_class is expected
    assert failure.reason


def test_a_tools_own_class_outweighs_words_in_stderr() -> None:
    result = {"error_class": "PERMISSION_ERROR", "reason": "not allowed", "return_code": 1, "stderr": "429"}
    assert classify(result).failure_class is FailureClass.PERMISSION_ERROR


def test_a_limit_is_named_in_the_reason() -> None:
    hit = {"limit": "memory", "return_code": -9}
    assert classify(hit).reason == "reached its memory limit of 1 GiB"
    assert classify(hit, {"memory_bytes": 64 << 20}).reason == "reached its memory limit of 64 MiB"
    assert classify({"limit": "time"}, {}, 7).reason == "reached its time limit of 7 s"


def test_retries_double_their_delay_and_end_at_the_envelope() -> None:
    failure = Failure(FailureClass.NETWORK_ERROR, "connection refused")
    choices = [choose(failure, effect="workspace", tries=n, envelope=Envelope(3), delay_s=5.0) for n in (1, 2, 3)]
    assert [choice.delay_s for choice in choices] == [5.0, 10.0, 0.0]
    assert [choice.strategy for choice in choices] == [
        Strategy.RETRY_WITH_DELAY,
        Strategy.RETRY_WITH_DELAY,
        Strategy.GRACEFUL_ABORT,
    ]


@given(
    st.sampled_from(list(FailureClass)),
    st.sampled_from(["idempotent", "workspace", "keyed", "once"]),
    st.integers(1, 9),
    st.integers(1, 9),
)
def test_a_retry_never_leaves_the_envelope(failure: FailureClass, effect: str, tries: int, allowed: int) -> None:
    choice = choose(Failure(failure, "x"), effect=effect, tries=tries, envelope=Envelope(allowed), delay_s=1.0)
    may = failure in RETRIABLE and effect in REPEATABLE_EFFECTS and tries < allowed
    assert (choice.strategy is Strategy.RETRY_WITH_DELAY) == may


@given(
    st.sampled_from(list(FailureClass)),
    st.sampled_from(["idempotent", "workspace", "keyed", "once"]),
    st.integers(1, 5),
    st.integers(0, 3),
    st.frozensets(st.integers(1, 3)),
    st.integers(0, 3),
)
def test_an_alternative_goes_on_by_itself_only_where_it_was_granted_and_each_only_once(
    failure: FailureClass, effect: str, tries: int, declared: int, granted: frozenset[int], after: int
) -> None:
    envelope = Envelope(3, declared, granted, after)
    choice = choose(Failure(failure, "x"), effect=effect, tries=tries, envelope=envelope, delay_s=1.0)
    if choice.strategy is Strategy.ALTERNATIVE_TOOL:
        assert after < choice.alternative <= declared
        assert effect != "once"
        assert choice.goes_on == (choice.alternative in granted)
    else:
        assert not choice.alternative
        assert effect == "once" or choice.goes_on or after >= declared


def test_further_tries_come_before_an_alternative_only_where_they_may_help() -> None:
    envelope = Envelope(2, 1, frozenset({1}))
    missing = Failure(FailureClass.TOOL_UNAVAILABLE, "x")
    broken = Failure(FailureClass.TOOL_EXECUTION_ERROR, "x")

    def first(failure: Failure, tries: int) -> Strategy:
        return choose(failure, effect="workspace", tries=tries, envelope=envelope, delay_s=1).strategy

    assert first(missing, 1) is Strategy.ALTERNATIVE_TOOL
    assert [first(broken, 1), first(broken, 2)] == [Strategy.RETRY_WITH_DELAY, Strategy.ALTERNATIVE_TOOL]
