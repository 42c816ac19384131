"""Sentences of what is here: what is seen is here, in whatever words; not the other way round."""

from __future__ import annotations

import pytest

from agents.rules.binding import bindings_of
from agents.rules.entailment import entails
from agents.rules.grammar import parse
from agents.rules.sights import as_seen


@pytest.mark.parametrize(
    ("premise", "hypothesis", "answer"),
    [
        ("You see a stove.", "there is a stove here", "yes"),
        ("You see a stove.", "a stove is in sight", "yes"),
        ("You see a stove.", "this room has a stove", "yes"),
        ("You see tea in the cup.", "the cup contains tea", "yes"),
        ("You see a cup on the table.", "on the table there is a cup", "yes"),
        ("You see a door to the hall.", "there is a door leading to the hall", "yes"),
        ("You see a door to the hall.", "a door here leads to the hall", "yes"),
        ("There is a stove here.", "you see a stove", "unknown"),
        ("You see no stove.", "there is no stove here", "unknown"),
        ("There is no stove here.", "you see a stove", "no"),
        ("You see a stove.", "there is no stove here", "no"),
        ("You see a stove.", "you do not see a stove", "no"),
        ("You see a cup in the box.", "there is a cup on the box", "unknown"),
        ("You see a cup in the box.", "there is a box in the cup", "unknown"),
        ("You see a door to the hall.", "there is a door leading to the kitchen", "unknown"),
        ("You see a cup or a pot.", "there is a cup here", "unknown"),
        ("You may see a cup.", "there is a cup here", "unknown"),
        ("In the kitchen you saw a cup.", "there is a cup here", "unknown"),
        ("You see some cups.", "there are all cups here", "unknown"),
        ("You see a cup.", "a cup is here as well", "yes"),
        ("There is a cup here too.", "there is a cup here", "yes"),
        ("You see a cup.", "there is no cup here as well", "unknown"),
    ],
)
def test_what_is_seen_is_here(premise: str, hypothesis: str, answer: str) -> None:
    assert entails(premise, hypothesis).answer == answer


@pytest.mark.parametrize(
    ("context", "seen"),
    [
        ("there is {substance} inside the {vessel}", "you see {substance} in the {vessel}"),
        ("{x} can be seen inside the {y}", "you see {x} in the {y}"),
        ("there is no {x} here", "there is no {x} here"),
        ("a {colour} cup is here as well", "you see {colour} cup"),
        ("the {x} is open", "the {x} is open"),
    ],
)
def test_slots_are_bound_in_the_words_of_seeing(context: str, seen: str) -> None:
    assert as_seen(context) == seen


def test_a_context_in_other_words_still_finds_its_slots() -> None:
    (rule,) = parse("IF your task is to fetch it\nCONSIDERING the {vessel} contains {drink}\nTHEN:\n  take {vessel}")
    (binding,) = bindings_of(rule)
    assert sorted(binding.slots) == ["drink", "vessel"]


def test_where_you_are_may_be_said_in_other_words() -> None:
    assert entails("You are in the kitchen.", "the room you are in is the kitchen").answer == "yes"
    assert entails("You are in the kitchen.", "you find yourself in the kitchen").answer == "yes"
    assert entails("You are in the kitchen.", "the room you are in is the hall").answer == "no"


def test_a_bound_may_be_said_after_its_unit() -> None:
    assert entails(
        "The temperature is 60 degrees celsius.", "the temperature is 50 degrees celsius or more"
    ).answer == ("yes")
    assert entails(
        "The temperature is 40 degrees celsius.", "the temperature is 50 degrees celsius or more"
    ).answer == ("no")
