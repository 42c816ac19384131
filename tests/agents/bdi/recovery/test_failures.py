"""Classifying failures: typed facts first, exit facts, the network's, text last; operators' rules before all of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.recovery.failures import (
    PLANNING,
    TEXT_KEPT,
    Facts,
    FailureClass,
    Rule,
    classified,
    classify,
    facts_of,
    patience_asked,
)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"return_code": 1, "stderr": "AssertionError: 2 != 3"}, FailureClass.TOOL_EXECUTION_ERROR),
        ({"return_code": 127, "stderr": ""}, FailureClass.TOOL_UNAVAILABLE),
        ({"return_code": 126, "stderr": ""}, FailureClass.PERMISSION_ERROR),
        ({"return_code": 1, "stderr": "HTTP error 429 while getting x"}, FailureClass.RATE_LIMIT_ERROR),
        ({"return_code": 1, "stderr": "Temporary failure in name resolution"}, FailureClass.NETWORK_ERROR),
        ({"return_code": 1, "stderr": "cp: /x: Permission denied"}, FailureClass.PERMISSION_ERROR),
        ({"return_code": 2, "stderr": "error: unrecognized arguments: -z"}, FailureClass.INVALID_PARAMETERS),
        ({"error_class": "PERMISSION_ERROR", "reason": "rm needs autonomous mode"}, FailureClass.PERMISSION_ERROR),
        ({"error_class": "INVALID_PARAMETERS", "reason": "leaves the workspace"}, FailureClass.INVALID_PARAMETERS),
        ({"error_class": "PLANNING_ERROR", "reason": "it needs another sandbox"}, FailureClass.PLANNING_ERROR),
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


@pytest.mark.parametrize(
    ("why", "expected"),
    [
        ("no_relevant_rule", FailureClass.GOAL_PARSE_ERROR),
        ("unusable_value", FailureClass.GOAL_PARSE_ERROR),
        ("no_applicable_rule", FailureClass.PLANNING_ERROR),
        ("model_plan_invalid", FailureClass.PLANNING_ERROR),
        ("invalid_plan", FailureClass.PLANNING_ERROR),
    ],
)
def test_planning_has_classes_of_its_own(why: str, expected: FailureClass) -> None:
    assert classified(Facts(stage=PLANNING, no_plan=why)).failure_class is expected


FACTS = facts_of({"return_code": 3, "stderr": "quota exceeded for today"}, "http_request", "get", ("api.example",))


def test_a_rule_speaks_before_what_is_built_in() -> None:
    rule = Rule(FailureClass.RATE_LIMIT_ERROR, "quota", 4, tool="http_request", text="Quota Exceeded")
    failure = classified(FACTS, [rule])
    assert (failure.failure_class, failure.rule) == (FailureClass.RATE_LIMIT_ERROR, 4)
    assert "quota" in failure.reason
    assert "http_request" in failure.reason


@pytest.mark.parametrize(
    "condition",
    [
        {"tool": "git_tool"},
        {"command": "post"},
        {"exit_code": 4},
        {"limit": "memory"},
        {"error_class": "NETWORK_ERROR"},
        {"host": "other.example"},
        {"text": "not there"},
        {"stage": "planning"},
    ],
)
def test_every_condition_of_a_rule_must_hold(condition: dict[str, Any]) -> None:
    held: dict[str, Any] = {"tool": "http_request", "exit_code": 3, "host": "api.example", "text": "quota"}
    assert Rule(FailureClass.NETWORK_ERROR, **held).fits(FACTS)
    assert not Rule(FailureClass.NETWORK_ERROR, **{**held, **condition}).fits(FACTS)


def test_a_rule_without_conditions_fits_nothing() -> None:
    assert not Rule(FailureClass.NETWORK_ERROR).fits(FACTS)


def test_of_several_rules_the_most_specific_counts_then_the_newest() -> None:
    loose = Rule(FailureClass.NETWORK_ERROR, "loose", 9, text="quota")
    tight = Rule(FailureClass.PERMISSION_ERROR, "tight", 1, text="quota", exit_code=3)
    newer = Rule(FailureClass.UNKNOWN_ERROR, "newer", 10, text="quota")
    assert classified(FACTS, [loose, tight]).failure_class is FailureClass.PERMISSION_ERROR
    assert classified(FACTS, [loose, newer]).failure_class is FailureClass.UNKNOWN_ERROR


@pytest.mark.parametrize(
    ("value", "text", "seconds"),
    [
        (7, "", 7.0),
        ("12", "", 12.0),
        (None, "HTTP 429\nRetry-After: 30\n", 30.0),
        (None, "retry-after: 2.5s", 2.5),
        ("Wed, 21 Oct 2026 07:28:00 GMT", "", 0.0),
        (-3, "", 0.0),
        ("inf", "", 0.0),
        ("nan", "", 0.0),
        (None, "retry-after:", 0.0),
    ],
)
def test_patience_is_read_where_a_server_asked_for_it(value: Any, text: str, seconds: float) -> None:
    assert patience_asked(value, text) == seconds


@pytest.mark.parametrize(
    ("code", "text", "found"),
    [(-9, "", "UNKNOWN_ERROR"), (-11, " \n", "UNKNOWN_ERROR"), (-6, "assertion failed", "TOOL_EXECUTION_ERROR")],
)
def test_what_a_signal_ended_without_a_word_is_unknown(code: int, text: str, found: str) -> None:
    assert classify({"return_code": code, "stderr": text}).failure_class == found


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ({"return_code": 3}, "exit code 3"),
        ({"return_code": 3, "stderr": "first\nlast line \n \n"}, "exit code 3: last line"),
        ({"return_code": 3, "stderr": "first\n\x1b[1;31mred\x1b[0m line\n\x1b[0m\n"}, "exit code 3: red line"),
        ({"return_code": -9}, "ended by signal 9, and it did not say why"),
        ({"return_code": -6, "stderr": "assertion failed"}, "exit code -6: assertion failed"),
        ({"return_code": 127}, "exit code 127: the program was not found"),
        ({"return_code": 1, "stderr": "HTTP 429"}, "exit code 1, and stderr says “HTTP 429”"),
        ({"error_class": "NETWORK_ERROR", "reason": "no answer"}, "no answer"),
        ({"error_class": "NETWORK_ERROR", "message": "no answer"}, "no answer"),
        ({"error_class": "NETWORK_ERROR", "reason": "this", "message": "not this"}, "this"),
        ({"error_class": "NETWORK_ERROR"}, "the tool reported NETWORK_ERROR"),
        ({"error_class": "TOOL_EXECUTION_ERROR", "reason": "no such file"}, "no such file"),
        ({"error_class": "TOOL_EXECUTION_ERROR"}, "the tool reported an error"),
        ({}, "the step failed and did not say why"),
        # What is no number, and what only looks like one, is no exit code.
        ({"return_code": True}, "the step failed and did not say why"),
        ({"return_code": "7"}, "the step failed and did not say why"),
    ],
)
def test_the_reason_is_what_decided_in_one_sentence(result: dict[str, Any], reason: str) -> None:
    assert classify(result).reason == reason


def test_the_hosts_in_the_way_are_told_apart_and_a_rule_may_name_either() -> None:
    way = {
        "refused": [
            {"host": "not.example", "port": 443},
            {"host": "open.example", "port": 443, "why": "it has no address"},
        ]
    }
    facts = facts_of({"return_code": 1, "network": way}, approved=("open.example", "mirror.example"))
    assert (facts.refused, facts.closed) == (("not.example",), ("open.example",))
    assert facts.hosts == ("not.example", "open.example", "mirror.example")
    assert Facts.from_json(facts.to_json()) == facts
    for host in facts.hosts:
        assert Rule(FailureClass.NETWORK_ERROR, "r", host=host).fits(facts)
    assert not Rule(FailureClass.NETWORK_ERROR, "r", host="else.example").fits(facts)
    said = classified(facts).reason
    assert said.startswith("exit code 1: not.example was asked for and not approved; open.example is approved but")


def test_a_host_that_is_closed_decides_whatever_the_program_made_of_it() -> None:
    refused = Facts(exit_code=1, refusal="a.example is not approved", text="HTTP 429")
    failure = classified(refused)
    assert failure.failure_class is FailureClass.PERMISSION_ERROR
    assert failure.reason == "exit code 1: a.example is not approved"
    # A program that got on without it failed by something else.
    assert classified(replace(refused, exit_code=0)).failure_class is FailureClass.UNKNOWN_ERROR


def test_why_there_is_no_plan_is_said_by_who_knows_it_best() -> None:
    cut = Facts(stage=PLANNING, no_plan="invalid_plan", said="step 2 is cut off")
    assert classified(cut).reason == "step 2 is cut off"
    assert classified(Facts(stage=PLANNING, no_plan="invalid_plan")).reason == "invalid plan"
    assert classified(Facts(stage=PLANNING)).reason == "no plan was found"


def test_a_rule_that_does_not_fit_has_no_say_and_one_that_does_tells_what_it_went_by() -> None:
    stranger = Rule(FailureClass.RATE_LIMIT_ERROR, "stranger", 9, tool="git_tool", exit_code=3, host="api.example")
    assert classified(FACTS, [stranger]).failure_class is FailureClass.TOOL_EXECUTION_ERROR
    fits = Rule(FailureClass.NETWORK_ERROR, "quota", 4, host="api.example", text="quota")
    assert classified(FACTS, [stranger, fits]).reason == (
        "rule “quota”: it is about the host api.example, it says “quota”"
    )
    said = replace(FACTS, said="it said no")
    assert classified(said, [fits]).reason.startswith("it said no: rule “quota”: ")


def test_patience_is_read_from_the_headers_too_and_may_be_shorter_than_a_second() -> None:
    assert facts_of({"headers": {"retry-after": "20"}}).retry_after_s == 20.0
    assert facts_of({"retry_after": 5, "headers": {"retry-after": "20"}}).retry_after_s == 5.0
    assert facts_of({"headers": "retry-after: 20"}).retry_after_s == 0.0
    assert patience_asked(0.5) == 0.5
    assert patience_asked(0) == 0.0


def test_facts_are_kept_as_far_as_they_are_there_and_read_by_versions_that_know_others() -> None:
    facts = facts_of({"return_code": 3, "status_code": 429}, "t", "c", ("a.example",))
    kept = facts.to_json()
    assert kept == {"tool": "t", "command": "c", "exit_code": 3, "status_code": 429, "approved": ["a.example"]}
    assert Facts.from_json({**kept, "from_a_later_version": 1}) == facts
    for no_number in (True, "429", None):
        assert facts_of({"status_code": no_number}).status_code is None


PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=20)
JSON = st.recursive(PLAIN, lambda inner: st.lists(inner), max_leaves=4)


@given(st.dictionaries(st.sampled_from(["return_code", "stderr", "reason", "error_class", "limit", "network"]), JSON))
def test_whatever_a_tool_answers_has_a_class_and_facts_that_can_be_kept(result: dict[str, Any]) -> None:
    facts = facts_of(result, "t", "c")
    assert Facts.from_json(facts.to_json()) == facts
    assert classified(facts).failure_class in FailureClass


# What common programs write, in the words of each.
WRITTEN = {
    FailureClass.RATE_LIMIT_ERROR: ("429 Too Many Requests", "error: too many requests", "API rate limit exceeded"),
    FailureClass.NETWORK_ERROR: (
        "Temporary failure in name resolution",
        "Name or service not known",
        "connect: Network is unreachable",
        "connect: Connection refused",
        "recv: Connection reset by peer",
        "Failed to establish a new connection",
        "curl: (6) Could not resolve host: x",
    ),
    FailureClass.PERMISSION_ERROR: (
        "Permission denied",
        "chown: Operation not permitted",
        "touch: Read-only file system",
    ),
    FailureClass.INVALID_PARAMETERS: (
        "error: unrecognized arguments: -z",
        "error: the following arguments are required: x",
        "error: argument x: invalid choice: 'y'",
        "Error: No such option: --z",
        "ls: unrecognized option '--z'",
    ),
}


@pytest.mark.parametrize(("text", "found"), [(text, found) for found, texts in WRITTEN.items() for text in texts])
def test_words_of_common_programs_decide_where_nothing_typed_has(text: str, found: FailureClass) -> None:
    assert classify({"return_code": 1, "stderr": text}).failure_class is found
    assert classify({"return_code": 0, "stderr": text}).failure_class is FailureClass.UNKNOWN_ERROR


@pytest.mark.parametrize("why", ["no_relevant_rule", "unusable_value", "model_finds_no_plan", "unclear"])
def test_a_goal_that_was_not_understood_is_no_failure_of_planning(why: str) -> None:
    assert classified(Facts(stage=PLANNING, no_plan=why)).failure_class is FailureClass.GOAL_PARSE_ERROR


def test_of_long_words_the_beginning_is_kept_and_of_long_output_the_end() -> None:
    facts = facts_of({"reason": "first" + "x" * 9_000, "stderr": "x" * 9_000 + "last"})
    assert (len(facts.said), len(facts.text)) == (TEXT_KEPT, TEXT_KEPT)
    assert facts.said.startswith("first")
    assert facts.text.endswith("last")
    printed = facts_of({"stdout": "y" * 9_000 + "last"}).printed
    assert (len(printed), printed.endswith("last")) == (TEXT_KEPT, True), "of stdout as much"
    lines = facts_of({"stderr": "one line of many\n" * 900}).text
    assert TEXT_KEPT - 20 < len(lines) <= TEXT_KEPT
    assert set(lines.splitlines()) == {"one line of many"}, "no half line"
    assert len(classify({"return_code": 1, "stderr": "y" * 900}).reason) == len("exit code 1: ") + 200
    by_rule = classified(replace(FACTS, said="z" * 900), [Rule(FailureClass.NETWORK_ERROR, "quota", text="quota")])
    assert by_rule.reason.startswith("z" * 200 + ": rule ")
    assert classify({"reason": "it fell over"}).reason == "it fell over"


def test_patience_is_read_from_what_a_program_wrote_where_it_stands_last() -> None:
    assert facts_of({"stderr": "Retry-After: 30"}).retry_after_s == 30.0
    assert facts_of({"stderr": "retry-after: 5\nand once more\nretry-after: 30 s, please"}).retry_after_s == 30.0
    assert facts_of({"stderr": "Retry-After: 30\n" + "x" * TEXT_KEPT}).retry_after_s == 0.0, "it is not kept either"
    assert facts_of({"stderr": "30"}).retry_after_s == 0.0


def test_a_rule_says_all_its_conditions_and_reads_capitals_as_small_letters() -> None:
    every = {"stage": "execution", "tool": "t", "command": "c", "error_class": "E", "exit_code": 0, "limit": "memory"}
    rule = Rule(FailureClass.NETWORK_ERROR, **every, host="a.example", text="x")  # type: ignore[arg-type]
    named = ("stage is execution", "tool is t", "command is c", "error class is E", "exit code is 0", "limit is memory")
    assert rule.conditions == (*named, "it is about the host a.example", "it says “x”")
    shouted = Facts(said="NO", text="QUOTA Exceeded")
    assert Rule(FailureClass.NETWORK_ERROR, text="quota exceeded").fits(shouted)
    assert Rule(FailureClass.NETWORK_ERROR, text="No").fits(shouted)
