"""Terms of goals: what changed in words, and which could never come true."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.intentions.goal_terms import Terms, changes, in_words, knot


def test_what_changed_is_said_with_what_it_was() -> None:
    before = Terms(3, depends_on=(4,))
    after = Terms(1, "2030-01-31T18:00:00+00:00", 7, ())
    assert in_words(changes(before, after)) == (
        "priority from 3 to 1, deadline from none to 2030-01-31 18:00 UTC, parent goal from none to goal 7,"
        " waits for from goal 4 to no goal"
    )
    assert changes(before, before) == {}


def test_a_part_of_itself_by_whatever_way_is_a_knot() -> None:
    found = knot(1, Terms(3, parent=3), {3: [2], 2: [1]}, {})
    assert found is not None
    assert (found.field, found.why) == ("parent", "Goal 3 is itself a part of goal 1.")
    own = knot(1, Terms(3, parent=1), {}, {})
    assert own is not None
    assert own.field == "parent"


def test_goals_that_would_wait_for_each_other_are_a_knot_that_names_the_one() -> None:
    found = knot(1, Terms(3, depends_on=(2, 5)), {}, {5: [6], 6: [1]})
    assert found is not None
    assert (found.field, found.why) == ("depends_on", "Goal 5 waits for goal 1 already.")
    own = knot(1, Terms(3, depends_on=(1,)), {}, {})
    assert own is not None
    assert own.why == "A goal cannot wait for itself."


def test_a_part_cannot_wait_for_its_whole_but_a_whole_for_its_parts() -> None:
    found = knot(0, Terms(3, parent=2, depends_on=(5,)), {2: [9]}, {5: [9]})
    assert found is not None
    assert found.why == "It would wait for goal 9, which it is a part of, and be dropped when that has ended."
    assert knot(9, Terms(3, depends_on=(5,)), {5: [9]}, {}) is None


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), max_size=14))
def test_no_order_of_changes_ever_closes_a_circle(wanted: list[tuple[int, int]]) -> None:
    """Whatever people try one after the other, what was let through can be put in an order."""
    waits: dict[int, set[int]] = {goal: set() for goal in range(1, 7)}
    for goal, other in wanted:
        if knot(goal, Terms(3, depends_on=tuple(sorted({*waits[goal], other}))), {}, waits) is None:
            waits[goal].add(other)
    done: set[int] = set()
    while ready := {goal for goal in waits if goal not in done and waits[goal] <= done}:
        done |= ready
    assert done == set(waits)
