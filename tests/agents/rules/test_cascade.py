"""The stages of entailment, with a model written by hand in place of the real one."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.planning import means_ends
from agents.rules import cascade
from agents.rules.cascade import Answer, Likelihood, Likely, answers
from agents.rules.entailment import entails
from agents.rules.selection import Judgement, KnownRule, judge, relevant_rules
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Belief, NoPlan, PlanDraft
from agents.toolkit.wording.words import read_text
from tests.agents.bdi.worlds import known

SURE = Likelihood(0.995, 0.004, 0.001)
RULE = (
    "RULE enter\nIF your task is to enter {name}\nCONSIDERING the gate is open\nAND you see no dragon\n"
    "THEN: create the folder {name}"
)
NO_DRAGON = Belief("You see no dragon.")
AJAR = Belief("The gate stands wide open.")


class Model:
    """Answers what it is told to, and keeps what it was asked."""

    def __init__(self, answer: Likelihood | Callable[[str, str], Likelihood] = SURE) -> None:
        self.stage, self.entailment, self.contradiction = cascade.MODEL, 0.99, 0.01
        self.answer, self.asked = answer, list[tuple[str, str]]()

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Likelihood]:
        self.asked.extend(pairs)
        return [self.answer if isinstance(self.answer, Likelihood) else self.answer(*pair) for pair in pairs]


class Gone(Model):
    """Cannot be used."""

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Likelihood]:
        return []


def judged(beliefs: Sequence[Belief], model: Model | None, rule: str = RULE) -> Judgement:
    (match,) = relevant_rules(read_text("enter castle"), known(rule), REGISTRY)
    likely = Likely([model]).now([belief.sentence for belief in beliefs]) if model else None
    return judge(match, beliefs, likely=likely)


def only(answer: list[Answer]) -> Answer:
    (found,) = answer
    return found


SENTENCES = st.sampled_from(
    [
        "The door is open.",
        "The door is closed.",
        "The door is not open.",
        "There is a file named a.txt.",
        "There is no file named a.txt.",
        "You are in the kitchen.",
        "You are in the hallway.",
        "The workspace is empty.",
        "There are at least 3 files in the workspace.",
        "git is installed.",
        "git is not installed.",
        "The cat sleeps.",
    ]
)
LIKELIHOODS = st.builds(Likelihood, *(st.floats(0, 1),) * 3) | st.just(SURE)


@given(SENTENCES, SENTENCES, LIKELIHOODS)
def test_what_is_proven_is_never_overturned(premise: str, hypothesis: str, likelihood: Likelihood) -> None:
    proven, model = entails(premise, hypothesis), Model(likelihood)
    answer = only(answers([(premise, hypothesis)], [model]))
    if proven.answer == "unknown":
        assert answer.stage == cascade.MODEL
        return
    assert (answer.label, answer.holds) == (
        ("entailment", True) if proven.answer == "yes" else ("contradiction", False)
    )
    assert answer.stage != cascade.MODEL
    assert model.asked == []


def test_the_stage_is_named() -> None:
    pairs = [("The cat sleeps.", "the cat sleeps"), ("The door is not open.", "The door is closed."), ("A", "B")]
    assert [answer.stage for answer in answers(pairs, [Model()])] == ["same_words", "structured", "model"]


@pytest.mark.parametrize(
    ("likelihood", "holds"),
    [
        (Likelihood(0.99, 0.0, 0.01), True),
        (Likelihood(0.9899, 0.01, 0.0001), False),
        (Likelihood(0.995, 0.0, 0.011), False),
        (Likelihood(math.nan, math.nan, math.nan), False),
        (Likelihood(0.999, 0.0, math.nan), False),
    ],
)
def test_a_models_yes_needs_both_thresholds_and_numbers(likelihood: Likelihood, holds: bool) -> None:
    assert only(answers([("It rains.", "Water falls.")], [Model(likelihood)])).holds is holds


def test_what_is_no_number_is_neutral() -> None:
    nan = Likelihood(math.nan, math.nan, math.nan)
    answer = only(answers([("It rains.", "Water falls.")], [Model(nan)]))
    assert (answer.label, answer.score) == ("neutral", 0.0)


def test_without_a_usable_model_the_matcher_goes_on_alone() -> None:
    pairs = [("It rains.", "Water falls."), ("The door is not open.", "The door is closed.")]
    assert answers(pairs, [Gone()]) == answers(pairs)
    assert [answer.label for answer in answers(pairs)] == ["neutral", "entailment"]


def test_a_model_makes_a_context_hold_that_nothing_proves() -> None:
    assert not judged([AJAR, NO_DRAGON], None).applicable
    judgement = judged([AJAR, NO_DRAGON], Model())
    gate = judgement.contexts[0]
    assert judgement.applicable
    assert (gate.decided_by, gate.cells[0].stage) == (0, "model")
    assert "99.5% sure" in gate.cells[0].reason


def test_what_a_model_says_is_less_firm_than_what_is_proven() -> None:
    proven = judged([Belief("The gate is not closed."), NO_DRAGON], None).contexts[0].score
    assert judged([AJAR, NO_DRAGON], Model(Likelihood(1.0, 0.0, 0.0))).contexts[0].score < proven


def test_one_proven_no_vetoes_the_model_for_all_beliefs() -> None:
    model = Model()
    judgement = judged([AJAR, Belief("The gate is closed."), NO_DRAGON], model)
    assert not judgement.contexts[0].holds
    assert model.asked == []


def test_a_denied_context_is_never_left_to_the_model() -> None:
    rule = RULE.replace("CONSIDERING the gate is open", "CONSIDERING NOT the gate is open")
    model = Model(Likelihood(0.0, 0.0, 1.0))
    assert not judged([AJAR, NO_DRAGON], model, rule).contexts[0].holds
    assert model.asked == []


THREE = RULE.replace("AND you see no dragon", "AND the bridge is down\nAND the moat is dry")
CASTLE = [AJAR, Belief("The bridge has been let down."), Belief("No water is left in the moat.")]


def asked_of(model: Model) -> list[str]:
    return list(dict.fromkeys(hypothesis for _, hypothesis in model.asked))


def test_contexts_are_asked_about_in_order_until_one_does_not_hold() -> None:
    model = Model(lambda _, hypothesis: Likelihood(0.0, 1.0, 0.0) if "bridge" in hypothesis else SURE)
    judgement = judged(CASTLE, model, THREE)
    assert asked_of(model) == ["the gate is open", "the bridge is down"]
    assert [context.holds for context in judgement.contexts] == [True, False, False]
    assert [context.left_out for context in judgement.contexts] == [False, False, True]


@pytest.mark.parametrize("against", ["AND you see no dragon", "AND the workspace is empty", "AND NOT the moat is dry"])
def test_no_model_is_asked_for_a_rule_that_a_later_context_rules_out(against: str) -> None:
    """It is disproved, or denied and not proven: no model could let the rule be used."""
    model = Model()
    rule = THREE.replace("AND the moat is dry", against)
    judgement = judged([*CASTLE, Belief("You see a dragon."), Belief("There is a file named a.txt.")], model, rule)
    assert model.asked == []
    assert [context.left_out for context in judgement.contexts] == [True, True, False]


def test_who_looks_on_may_have_the_rest_judged() -> None:
    model = Model(lambda _, hypothesis: Likelihood(0.0, 1.0, 0.0) if "bridge" in hypothesis else SURE)
    (match,) = relevant_rules(read_text("enter castle"), known(THREE), REGISTRY)
    likely = Likely([model]).now([belief.sentence for belief in CASTLE])
    judgement = judge(match, CASTLE, likely=likely, judge_all=True)
    assert asked_of(model) == ["the gate is open", "the bridge is down", "the moat is dry"]
    assert [context.holds for context in judgement.contexts] == [True, False, True]


def test_the_reason_against_a_rule_is_never_a_context_that_was_not_judged() -> None:
    beliefs = [*CASTLE, Belief("The moat is not dry.")]
    found = means_ends.plan("enter castle", known(THREE), beliefs, REGISTRY, judge_by=[Model()])
    assert isinstance(found, NoPlan)
    (rejected,) = found.evidence["rejected"]
    assert rejected["context"] == "the moat is dry"
    assert [context["left_out"] for context in rejected["contexts"]] == [True, True, False]


def test_nothing_is_asked_about_beliefs_that_share_no_word() -> None:
    model = Model()
    assert not judged([Belief("The moon is full."), NO_DRAGON], model).contexts[0].holds
    assert model.asked == []


def test_ten_thousand_beliefs_cost_few_questions_and_little_time() -> None:
    beliefs = [Belief(f"The gate number {number} stands open.") for number in range(10_000)]
    model = Model(Likelihood(0.1, 0.9, 0.0))
    judged(beliefs[:100], model)
    model.asked.clear()
    began = time.process_time()
    judged([*beliefs, NO_DRAGON], model)
    assert len(model.asked) == cascade.NEAREST
    assert time.process_time() - began < 5


def test_a_planning_asks_at_most_so_many_pairs() -> None:
    model = Model(Likelihood(0.0, 1.0, 0.0))
    likely = Likely([model])
    likely.now([f"The gate number {number} is odd." for number in range(20)])
    for _ in range(cascade.PAIRS[cascade.MODEL]):
        likely.yes("The gate is open.")
    assert len(model.asked) == cascade.PAIRS[cascade.MODEL]


def test_a_belief_of_100_kb_is_answered() -> None:
    long = "The gate " + "really " * 15_000 + "stands open."
    began = time.process_time()
    judged([Belief(long), NO_DRAGON], Model())
    assert time.process_time() - began < 5


def test_planning_says_in_its_evidence_that_the_model_decided() -> None:
    beliefs = [AJAR, NO_DRAGON]
    assert isinstance(means_ends.plan("enter castle", known(RULE), beliefs, REGISTRY), NoPlan)
    found = means_ends.plan("enter castle", known(RULE), beliefs, REGISTRY, judge_by=[Model()])
    assert isinstance(found, PlanDraft)
    (cell,) = found.evidence["contexts"][0]["cells"]
    assert (cell["answer"], cell["stage"]) == ("yes", "model")


_GATES = known(
    "--\n".join(
        f"RULE {name}\nIF your task is to enter {{name}}\nCONSIDERING the gate is {state}\n"
        f"THEN: create the folder {name}\n"
        for name, state in (("one", "open"), ("two", "unlocked"), ("three", "ajar"), ("four", "open"))
    )
)
_SHARES = st.sampled_from([math.nan, math.inf, -1.0, 0.0, 0.99, 0.995, 1.0])


@given(st.permutations(_GATES), st.tuples(_SHARES, _SHARES, _SHARES), st.booleans())
def test_nan_and_equal_scores_of_a_model_leave_the_order_of_storage_without_effect(
    rules: list[KnownRule], shares: tuple[float, float, float], is_against: bool
) -> None:
    sure = dict(zip(("open", "unlocked", "ajar"), shares, strict=True))

    def said(_: str, hypothesis: str) -> Likelihood:
        share = next(share for state, share in sure.items() if state in hypothesis)
        return Likelihood(share, 0.0, math.nan if is_against else 0.0)

    def chosen(some: Sequence[KnownRule]) -> str:
        found = means_ends.plan("enter castle", some, [AJAR], REGISTRY, judge_by=[Model(said)])
        return str(found.evidence["rule"]["name"]) if isinstance(found, PlanDraft) else found.reason

    assert chosen(rules) == chosen(_GATES)
    if is_against or not any(0.99 <= share <= 1.0 for share in shares):
        assert chosen(rules) == "no_applicable_rule"
