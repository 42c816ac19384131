from __future__ import annotations

from agents.environments.beliefs import MEMORY, Beliefs, Held

KITCHEN = ["You are in the kitchen.", "You see a cup.", "The cup is empty.", "Water boils at 100 degrees."]


def remembered(beliefs: Beliefs) -> dict[str, int]:
    assert all(held.source == MEMORY for held in beliefs.remembered)
    return {held.sentence: held.age for held in beliefs.remembered}


def test_what_is_out_of_sight_is_remembered_with_its_place() -> None:
    beliefs = Beliefs(oldest=10)
    beliefs.perceive(KITCHEN)
    beliefs.perceive(["You are in the hall."])
    assert beliefs.now == (Held("You are in the hall."),)
    assert remembered(beliefs) == {
        "In the kitchen you saw a cup.": 1,
        "In the kitchen the cup is empty.": 1,
        "Water boils at 100 degrees.": 1,
    }


def test_memories_age_fade_and_are_dropped() -> None:
    beliefs = Beliefs(oldest=2)
    beliefs.perceive(KITCHEN)
    beliefs.perceive(["You are in the hall."])
    young = beliefs.firmness(beliefs.remembered[0])
    beliefs.perceive(["You are in the hall."])
    assert remembered(beliefs)["Water boils at 100 degrees."] == 2
    assert beliefs.firmness(beliefs.remembered[0]) < young < 1
    beliefs.perceive(["You are in the hall."])
    assert remembered(beliefs) == {}


def test_who_comes_back_believes_what_is_seen_there_now() -> None:
    beliefs = Beliefs(oldest=10)
    beliefs.perceive(KITCHEN)
    beliefs.perceive(["You are in the hall."])
    beliefs.perceive(["You are in the kitchen."])
    assert remembered(beliefs) == {"Water boils at 100 degrees.": 2}


def test_what_is_perceived_drops_a_memory_that_it_speaks_against() -> None:
    beliefs = Beliefs(oldest=10)
    beliefs.perceive(["The gate is open."])
    beliefs.perceive(["A bell rings."])
    assert "The gate is open." in remembered(beliefs)
    beliefs.perceive(["The gate is closed."])
    assert "The gate is open." not in remembered(beliefs)


def test_what_is_said_to_be_here_is_not_remembered() -> None:
    beliefs = Beliefs(60)
    beliefs.perceive(["You are in the hall.", "There is a stove here.", "Water boils at 100 degrees."])
    beliefs.perceive(["You are in the kitchen."])
    assert [held.sentence for held in beliefs.remembered] == ["Water boils at 100 degrees."]
