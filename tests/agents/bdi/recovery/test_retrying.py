"""Whether another try can come to another end: by the cause of the failure, and by what two tries in a row said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.recovery.failures import Facts, classified, facts_of
from agents.bdi.recovery.program_errors import Cause
from agents.bdi.recovery.retrying import SAME_WORDS, Earlier, fingerprint, why_not_again


def _failed(stderr: str = "", code: int = 1, hosts: tuple[str, ...] = (), **more: Any) -> Facts:
    return facts_of({"return_code": code, "stderr": stderr, **more}, "simple_coder", "run", hosts)


def _why_not(facts: Facts, *before: Facts) -> str:
    earlier = [Earlier(classified(one).failure_class.value, fingerprint(one)) for one in before]
    return why_not_again(classified(facts), facts, earlier)


SYNTAX = '  File "/work/bad.py", line 1\n    def f(:\nSyntaxError: invalid syntax\n'
FRAME = 'Traceback (most recent call last):\n  File "x.py", line 1\n'
HOST = ("api.example.org",)


@pytest.mark.parametrize(
    "facts",
    [
        _failed(SYNTAX),
        _failed(SYNTAX, hosts=HOST),
        _failed(FRAME + "ModuleNotFoundError: No module named 'x'\n"),
        _failed(FRAME + "AssertionError: 1429 != 7\n"),
        _failed("cat: missing.txt: No such file or directory\n"),
        _failed(stdout="test_x.py:2: AssertionError\n1 failed in 0.02s\n"),
        _failed("usage: x\nx: error: unrecognized arguments: -z\n", code=2),
        _failed(code=127),
        facts_of({"error_class": "INVALID_PARAMETERS", "reason": "x: there is no such file or folder"}),
    ],
)
def test_what_the_same_files_and_the_same_command_decide_is_not_tried_again_at_all(facts: Facts) -> None:
    assert _why_not(facts)


@pytest.mark.parametrize(
    "facts",
    [
        _failed("the ledger is locked"),
        _failed("", code=3),
        _failed("", code=-9),
        _failed(limit="time"),
        _failed("fork: Resource temporarily unavailable"),
        _failed("Connection refused", hosts=HOST),
        # What a host answers may be why these are as they are.
        _failed(FRAME + "KeyError: 'name'\n", hosts=HOST),
        _failed("cat: fetched.txt: No such file or directory\n", hosts=HOST),
    ],
)
def test_what_may_pass_is_tried_once_more_and_in_the_same_words_no_third_time(facts: Facts) -> None:
    assert _why_not(facts) == ""
    other = replace(facts, text=f"{facts.text} and more")
    assert _why_not(facts, other) == "", "it failed in other words before"
    assert _why_not(facts, facts, other) == "", "the last try counts"
    if classified(facts).failure_class != "NETWORK_ERROR":
        assert _why_not(facts, facts) == SAME_WORDS


def test_another_machine_may_do_otherwise_whatever_it_said_twice() -> None:
    for text in ("HTTP 429 Too Many Requests", "connect: Connection refused"):
        asks = _failed(text, hosts=HOST)
        assert _why_not(asks, asks, asks) == ""
        nobody = _failed(text)
        assert _why_not(nobody, nobody) == SAME_WORDS, "no other machine was asked"


def test_the_same_words_of_another_class_are_another_failure() -> None:
    facts = _failed("it is locked")
    before = [Earlier("UNKNOWN_ERROR", fingerprint(facts))]
    assert why_not_again(classified(facts), facts, before) == ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("at 2026-11-25T22:47:00.123Z: locked", "at 2026-11-25 22:49:31: locked"),
        ("22:47:00 locked", "22:47:09.5 locked"),
        ("<Lock object at 0x7f11>", "<Lock object at 0xdead>"),
        ("2 failed in 1.40s", "2 failed in 0.9 s"),
        ("in /tmp/tmpab12/x.log: locked", "in /tmp/tmpzz/x.log: locked"),
        ("nul \0", "nul \u2400"),
    ],
)
def test_moments_addresses_and_temporary_names_make_no_other_words(one: str, other: str) -> None:
    assert fingerprint(_failed(one)) == fingerprint(_failed(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (_failed("line 3"), _failed("line 4")),
        (_failed("x"), _failed("x", code=2)),
        (_failed("x"), _failed("x", stdout="y")),
        (_failed("x"), _failed("x", limit="time")),
        (_failed("./a.txt is locked"), _failed("./b.txt is locked")),
    ],
)
def test_whatever_else_differs_does(one: Facts, other: Facts) -> None:
    assert fingerprint(one) != fingerprint(other)


@given(st.text(max_size=200), st.integers(-9, 300), st.text(max_size=50))
def test_a_failure_that_was_kept_and_read_again_has_the_same_words(text: str, code: int, printed: str) -> None:
    facts = _failed(text, code, stdout=printed)
    assert fingerprint(Facts.from_json(facts.to_json())) == fingerprint(facts)


def test_only_two_causes_are_final() -> None:
    assert {cause for cause in Cause if why_not_again(replace(classified(_failed()), cause=cause), Facts(), [])} == {
        Cause.CODE,
        Cause.INPUT,
    }
