"""What came of a value that mindX settled by itself: approved unchanged and worked, or not."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.learning.corrections import Came, Stood, is_correction, judge

WISH = {"tool": "simple_coder", "command": "read", "parameter": "path", "original": "a.md", "value": "b.md"}
LEFT = {"tool": "simple_coder", "command": "read", "params": {"path": "a.md"}}


def stood(step: str = "succeeded", revision: int = 1, plan: str = "complete", value: Any = "a.md") -> Stood:
    return Stood(
        revision, "simple_coder", "read", "path", "mapping", "path/to/a", value, "", 0.9, plan, step
    )  # fmt: skip


@pytest.mark.parametrize(
    ("found", "wishes", "left_out", "came"),
    [
        ([stood()], [], [], Came.SUCCEEDED),
        ([stood("failed")], [], [], Came.FAILED),
        ([stood("outcome_unknown")], [], [], Came.FAILED),
        ([stood(), stood("failed")], [], [], Came.FAILED),
        ([stood("failed"), stood("succeeded", revision=2)], [], [], Came.SUCCEEDED),
        ([stood("succeeded"), stood("failed", revision=2)], [], [], Came.FAILED),
        ([stood("succeeded"), stood("skipped", revision=2)], [], [], Came.SUCCEEDED),
        ([stood("pending", plan="superseded")], [WISH], [], Came.EDITED),
        ([stood("succeeded")], [WISH], [], Came.EDITED),
        ([stood("succeeded")], [{**WISH, "parameter": "to"}, {**WISH, "original": "c.md"}], [], Came.SUCCEEDED),
        ([stood("pending", plan="superseded")], [], [LEFT], Came.REFUSED),
        ([stood("pending", plan="superseded")], [], [{**LEFT, "params": {"path": "c"}}], Came.UNUSED),
        ([stood("skipped", plan="rejected")], [], [], Came.REFUSED),
        ([stood("skipped", plan="cancelled")], [], [], Came.UNUSED),
        ([stood("skipped", plan="expired")], [], [], Came.UNUSED),
    ],
)
def test_what_came_of_it(found: list[Stood], wishes: list[Any], left_out: list[Any], came: Came) -> None:
    (judged,) = judge(found, wishes, left_out)
    assert judged.came is came


def test_the_same_value_is_one_correction_and_another_one_is_another() -> None:
    found = [stood(), stood(revision=2), stood(value=1), stood(value=True), stood(value="1")]
    assert len(judge(found, [], [])) == 4


@pytest.mark.parametrize(
    ("origin", "note", "of_model", "is_one"),
    [
        ("mapping", "", False, True),
        ("mapping", "", True, True),
        ("experience", "", False, True),
        ("model", "", False, True),
        ("model", "", True, False),
        ("default", "", False, False),
        ("default", "a parameter rule says so", False, True),
        ("default", "lesson 12 says so", False, True),
        ("default", "lesson 0 says so", False, False),
        ("explicit", "lesson 12 says so", False, False),
        ("explicit", "", False, False),
        ("person", "", False, False),
    ],
)
def test_which_values_are_corrections(origin: str, note: str, of_model: bool, is_one: bool) -> None:
    assert is_correction(origin, note, of_model=of_model) is is_one
