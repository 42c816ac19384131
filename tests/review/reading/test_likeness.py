"""In what a plan differs from an earlier one, in a line."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from agents.bdi.plans.document import IntentSpec
from review.reading.likeness import alike, unlike
from tests.review.plans import MKDIR, WRITE, step
from tests.review.reading.test_anchors import RUN, STEPS, document

SAME = "the same steps with the same values"
OTHER = step("write", path="docs/one.txt", content="x")
CD = step("cd", path="notes/in")


@pytest.mark.parametrize(
    ("earlier", "this", "said"),
    [
        ((MKDIR, WRITE), (MKDIR, WRITE), SAME),
        ((MKDIR,), (MKDIR, RUN), "more here: 2 run"),
        ((RUN, MKDIR), (MKDIR,), "not here: run"),
        ((MKDIR, WRITE), (MKDIR, OTHER), "notes/one.txt → docs/one.txt, another content of step 2"),
        ((MKDIR, CD), (step("mkdir", path="docs"), step("cd", path="docs/in")), "notes → docs"),
        ((step("read", path=""),), (step("read", path="a"),), "empty → a"),
        ((step("read"),), (step("read", path="a"),), "a path of step 1"),
        ((MKDIR, WRITE), (WRITE, MKDIR), "in another order"),
        ((RUN,), (replace(RUN, hosts=("example.org",)),), "other hosts of step 1"),
        ((RUN, MKDIR), (step("mkdir", path="b"), WRITE), "more here: 2 write; not here: run; notes → b"),
    ],
)
def test_the_difference_is_said_in_a_line(
    earlier: tuple[IntentSpec, ...], this: tuple[IntentSpec, ...], said: str
) -> None:
    assert unlike(document(*earlier), document(*this)) == said


@given(one=STEPS, other=STEPS)
def test_only_equal_plans_are_called_the_same(one: list[IntentSpec], other: list[IntentSpec]) -> None:
    assert (unlike(document(*one), document(*other)) == SAME) == (one == other)


def test_a_plan_of_the_same_steps_says_what_came_in_the_place_of_what() -> None:
    earlier = document(step("mkdir", path="weather"), step("rm", path="weather/.venv"), WRITE)
    this = document(step("mkdir", path="tides"), step("rm", path="tides/.venv"), replace(WRITE, params=OTHER.params))
    found = alike(earlier, this)
    assert found is not None
    assert found.pairs == (("weather", "tides"), ("notes/one.txt", "docs/one.txt"))
    assert found.places == ("another content of step 3",)
    assert found.at(2) == {"path": "weather/.venv"}
    same = alike(this, this)
    assert same is not None
    assert same.swaps == ()


@pytest.mark.parametrize(
    "other",
    [
        replace(WRITE, hosts=("example.org",)),
        replace(WRITE, effect="once"),
        replace(WRITE, limits={"soft_s": 3600}),
        replace(WRITE, condition={"that": "a.txt is there"}),
        replace(WRITE, params={**WRITE.params, "mode": "append"}),
        RUN,
    ],
)
def test_a_plan_that_may_do_something_else_is_not_alike(other: IntentSpec) -> None:
    assert alike(document(MKDIR, WRITE), document(MKDIR, other)) is None
    assert alike(document(MKDIR, WRITE), document(MKDIR)) is None


def test_a_plan_in_which_most_differs_is_not_alike() -> None:
    earlier = [step("mkdir", path=f"old{number}") for number in range(4)]
    this = [step("mkdir", path=f"new{number}") for number in range(4)]
    assert alike(document(*earlier[:3]), document(*this[:3])) is not None
    assert alike(document(*earlier), document(*this)) is None
