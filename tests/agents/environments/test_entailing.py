"""Entailment as environments are handed it: what is proven stands, and models are asked about the rest."""

from __future__ import annotations

import pytest

from agents.environments.beliefs import Beliefs
from agents.environments.entailing import cascade, structured
from agents.rules.cascade import MODEL, Likelihood
from agents.rules.entailment import STRUCTURED
from tests.agents.rules.test_cascade import Model

SEEN = ("You see a gate.", "The gate stands wide open.")


def test_a_model_that_is_sure_holds_a_context_and_is_named() -> None:
    model = Model(lambda premise, _: Likelihood(0.995, 0.004, 0.001) if "wide" in premise else Likelihood(0, 1, 0))
    found = cascade([model])(SEEN, "one may walk through the gate")
    assert [(answer.verdict.answer, answer.stage) for answer in found] == [("unknown", STRUCTURED), ("yes", MODEL)]


def test_a_proven_no_is_a_veto_and_no_model_is_asked() -> None:
    model = Model()
    found = cascade([model])((*SEEN, "The gate is closed."), "the gate is open")
    assert "no" in [answer.verdict.answer for answer in found]
    assert model.asked == []


def test_without_a_model_the_matcher_decides_alone() -> None:
    assert cascade(()) is structured
    assert [
        each.verdict.answer for each in cascade([Model(Likelihood(0.9, 0.1, 0.0))])(SEEN, "the gate is no wall")
    ] == [
        "unknown",
        "unknown",
    ]


@pytest.mark.parametrize("context", ["you see a gate", "a gate may be gone through", "this is the yard"])
def test_no_model_takes_what_was_seen_in_another_place_for_what_is_here(context: str) -> None:
    beliefs = Beliefs(oldest=10)
    beliefs.perceive(["You are in the yard.", "You see a gate.", "The gate is open."])
    beliefs.perceive(["You are in the hall."])
    said = [held.sentence for held in beliefs.all()]
    assert {"In the yard you saw a gate.", "In the yard the gate is open."} < set(said)
    model = Model(Likelihood(0.995, 0.004, 0.001))
    assert "yes" not in [answer.verdict.answer for answer in cascade([model])(said, context)]
    assert model.asked == []


def test_a_model_reads_any_other_memory() -> None:
    said = ["In the yard you saw a gate.", "Every gate has a key."]
    found = cascade([Model(Likelihood(0.995, 0.004, 0.001))])(said, "a key fits this gate")
    assert [answer.verdict.answer for answer in found] == ["unknown", "yes"]


def test_what_was_seen_in_another_place_is_proven_in_its_own_words() -> None:
    (answer,) = cascade([Model()])(["In the yard you saw a gate."], "in the yard you saw a gate")
    assert answer.verdict.answer == "yes"


@pytest.mark.parametrize(
    ("said", "context", "asked"),
    [
        ("You see a tin cup.", "you see tin", False),
        ("You see a tin cup in the cupboard.", "tin is within sight", False),
        ("You see tea in the tin cup.", "there is tin here", False),
        ("You see an inclined plane with a tin surface.", "you see tin", False),
        ("You see a tin cup.", "you see a cup", True),
        ("You see a cup of tea.", "you see a cup", True),
        ("You see tea in the tin cup.", "you see a cup", True),
        ("You see a mug.", "you see a mug with a handle", True),
    ],
)
def test_a_word_that_describes_a_thing_is_no_sight_of_what_it_names(said: str, context: str, asked: bool) -> None:
    model = Model(Likelihood(0.995, 0.004, 0.001))
    (answer,) = cascade([model])([said], context)
    assert (answer.verdict.answer == "yes", bool(model.asked)) == (asked, asked)
