"""Past goals planned again: which rules serve them, which never win, and which quarrel."""

from __future__ import annotations

from agents.bdi.learning.coverage import Asked, Coverage, Quarrel, Use, cover
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Belief
from tests.agents.bdi.worlds import known

RULES = known(
    "RULE greet\nIF your task is to greet {name}\nCONSIDERING the gate is open\nTHEN: create the folder {name}\n--\n"
    "RULE wave\nIF your task is to greet {name}\nTHEN: create the folder wave\n--\n"
    "RULE same\nIF your task is to greet {name}\nTHEN: create the folder {name}\n--\n"
    "RULE tidy\nIF your task is to tidy up\nCONSIDERING the gate is closed\nTHEN: create the folder tidy\n"
)
OPEN = (Belief("The gate is open.", confidence=0.5),)


def covered(*goals: Asked) -> Coverage:
    return cover(goals, RULES, REGISTRY)


def test_each_goal_has_its_rule_or_the_reason_why_there_is_none() -> None:
    found = covered(Asked(1, "greet Ada", OPEN), Asked(2, "tidy up", OPEN), Asked(3, "pay the invoices", ()))
    assert [(one.rule, one.reason) for one in found.tried] == [
        ("greet", ""),
        ("", "no_applicable_rule"),
        ("", "no_relevant_rule"),
    ]
    assert (found.served, [one.asked.goal for one in found.unserved]) == (1, [2, 3])


def test_rules_that_plan_other_steps_for_the_same_goals_quarrel_and_those_that_plan_the_same_do_not() -> None:
    ada, bob, eve = Asked(1, "greet Ada", OPEN), Asked(2, "greet Bob", OPEN), Asked(3, "greet Eve", ())
    found = covered(ada, bob, eve)
    assert found.quarrels == [Quarrel("greet", "wave", (ada, bob)), Quarrel("same", "wave", (eve,))]
    assert found.uses == [Use("greet", 2, 2, 0.5), Use("same", 1, 3, 1.0), Use("wave", 0, 3, None)]
    assert [use.name for use in found.uses if not use.chosen] == ["wave"]


def test_when_the_time_is_over_the_rest_is_left_out() -> None:
    left = iter([False, True])
    goals = [Asked(number, "greet Ada", ()) for number in range(3)]
    assert len(cover(goals, RULES, REGISTRY, is_over=lambda: next(left)).tried) == 1
