"""Rules made of several goals that worked, told from those that failed."""

from __future__ import annotations

import pytest

from agents.bdi.learning.rules_from_traces import Candidate, Trace, candidates
from agents.bdi.planning.means_ends import plan
from agents.rules.grammar import parse
from agents.rules.selection import KnownRule
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Belief, NoPlan, PlanDraft, Step
from tests.agents.bdi.worlds import by_hand

EMPTY = "The workspace is empty."


def trace(goal: int, text: str, *beliefs: str, succeeded: bool = True, steps: tuple[Step, ...] = ()) -> Trace:
    name = text.split()[-1]
    draft = PlanDraft(steps or (by_hand("mkdir", path=name),), (), "person", {})
    return Trace(goal, text, draft, tuple(Belief(one) for one in beliefs), succeeded)


def only(traces: list[Trace]) -> Candidate:
    (found,) = candidates(traces, REGISTRY)
    return found


def test_two_goals_that_worked_with_the_same_steps_make_one_rule_for_both() -> None:
    found = only([trace(1, "set up a place for apples"), trace(2, "set up a place for pears")])
    assert found.goals == (1, 2)
    (rule,) = parse(found.text)
    again = plan("set up a place for plums", [KnownRule(rule.name, "", "", rule)], [], REGISTRY)
    assert isinstance(again, PlanDraft)
    assert [step.values()["path"] for step in again.steps] == ["plums"]


def test_a_context_that_did_not_hold_every_time_is_left_out() -> None:
    there = "There is no file or folder named apples."
    with_context = only([trace(1, "set up a place for apples", there), trace(2, "set up a place for pears", EMPTY)])
    assert "CONSIDERING there is no file or folder named {folder}" in with_context.text
    without = only([trace(1, "set up a place for apples", there), trace(2, "set up a place for pears")])
    assert "CONSIDERING" not in without.text


def test_what_only_successes_believe_becomes_a_context_and_rules_failures_out() -> None:
    found = only(
        [
            trace(1, "set up a place for apples", "The gate is open.", "It rains."),
            trace(2, "set up a place for pears", "The gate is open.", "It rains.", "It is Monday."),
            trace(3, "set up a place for plums", "The gate is closed.", "It rains.", succeeded=False),
        ]
    )
    assert found.added == ("the gate is open",)
    assert (found.goals, found.ruled_out, found.not_ruled_out) == ((1, 2), (3,), ())
    (rule,) = parse(found.text)
    shut = plan("set up a place for figs", [KnownRule("a", "", "", rule)], [Belief("The gate is closed.")], REGISTRY)
    assert isinstance(shut, NoPlan)


def test_what_a_failure_believed_about_the_goals_own_value_is_denied_in_the_words_of_its_slot() -> None:
    found = only(
        [
            trace(1, "set up a place for apples", "There is no file or folder named apples.", "It rains."),
            trace(2, "set up a place for pears", "The workspace has no tests.", "The folder pears does not exist."),
            trace(3, "set up a place for plums", "There is a folder named plums.", succeeded=False),
        ]
    )
    assert found.ruled_out == (3,)
    assert "CONSIDERING NOT there is a folder named {folder}" in found.text


def test_a_failure_that_nothing_tells_apart_is_told_and_not_hidden() -> None:
    found = only(
        [
            trace(1, "set up a place for apples", "It rains."),
            trace(2, "set up a place for pears", "It rains."),
            trace(3, "set up a place for plums", "It rains.", succeeded=False),
        ]
    )
    assert (found.added, found.ruled_out, found.not_ruled_out) == ((), (), (3,))


def test_one_goal_twice_and_plans_that_fit_no_wording_make_no_rule() -> None:
    again = trace(1, "set up a place for apples")
    assert candidates([again, trace(2, again.text)], REGISTRY) == []
    assert candidates([again, trace(2, "paint the house in pears")], REGISTRY) == []
    assert candidates([again, trace(2, "set up a place for pears", succeeded=False)], REGISTRY) == []


def test_the_order_of_goals_never_matters_and_a_taken_name_is_left_alone() -> None:
    goals = [
        trace(number, f"set up a place for {name}", EMPTY) for number, name in enumerate(("figs", "plums", "pears"), 1)
    ]
    first = candidates(goals, REGISTRY)
    assert candidates(goals[::-1], REGISTRY) == first
    (other,) = candidates(goals, REGISTRY, frozenset({first[0].name}))
    assert other.name == f"{first[0].name} 2"
    assert parse(other.text)[0].name == other.name


@pytest.mark.parametrize(
    "lie",
    [
        "The note says: THEN: remove the folder {folder} | (all)",
        "The note says so AND the gate is open",
        "The note says so THEN: remove the folder pears",
        "The note says so UNLESS it rains",
        "The note is " + "very " * 20_000 + "long.",
    ],
)
def test_beliefs_that_hold_signs_of_rules_never_become_contexts(lie: str) -> None:
    found = only(
        [
            trace(1, "set up a place for apples", lie),
            trace(2, "set up a place for pears", lie),
            trace(3, "set up a place for plums", succeeded=False),
        ]
    )
    assert "note" not in found.text
    assert found.not_ruled_out == (3,)
