from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.deliberation import Candidate, choose, lost_reasons
from agents.bdi.types import Belief

NOW = "2026-05-01T12:00:00+00:00"
NONE: frozenset[str] = frozenset()


def goal(name: str, priority: int = 3, at: str = "2026-01-01", **parts: object) -> Candidate:
    return Candidate(name, priority, at, **parts)  # type: ignore[arg-type]


def test_priority_comes_first_then_the_deadline_then_the_oldest() -> None:
    waiting = [
        goal("old", at="2025-01-01"),
        goal("due", deadline="2026-06-01"),
        goal("soon", deadline="2026-05-02"),
        goal("urgent", priority=1),
    ]
    order = []
    while waiting:
        chosen = choose(waiting, NONE, NONE, NOW).goal
        order.append(chosen)
        waiting = [one for one in waiting if one.id != chosen]
    assert order == ["urgent", "soon", "due", "old"]


def test_a_goal_waits_for_those_it_depends_on_and_is_impossible_when_one_failed() -> None:
    waiting = [goal("a", depends_on=("x",)), goal("b", depends_on=("y",)), goal("c", depends_on=("b",))]
    choice = choose(waiting, frozenset({"x"}), frozenset({"y"}), NOW)
    assert choice.goal == "a"
    assert choice.impossible == ("b", "c")
    assert choose(waiting, NONE, NONE, NOW).goal is None


def test_an_overdue_goal_is_named_and_not_started() -> None:
    choice = choose([goal("late", deadline="2026-04-30T00:00:00+00:00")], NONE, NONE, NOW)
    assert (choice.goal, choice.overdue) == (None, ("late",))


@given(st.permutations([goal("a"), goal("b"), goal("c", 2), goal("d", 2, "2025"), goal("e", 5)]))
def test_the_choice_does_not_depend_on_the_order_of_the_rows(waiting: list[Candidate]) -> None:
    assert choose(waiting, NONE, NONE, NOW).goal == "d"


def test_an_intention_loses_its_reason_only_when_a_belief_speaks_against_it() -> None:
    contexts = ["there is no folder named weather", "NOT the door is open", "python is installed"]
    beliefs = [Belief("There is a folder named weather."), Belief("The door is open."), Belief("It is raining hard.")]
    assert lost_reasons(contexts, beliefs) == [(contexts[0], beliefs[0]), (contexts[1], beliefs[1])]
    assert lost_reasons(contexts, beliefs[2:]) == []
