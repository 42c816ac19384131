"""Sentences of workspaces in other words, by hand: whatever is missed, nothing that does not follow is called a yes."""

from __future__ import annotations

from collections import Counter

from agents.rules.cascade import CONTRADICTION, ENTAILMENT, answers
from benchmarks.entailment.__main__ import read
from benchmarks.scienceworld.entailing import ShippedJudge

PAIRS = read()
ASKED = [(pair["premise"], pair["hypothesis"]) for pair in PAIRS]


def test_there_are_a_hundred_of_each_label() -> None:
    assert Counter(pair["label"] for pair in PAIRS) == {"entailment": 100, "contradiction": 100, "neutral": 100}
    assert len(set(ASKED)) == 300


def test_the_matcher_says_no_false_yes_and_no_false_no() -> None:
    decided = [(pair, one.label) for pair, one in zip(PAIRS, answers(ASKED), strict=True) if one.label != "neutral"]
    assert {label for _, label in decided} == {ENTAILMENT, CONTRADICTION}
    assert [pair for pair, label in decided if label != pair["label"]] == []


def test_the_cascade_at_the_shipped_threshold_says_no_false_yes() -> None:
    judge = ShippedJudge.as_usual()
    found = answers(ASKED, [judge])
    assert sum(one.stage == judge.stage for one in found) > 250, "the model was asked"
    assert [pair for pair, one in zip(PAIRS, found, strict=True) if one.holds and pair["label"] != ENTAILMENT] == []
