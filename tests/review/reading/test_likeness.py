"""In what a plan differs from an earlier one, in a line."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from agents.bdi.document import IntentSpec
from review.reading.likeness import unlike
from tests.review.plans import MKDIR, WRITE, step
from tests.review.reading.test_anchors import RUN, STEPS, document

SAME = "the same steps with the same values"
OTHER = step("write", path="docs/one.txt", content="x")


@pytest.mark.parametrize(
    ("earlier", "this", "said"),
    [
        ((MKDIR, WRITE), (MKDIR, WRITE), SAME),
        ((MKDIR,), (MKDIR, RUN), "more here: 2 run"),
        ((RUN, MKDIR), (MKDIR,), "not here: run"),
        ((MKDIR, WRITE), (MKDIR, OTHER), "other values: 2 path and content"),
        ((MKDIR, WRITE), (WRITE, MKDIR), "in another order"),
        ((RUN,), (replace(RUN, hosts=("example.org",)),), "other values: 1 hosts"),
        ((RUN, MKDIR), (step("mkdir", path="b"), WRITE), "more here: 2 write; not here: run; other values: 1 path"),
    ],
)
def test_the_difference_is_said_in_a_line(
    earlier: tuple[IntentSpec, ...], this: tuple[IntentSpec, ...], said: str
) -> None:
    assert unlike(document(*earlier), document(*this)) == said


@given(one=STEPS, other=STEPS)
def test_only_equal_plans_are_called_the_same(one: list[IntentSpec], other: list[IntentSpec]) -> None:
    assert (unlike(document(*one), document(*other)) == SAME) == (one == other)
