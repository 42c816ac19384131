"""What the entailment model is taught: the truth of made pairs follows from their topics."""

from __future__ import annotations

import random
import re

import pytest

from training.entailment import made, sights
from training.entailment.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair
from training.entailment.topics import CHECKED, MEASURED, TRAINED, Topic, read

TOPICS = read()


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_topics_name_claims_that_exist_and_never_contradict_themselves(topic: Topic) -> None:
    for name, claim in topic.claims.items():
        assert {*claim.implies, *claim.excludes} <= topic.claims.keys()
        assert not topic.excluded(name, name)
        for other in topic.implied(name):
            assert not topic.excluded(name, other)
        assert set(claim.wordings(TRAINED)).isdisjoint(claim.wordings(CHECKED))


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


def test_thresholds_are_chosen_on_subjects_that_are_not_trained_on() -> None:
    trained, other = made._parted()
    assert {topic.group for topic in other} == {made.WORKSPACE}
    said = {wording for topic in other for claim in topic.claims.values() for wording in claim.says}
    assert said.isdisjoint(wording for topic in trained for claim in topic.claims.values() for wording in claim.says)
    pairs = made.of_other_subjects(300, random.Random(3))
    assert {pair.label for pair in pairs} == {ENTAILMENT, NEUTRAL, CONTRADICTION}


@pytest.mark.parametrize("held_out", [True, False])
def test_a_sentence_follows_from_itself(held_out: bool) -> None:
    """Another thing in a slot that neither sentence names makes no other sentence."""
    pairs = made.made(4_000, random.Random(5), held_out=held_out)
    same = [pair for pair in pairs if plain(pair.premise) == plain(pair.hypothesis)]
    assert same
    assert {pair.label for pair in same} == {ENTAILMENT}


def plain(sentence: str) -> str:
    return sentence.strip(" .").replace('"', "").casefold()


def test_bounds_are_compared_as_numbers() -> None:
    assert made._label_of_bounds((5, 5), (5, made.INFINITE)) == ENTAILMENT
    assert made._label_of_bounds((6, made.INFINITE), (-made.INFINITE, 5)) == CONTRADICTION
    assert made._label_of_bounds((3, made.INFINITE), (5, made.INFINITE)) == NEUTRAL


def shown(text: str, room: str | None = None, past: bool = False) -> sights.Shown:
    return sights.Shown(text, room, sights.facts_of(text), past)


KITCHEN = """This room is called the kitchen. In it, you see:
\ta table. On the table is: a jug (containing a substance called water), a lamp, which is off.
\ta oven, which is turned off. The oven door is closed.
\ta glass cup (containing nothing)
You also see:
\tA door to the art studio (that is open)
"""


@pytest.mark.parametrize(
    ("topic", "claim", "values", "label"),
    [
        ("place", "in", {"r": "kitchen"}, ENTAILMENT),
        ("place", "in", {"r": "art studio"}, CONTRADICTION),
        ("place", "not_in", {"r": "art studio"}, ENTAILMENT),
        ("door", "closed", {"r": "art studio"}, CONTRADICTION),
        ("door", "there", {"r": "kitchen"}, NEUTRAL),
        ("seen", "there", {"n": "jug"}, ENTAILMENT),
        ("seen", "there", {"n": "stove"}, NEUTRAL),
        ("inside", "in", {"n": "water", "p": "in", "c": "jug"}, ENTAILMENT),
        ("inside", "in", {"n": "table", "p": "on", "c": "jug"}, NEUTRAL),
        ("inside", "in", {"n": "stove", "p": "in", "c": "glass cup"}, CONTRADICTION),
        ("content", "filled", {"c": "jug"}, ENTAILMENT),
        ("content", "empty", {"c": "glass cup"}, ENTAILMENT),
        ("device", "on", {"n": "oven"}, CONTRADICTION),
        ("opening", "closed", {"n": "oven"}, ENTAILMENT),
        ("device", "on", {"n": "lamp"}, CONTRADICTION),
        ("carried", "have", {"n": "jug"}, NEUTRAL),
        # The jug is on a table, which is not filled by that; and a cup is no other than a glass cup.
        ("content", "filled", {"c": "table"}, None),
        ("seen", "there", {"n": "cup"}, None),
    ],
)
def test_what_is_true_of_a_room_follows_from_what_it_shows(
    topic: str, claim: str, values: dict[str, str], label: int | None
) -> None:
    assert sights.judged(shown(KITCHEN), sights.Fact(topic, claim, values)) == label


def test_of_what_is_remembered_nothing_is_said_about_now() -> None:
    memory = sights._remembered("You see a jug.", "kitchen", sights.facts_of("You see a jug."))
    assert memory.text == "In the kitchen you saw a jug."
    assert sights.judged(memory, sights.Fact("saw", "saw", {"n": "jug", "r": "kitchen"})) == ENTAILMENT
    assert sights.judged(memory, sights.Fact("seen", "there", {"n": "jug"})) == NEUTRAL
    assert sights.judged(memory, sights.Fact("place", "in", {"r": "kitchen"})) is None


@pytest.mark.parametrize("topic", sights.TOPICS.values(), ids=lambda topic: topic.name)
def test_no_wording_is_both_trained_on_and_measured(topic: Topic) -> None:
    for claim in topic.claims.values():
        parts = [set(claim.wordings(part)) for part in (TRAINED, CHECKED, MEASURED)]
        assert parts[0].isdisjoint(parts[1] | parts[2])


def pairs_of(name: str) -> list[Pair]:
    rng = random.Random(11)
    return [made.about(topic(name), TOPICS[:1], rng, False) for _ in range(3_000)]


def test_nothing_follows_with_another_number() -> None:
    counted = [(_gigabytes(pair.premise), _gigabytes(pair.hypothesis), pair) for pair in pairs_of("disk")]
    others = [pair for said, asked, pair in counted if said and asked and said != asked]
    assert others
    assert {(pair.label, pair.two_classes) for pair in others if not pair.premise.startswith("It is not")} == {
        (NEUTRAL, True)
    }
    assert ENTAILMENT in {pair.label for said, asked, pair in counted if said and said == asked}


def _gigabytes(sentence: str) -> list[str]:
    return re.findall(r"\d+ GB", sentence)


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_what_is_only_near_a_topic_is_asked_for_by_nothing_else_that_is(topic: Topic) -> None:
    rng = random.Random(5)
    near = {name for name, claim in topic.claims.items() if claim.apart}
    drawn = [made.two_claims(topic, rng) for _ in range(400)]
    assert not [one for one, other in drawn if one == other and one in near]
    assert near or {one for one, other in drawn if one == other}
