from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.intentions.deliberation import (
    LEVEL_S,
    OLDEST_EVERY,
    TURN_S,
    Candidate,
    InTurn,
    choose,
    goes_first,
    is_turn_of_the_oldest,
)

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
        assert chosen is not None
        order.append(chosen)
        waiting = [one for one in waiting if one.id != chosen]
    assert order == ["urgent", "soon", "due", "old"]


def test_a_choice_says_in_words_why_and_before_whom() -> None:
    waiting = [goal("a", 1), goal("b", 3, "2026-01-02", deadline="2026-06-01"), goal("c", 3, "2025-01-01")]
    assert choose(waiting, NONE, NONE, NOW).reason == "priority 1, before 2 others"
    assert choose(waiting[1:], NONE, NONE, NOW).reason == "priority 3 and the nearest deadline, before 1 other"
    assert choose(waiting[2:], NONE, NONE, NOW).reason == "priority 3, and no other goal is waiting"
    oldest = choose(waiting, NONE, NONE, NOW, oldest=True)
    assert oldest.goal == "c"
    assert oldest.reason == "priority 3, but it has waited longest of 3 waiting goals"
    assert oldest.before == ("a", "b")


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


@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=12),
    st.lists(st.integers(0, 3), min_size=120, max_size=120),
)
def test_nothing_starves_whatever_comes_after_it(waiting: list[int], arrivals: list[int]) -> None:
    """A goal with m older ones is begun within (m + 1) times so many claims, though urgent ones never end."""
    goals = [goal(f"{n:04}", priority, f"{n:04}") for n, priority in enumerate(waiting)]
    first_ones = {one.id for one in goals}
    begun: dict[str, int] = {}
    for claims, more in enumerate(arrivals):
        at = len(waiting) + 10 * claims
        goals += [goal(f"{at + n:04}", 1, f"{at + n:04}") for n in range(more + 1)]
        chosen = choose(goals, NONE, NONE, NOW, oldest=is_turn_of_the_oldest(claims)).goal
        assert chosen is not None
        begun[chosen] = claims
        goals = [one for one in goals if one.id != chosen]
    for number, name in enumerate(sorted(first_ones)):
        assert begun[name] < (number + 1) * OLDEST_EVERY


def test_a_goal_of_a_higher_priority_goes_first_at_once() -> None:
    first = goes_first(InTurn(1, 3, 0.0), [InTurn(2, 2, 0.0), InTurn(3, 3, 500.0)])
    assert first is not None
    assert (first.goal, first.why) == (3, "goal 3 of priority 3 has waited 500 s, and this one has run 0 s")
    first = goes_first(InTurn(1, 3, 0.0), [InTurn(2, 2, 0.0)])
    assert first is not None
    assert (first.goal, first.why) == (2, "goal 2 has priority 2, this one 3")


def test_a_goal_of_the_same_priority_goes_first_after_a_turn() -> None:
    assert goes_first(InTurn(1, 3, TURN_S / 4), [InTurn(2, 3, TURN_S / 4)]) is None
    assert goes_first(InTurn(1, 3, TURN_S), [InTurn(2, 3, TURN_S)]) is not None
    assert goes_first(InTurn(1, 3, TURN_S), []) is None


@given(st.integers(1, 5), st.integers(1, 5), st.floats(0, 1000))
def test_a_less_urgent_goal_goes_first_once_it_has_waited_for_each_level(ours: int, theirs: int, since: float) -> None:
    first = goes_first(InTurn(1, ours, TURN_S), [InTurn(2, theirs, since)])
    if theirs > ours:
        assert (first is not None) == (since >= LEVEL_S * (theirs - ours))
    if theirs < ours:
        assert first is not None


def test_what_can_never_start_is_impossible_and_not_overdue_besides() -> None:
    """Also when it stands before the one that it waits for, and however long that chain is."""
    past = "2026-04-30T00:00:00+00:00"
    waiting = [goal("c", depends_on=("b",), deadline=past), goal("b", depends_on=("a",)), goal("a", depends_on=("y",))]
    choice = choose(waiting, NONE, frozenset({"y"}), NOW)
    assert (set(choice.impossible), choice.overdue) == ({"a", "b", "c"}, ())
    assert choice.reason == "every waiting goal is blocked"
    assert choose([], NONE, NONE, NOW).reason == "no goal is waiting"


