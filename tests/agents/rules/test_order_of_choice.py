"""Which rule is chosen never depends on how rules and beliefs are stored, and the track record breaks ties only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.planning import means_ends
from agents.environments.beliefs import Beliefs
from agents.environments.choosing import Library
from agents.environments.entailing import Answer
from agents.rules.entailment import Verdict
from agents.rules.grammar import Rule, parse
from agents.rules.selection import KnownRule, track_record
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Belief, PlanDraft
from agents.toolkit.wording.words import read_text
from tests.agents.bdi.worlds import known

GOAL = "enter castle"
RULES = known(
    "\n--\n".join(
        f"RULE {name}\n{priority}IF your task is to enter {{place}}\n{contexts}THEN: create the folder {name}"
        for name, priority, contexts in (
            ("plain", "", ""),
            ("open", "", "CONSIDERING the gate is open\n"),
            ("wide", "", "CONSIDERING the door is open\n"),
            ("both", "", "CONSIDERING the gate is open\nAND the door is open\n"),
            ("last", "PRIORITY -5\n", "CONSIDERING the gate is open\nAND the door is open\n"),
            ("guarded", "PRIORITY 3\n", "CONSIDERING you see no guard\n"),
        )
    )
)
BELIEFS = [
    Belief("The gate is open.", confidence=0.9),
    Belief("The gate is not closed."),
    Belief("The door is open."),
    Belief("The door is closed."),
    Belief("You see no guard.", confidence=0.4),
    Belief("It rains."),
]


def chosen(rules: Sequence[KnownRule], beliefs: Sequence[Belief]) -> tuple[str, str]:
    found = means_ends.plan(GOAL, rules, beliefs, REGISTRY)
    assert isinstance(found, PlanDraft)
    return found.evidence["rule"]["name"], str(found.steps)


@given(st.permutations(RULES), st.lists(st.sampled_from(BELIEFS), unique=True), st.booleans())
def test_the_order_of_storage_never_matters(rules: list[KnownRule], beliefs: list[Belief], reverse: bool) -> None:
    other = list(reversed(beliefs)) if reverse else beliefs
    assert chosen(rules, beliefs) == chosen(RULES, other)


SCORES = st.one_of(st.just(math.nan), st.floats(0, 1), st.sampled_from([0.5, 1.0, math.inf, -1.0]))
WORLD = "--\n".join(
    f"RULE {name}\nIF your task is to enter {{place}}\nCONSIDERING the gate is {state}\nTHEN: go {name}\n"
    for name, state in (("one", "open"), ("two", "wide open"), ("three", "ajar"), ("four", "open"))
)


@given(st.permutations(parse(WORLD)), SCORES, SCORES, SCORES)
def test_in_an_environment_nan_and_equal_scores_leave_the_order_of_storage_without_effect(
    rules: list[Rule], first: float, second: float, third: float
) -> None:
    scores = {"the gate is open": first, "the gate is wide open": second, "the gate is ajar": third}

    def entails(premises: Sequence[str], hypothesis: str) -> list[Answer]:
        return [Answer(Verdict("yes", scores[hypothesis], "as it is told"), "model") for _ in premises]

    beliefs = Beliefs(10)
    beliefs.perceive(["Here is a gate."])
    goal = read_text(GOAL)
    told = [Library(each, entails).choices(goal, beliefs) for each in (rules, parse(WORLD))]
    names = [[choice.rule.name for choice in choices] for choices in told]
    assert names[0] == names[1]
    assert all(0 <= choice.minimum <= 1 for choice in told[0])


TWINS = known(
    "RULE a\nIF your task is to enter {place}\nTHEN: create the folder a\n--\n"
    "RULE b\nIF your task is to enter {place}\nTHEN: create the folder b\n"
)


def test_of_rules_that_are_as_specific_the_better_record_wins_and_the_evidence_says_so() -> None:
    first, second = TWINS
    assert chosen(TWINS, [])[0] == "a"
    better = [replace(first, record=track_record(1, 3)), replace(second, record=track_record(4, 0))]
    assert chosen(better, [])[0] == "b"
    found = means_ends.plan(GOAL, better, [], REGISTRY)
    (why,) = [one["why"] for one in found.evidence["rejected"]]
    assert why == "“b” is as specific, and its plans have worked more often"


def test_a_record_never_outranks_what_is_more_specific() -> None:
    rules = [replace(one, record=0.0 if one.name == "both" else 0.9) for one in RULES]
    assert chosen(rules, BELIEFS[:3])[0] == "both"


@pytest.mark.parametrize(
    ("successes", "failures", "record"), [(0, 0, 0.5), (1, 0, 0.6), (0, 1, 0.3), (98, 0, 0.9), (0, 98, 0.0)]
)
def test_a_record_is_in_tenths_and_a_first_success_is_no_long_one(successes: int, failures: int, record: float) -> None:
    assert track_record(successes, failures) == record


@pytest.mark.parametrize("confidence", [math.nan, math.inf, -0.1, 1.1])
def test_a_belief_whose_confidence_is_no_share_holds_nothing(confidence: float) -> None:
    assert chosen(RULES, [Belief("The gate is open.", confidence=confidence)])[0] == "plain"
