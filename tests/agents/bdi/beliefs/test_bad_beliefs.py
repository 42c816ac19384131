"""Planning with beliefs that are too many, too long, or at odds with each other gives an answer, the same each time."""

from __future__ import annotations

import time

from agents.bdi.planning.means_ends import plan
from agents.environments.beliefs import Beliefs
from agents.environments.choosing import Library
from agents.environments.cutting import MOST_CHARS, atomic_beliefs
from agents.environments.entailing import structured
from agents.environments.interpreter import run
from agents.rules.grammar import parse
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Belief, NoPlan, PlanDraft
from agents.toolkit.wording.words import read_text
from tests.agents.bdi.worlds import known
from tests.agents.environments.house import House

RULES = known(
    "RULE enter\nIF your task is to enter {place}\nCONSIDERING the gate is open\nTHEN: create the folder {place}\n--\n"
    "RULE knock\nIF your task is to enter {place}\nCONSIDERING the gate is closed\nTHEN: create the folder knock\n"
)
# A time-out against what grows with the square of the beliefs, no measurement.
PATIENCE_S = 20


def chosen(beliefs: list[Belief]) -> str:
    began = time.process_time()
    found = plan("enter castle", RULES, beliefs, REGISTRY)
    assert time.process_time() - began < PATIENCE_S
    return str(found.evidence["rule"]["name"]) if isinstance(found, PlanDraft) else found.reason


def test_ten_thousand_beliefs_are_looked_through() -> None:
    others = [Belief(f"The gate number {number} is closed.") for number in range(10_000)]
    assert chosen(others) == "no_applicable_rule"
    assert chosen([*others, Belief("The gate is open.")]) == "enter"


def test_a_belief_of_100_kilobytes_is_answered() -> None:
    long = "The gate is " + "very " * 20_000 + "open."
    assert chosen([Belief(long)]) == "no_applicable_rule"
    assert chosen([Belief(long), Belief("The gate is open.")]) == "enter"
    assert isinstance(plan("enter castle", RULES, [Belief("x" * 100_000)], REGISTRY), NoPlan)


def test_beliefs_at_odds_give_the_same_plan_whatever_their_order() -> None:
    beliefs = [Belief("The gate is open."), Belief("The gate is closed.")]
    assert chosen(beliefs) == chosen(beliefs[::-1]) == "enter"


def test_an_environment_that_says_very_much_is_believed_up_to_a_limit() -> None:
    text = "In it, you see:\n" + "".join(f"\ta thing number {number}\n" for number in range(10_000))
    assert len(text) > 100_000
    said = atomic_beliefs(text)
    assert 0 < sum(map(len, said)) < 3 * MOST_CHARS
    beliefs = Beliefs(60)
    beliefs.perceive([*said, "The gate is open."])
    rules = parse("RULE enter\nIF your task is to enter {place}\nCONSIDERING the gate is open\nTHEN: go in\n")
    began = time.process_time()
    (choice,) = Library(rules, structured).choices(read_text("enter castle"), beliefs)
    assert choice.rule.name == "enter"
    assert time.process_time() - began < PATIENCE_S


CIRCLE = (
    "RULE go\nIF your task is to go THEN: PLAN TO come\n--\nRULE come\nIF your task is to come THEN: PLAN TO turn\n--\n"
    "RULE turn\nIF your task is to turn THEN: PLAN TO go\n"
)


def test_circular_sub_goals_end_with_their_reason_in_plans_and_in_environments() -> None:
    found = plan("go", known(CIRCLE), [], REGISTRY)
    assert isinstance(found, NoPlan)
    assert found.reason == "no_rule_compiled"
    assert "“come” would need itself" in str(found.evidence["rejected"][0]["why"])
    ended = run(House(), "go", parse(CIRCLE))
    assert (ended.reason, ended.actions) == ("loop", ())