def test_a_goal_may_begin_until_the_very_moment_of_its_deadline() -> None:
    assert choose([goal("now", deadline=NOW)], NONE, NONE, NOW).goal == "now"


def test_the_words_say_what_the_choice_really_went_by() -> None:
    due = goal("due", at="2026-01-02", deadline="2026-06-01")
    oldest = choose([goal("old"), due], NONE, NONE, NOW, oldest=True)
    assert (oldest.goal, oldest.reason) == ("old", "priority 3 and the oldest of that priority, before 1 other")
    twins = [goal("a", deadline="2026-06-01"), goal("b", at="2026-01-02", deadline="2026-06-01")]
    assert choose(twins, NONE, NONE, NOW).reason == "priority 3 and the oldest of that priority, before 1 other"


def test_whoever_waits_lets_a_running_plan_have_its_turn_and_waits_half_of_one_at_least() -> None:
    assert goes_first(InTurn(1, 3, 0.0), [InTurn(2, 3, TURN_S - 1)]) is None
    assert goes_first(InTurn(1, 3, 0.0), [InTurn(2, 3, TURN_S)]) is not None
    assert goes_first(InTurn(1, 3, 10 * TURN_S), [InTurn(2, 3, TURN_S / 2 - 1)]) is None
    assert goes_first(InTurn(1, 3, 10 * TURN_S), [InTurn(2, 3, TURN_S / 2)]) is not None
    assert goes_first(InTurn(1, 3, TURN_S), [InTurn(2, 4, LEVEL_S)]) is not None


def test_of_those_that_are_due_turns_then_priority_then_the_deadline_then_waiting_decide() -> None:
    def first(*waiting: InTurn) -> int:
        found = goes_first(InTurn(9, 3, TURN_S), waiting)
        assert found is not None
        return found.goal

    # Each is over its own patience by the same turns, but in the first line.
    assert first(InTurn(1, 2, 0.0), InTurn(2, 3, 3 * TURN_S)) == 2
    assert first(InTurn(1, 3, TURN_S / 2), InTurn(2, 2, 0.0)) == 2
    assert first(InTurn(1, 3, TURN_S / 2, 200.0), InTurn(2, 3, TURN_S / 2, 100.0)) == 2
    assert first(InTurn(1, 3, TURN_S / 2), InTurn(2, 3, TURN_S / 2, 100.0)) == 2
    assert first(InTurn(1, 3, TURN_S / 2), InTurn(2, 3, TURN_S / 2 + 1)) == 2
    assert first(InTurn(2, 3, TURN_S / 2), InTurn(1, 3, TURN_S / 2)) == 1


def test_among_several_the_others_stand_in_the_order_of_their_turn() -> None:
    waiting = [goal("low", 5), goal("b", 2, "2026-01-02"), goal("a", 1), goal("c", 2, "2026-01-02"), goal("d", 2)]
    assert choose(waiting, NONE, NONE, NOW).before == ("d", "b", "c", "low")


def test_of_goals_of_the_same_moment_the_one_of_the_first_name_is_the_oldest() -> None:
    twins = [goal("b"), goal("a")]
    assert choose(twins, NONE, NONE, NOW).goal == choose(twins, NONE, NONE, NOW, oldest=True).goal == "a"


def test_a_deadline_is_named_when_any_of_the_same_priority_has_another() -> None:
    near, same, none = (goal(name, deadline=at) for name, at in (("a", "2026-06"), ("b", "2026-06"), ("c", "")))
    assert choose([near, same, none], NONE, NONE, NOW).reason.startswith("priority 3 and the nearest deadline")
    oldest = choose([goal("a", at="2025-01-01"), goal("b")], NONE, NONE, NOW, oldest=True)
    assert oldest.reason == "priority 3 and the oldest of that priority, before 1 other", (
        "it would have been chosen anyway"
    )


def test_every_so_many_claims_it_is_the_turn_of_the_oldest_and_not_at_once() -> None:
    turns = [claims for claims in range(3 * OLDEST_EVERY) if is_turn_of_the_oldest(claims)]
    assert turns == [OLDEST_EVERY - 1, 2 * OLDEST_EVERY - 1, 3 * OLDEST_EVERY - 1]
