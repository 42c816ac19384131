"""What those who look on are told of a decision costs no question that choosing did not ask."""

from __future__ import annotations

from typing import Any

from agents.environments.beliefs import Beliefs
from agents.environments.choosing import Library
from agents.environments.entailing import cascade, structured
from agents.environments.weighing import weighed
from agents.rules.cascade import Likelihood
from agents.rules.grammar import parse
from agents.toolkit.wording.words import read_text
from tests.agents.rules.test_cascade import SURE, Model

RULES = parse(
    "RULE cross\nIF your task is to enter the castle\nCONSIDERING the gate is ajar\nAND the bridge is down\n"
    "AND the moat is dry\nAND you see a flag\nTHEN: walk in\n"
)
SAID = (
    "The gate stands wide open.",
    "The bridge has been let down.",
    "No water is left in the moat.",
    "You see a flag.",
)
GOAL = read_text("enter the castle")


def no_bridge(premise: str, hypothesis: str) -> Likelihood:
    return Likelihood(0.0, 1.0, 0.0) if "bridge" in hypothesis else SURE


def looked_at(library: Library) -> list[dict[str, Any]]:
    """The contexts of the one rule, which is chosen first and then shown."""
    beliefs = Beliefs(oldest=10)
    beliefs.perceive(SAID)
    choice = next(iter(library.choices(GOAL, beliefs)), None)
    told = weighed(library, GOAL, beliefs, choice, {})
    return told["contexts"] or told["rejected"][0]["contexts"]


def test_no_model_is_asked_behind_the_first_context_that_does_not_hold() -> None:
    model = Model(no_bridge)
    contexts = looked_at(Library(RULES, cascade([model])))
    assert {hypothesis for _, hypothesis in model.asked} == {"the gate is ajar", "the bridge is down"}
    assert [context["holds"] for context in contexts] == [True, False, False, True]
    assert [context["left_out"] for context in contexts] == [False, False, True, False]


def test_without_a_model_nothing_is_left_out() -> None:
    contexts = looked_at(Library(RULES, structured))
    assert [context["left_out"] for context in contexts] == [False] * 4
    assert [context["holds"] for context in contexts] == [False, False, False, True]


def test_all_contexts_of_a_rule_that_is_chosen_are_judged() -> None:
    contexts = looked_at(Library(RULES, cascade([Model()])))
    assert [context["holds"] for context in contexts] == [True] * 4
