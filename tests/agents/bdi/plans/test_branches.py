"""Branches: which steps stand beside each other, and where a plan goes on when one of them has failed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.plans import branches
from agents.bdi.plans.document import IntentSpec
from agents.states import IntentState

# Step 1, the branches 2a (2, 3) and 2b (4, 5), of which 2b has the branches 2b.2a (5) and 2b.2b (6), and step 7.
WAYS = ("", "2a", "2a", "2b", "2b.2a", "2b.2b", "")
P, R, OK, NO, SKIP = (
    state.value
    for state in (
        IntentState.PENDING,
        IntentState.RUNNING,
        IntentState.SUCCEEDED,
        IntentState.FAILED,
        IntentState.SKIPPED,
    )
)


def specs(ways: tuple[str, ...] = WAYS) -> list[IntentSpec]:
    return [
        IntentSpec(at, "main", "t", "c", {}, (), "", "workspace", {}, (), None, (), "", "", branch=way)
        for at, way in enumerate(ways, 1)
    ]


def states(*each: str) -> dict[int, str]:
    return dict(enumerate(each, 1))


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [
        ("2a", "2b", True),
        ("2a", "2a", False),
        ("2a", "", False),
        ("2a", "2a.3b", False),
        ("2a.3b", "2b", True),
        ("2a.3b", "2a.3c", True),
        ("2a", "3b", False),
        ("2a", "4.2b", False),
        ("4.2a", "4.2b", True),
        ("4.2a", "5.2b", False),
        ("12a", "1b", False),
    ],
)
def test_steps_stand_beside_each_other_in_branches_of_one_parallel(one: str, other: str, are: bool) -> None:
    assert branches.are_parallel(one, other) is are
    assert branches.are_parallel(other, one) is are


@pytest.mark.parametrize(
    ("now", "position", "following"),
    [
        ((P, P, P, P, P, P, P), 1, 1),
        ((OK, OK, OK, P, P, P, P), 4, 4),
        ((OK, NO, P, P, P, P, P), 4, 4),
        ((OK, NO, P, OK, OK, P, P), 6, 6),
        ((OK, NO, P, OK, OK, OK, P), 7, 2),
        ((OK, NO, P, OK, NO, OK, P), 7, 2),
        ((OK, OK, P, OK, OK, OK, P), 3, 3),
        ((OK, OK, OK, OK, OK, OK, P), 4, 7),
        ((OK, OK, OK, OK, NO, OK, P), 7, 5),
        ((OK, OK, SKIP, OK, OK, OK, OK), 4, None),
        ((OK, NO, P, P, P, P, P), 2, 2),
        ((OK, NO, P, P, P, P, P), 3, 4),
    ],
)
def test_where_a_plan_goes_on(now: tuple[str, ...], position: int, following: int | None) -> None:
    assert branches.going_on(specs(), states(*now), position) == following


@pytest.mark.parametrize(
    ("now", "failed", "following"),
    [
        ((OK, R, P, P, P, P, P), 2, 4),
        ((OK, R, P, OK, OK, P, P), 2, 6),
        ((OK, R, P, OK, OK, OK, P), 2, None),
        ((OK, NO, P, OK, R, P, P), 5, 6),
        ((OK, NO, P, R, P, P, P), 4, None),
        ((R, P, P, P, P, P, P), 1, None),
        ((OK, OK, OK, OK, OK, OK, R), 7, None),
    ],
)
def test_what_goes_on_when_a_step_has_failed(now: tuple[str, ...], failed: int, following: int | None) -> None:
    assert branches.instead_of(specs(), states(*now), failed) == following


@pytest.mark.parametrize(
    ("open_steps", "position", "may"),
    [
        ({}, 7, True),
        ({2: NO, 3: P}, 4, True),
        ({2: NO, 3: P}, 6, True),
        ({2: NO, 3: P}, 7, False),
        ({2: P, 3: P}, 4, False),
        ({2: R}, 4, False),
        ({1: NO}, 2, False),
        ({4: NO, 5: P}, 6, False),
        ({5: NO}, 6, True),
        ({2: NO}, 8, False),
        ({9: NO}, 4, False),
    ],
)
def test_a_position_fits_only_what_failed_branches_leave_open(
    open_steps: dict[int, str], position: int, may: bool
) -> None:
    assert branches.may_be_open(specs(), open_steps, position) is may


def test_in_a_plan_without_branches_nothing_is_open_before_the_position() -> None:
    plain = specs(("", "", ""))
    assert branches.going_on(plain, states(NO, P, P), 3) == 1
    assert branches.instead_of(plain, states(NO, P, P), 1) is None
    assert not branches.may_be_open(plain, {1: NO}, 2)


@given(fails=st.lists(st.booleans(), min_size=7, max_size=7))
def test_a_plan_runs_each_step_once_and_stands_only_where_the_gate_lets_it(fails: list[bool]) -> None:
    """Run as the executor does; a step that fails is recovered well when its plan comes back to it."""
    intents, now = specs(), states(*[P] * 7)
    at: int | None = 1
    ran: list[int] = []
    for _ in range(40):
        if at is None:
            break
        before = {one: state for one, state in now.items() if one < at and state not in branches.ENDED}
        assert branches.may_be_open(intents, before, at)
        following = branches.instead_of(intents, now, at) if fails[at - 1] and now[at] == P else None
        if following is not None:
            now[at], at = NO, following
            continue
        ran.append(at)
        now[at] = OK
        at = branches.going_on(intents, now, at + 1)
    assert at is None
    assert sorted(ran) == [1, 2, 3, 4, 5, 6, 7]
    assert ran[-1] == 7
