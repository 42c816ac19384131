"""What the entailment model is taught: the truth of made pairs follows from their topics."""

from __future__ import annotations

import random

import pytest

from training.entailment import made, scienceworld
from training.entailment.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL
from training.entailment.topics import Topic, read

TOPICS = read()


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_topics_name_claims_that_exist_and_never_contradict_themselves(topic: Topic) -> None:
    for name, claim in topic.claims.items():
        assert {*claim.implies, *claim.excludes} <= topic.claims.keys()
        assert not topic.excluded(name, name)
        for other in topic.implied(name):
            assert not topic.excluded(name, other)
        assert set(claim.wordings(held_out=False)).isdisjoint(claim.wordings(held_out=True))


def topic(name: str) -> Topic:
    return next(one for one in TOPICS if one.name == name)


def test_truth_follows_along_what_is_implied() -> None:
    assert topic("service").follows("port", "yes")
    assert not topic("service").follows("yes", "port")
    assert topic("service").excluded("crashed", "reachable")
    assert not topic("place").follows("door", "in")
    assert not topic("place").excluded("door", "in")


def test_made_pairs_are_the_same_for_the_same_seed_and_have_every_label() -> None:
    first, again = (made.made(200, random.Random(3), held_out=False) for _ in range(2))
    assert first == again
    assert {pair.label for pair in first} == {ENTAILMENT, NEUTRAL, CONTRADICTION}


def test_bounds_are_compared_as_numbers() -> None:
    assert made._label_of_bounds((5, 5), (5, made.INFINITE)) == ENTAILMENT
    assert made._label_of_bounds((6, made.INFINITE), (-made.INFINITE, 5)) == CONTRADICTION
    assert made._label_of_bounds((3, made.INFINITE), (5, made.INFINITE)) == NEUTRAL


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("A door to the art studio (that is open)", {"name": "art studio", "door": True, "open": True}),
        ("a oven, which is turned off. The oven door is closed. ", {"name": "oven", "on": False, "open": False}),
        ("a glass cup (containing nothing)", {"name": "glass cup", "inside": ()}),
        ("a bowl (containing a red apple, a banana)", {"name": "bowl", "inside": ("red apple", "banana")}),
        ("a thermometer, currently reading a temperature of -10 degrees celsius", {"degrees": -10}),
        ("a table. On the table is: a jug (containing nothing), red paint.", {"inside": ("jug", "red paint")}),
    ],
)
def test_lines_of_scienceworld_are_read(line: str, wanted: dict[str, object]) -> None:
    seen = scienceworld.read(line, "kitchen")
    assert seen is not None
    assert {name: getattr(seen, name) for name in wanted} == wanted
