"""Denying a belief: the opposite is a fact where there is one, and a person's correction outweighs what is seen."""

from __future__ import annotations

import pytest

from agents.bdi.beliefs.denial import Correction, corrected, denial, says_the_same
from agents.bdi.beliefs.perception import Entry, World, perceive
from agents.rules.entailment import entails
from agents.toolkit.types import Belief

FILES = (Entry("old", "dir"), Entry("old/a.txt", "file"), Entry("new.txt", "file"), Entry(".venv/pyvenv.cfg", "file"))


@pytest.mark.parametrize(
    ("sentence", "opposite"),
    [
        ("There is a folder named old.", "There is no folder named old."),
        ("There is no file or folder named x.", "There is a file or folder named x."),
        ("The workspace has no virtual environment.", "The workspace has a virtual environment."),
        ("pytest is not installed.", "pytest is installed."),
        ("Autonomous mode is off.", "The autonomous mode is not off."),
        ("The installed programs are: git.", "It is not so that the installed programs are: git."),
    ],
)
def test_the_opposite_is_a_fact_where_there_is_one(sentence: str, opposite: str) -> None:
    assert denial(sentence) == opposite


def test_of_everything_that_is_perceived_the_denial_never_says_the_same() -> None:
    world = World(
        entries=FILES, python_version="3.11.2", programs=("git", "pytest"), tools=("SimpleCoder",), about="old"
    )
    seen = perceive(world)
    assert len(seen) > 8
    for belief in seen:
        assert entails(denial(belief.sentence), belief.sentence).answer != "yes"
        assert not says_the_same(denial(belief.sentence), belief.sentence)


def test_what_is_denied_is_not_believed_although_it_is_seen() -> None:
    said = "There is a folder named old."
    seen = {belief.sentence for belief in perceive(World(entries=FILES, about="remove the folder old"))}
    assert said in seen
    word = Belief(denial(said), "person")
    now = perceive(World(entries=FILES, about="remove the folder old", told=(), corrections=(Correction(said, word),)))
    sentences = [belief.sentence for belief in now]
    assert said not in sentences
    assert word in now
    # No other belief, such as a list, says it either.
    assert not [sentence for sentence in sentences if entails(sentence, said).answer == "yes"]


def test_a_correction_that_stands_beside_a_told_sentence_takes_that_away_too() -> None:
    told = Belief("pytest is installed.", "person")
    word = Belief("pytest is not installed.", "person")
    now = perceive(World(told=(told,), corrections=(Correction("pytest is installed.", word),)))
    assert word in now
    assert told not in now


def test_without_corrections_nothing_changes() -> None:
    beliefs = [Belief("There is a folder named old."), Belief("Autonomous mode is off.")]
    assert corrected(beliefs, ()) == beliefs


def test_only_what_was_denied_goes_and_whatever_says_it_too() -> None:
    stays = [Belief("The lamp is on."), Belief("pytest is installed.")]
    gone = [Belief("There is a folder named old."), Belief("There is a file named old/a.txt."), Belief("It rains.")]
    words = [Belief("The roof is red.", "person"), Belief("The sun shines.", "person")]
    denied = [Correction("There is a folder named old.", words[0]), Correction("It rains.", words[1])]
    assert corrected([stays[0], *gone, stays[1]], denied) == [*stays, *words]


def test_a_persons_word_stays_although_it_says_what_was_denied() -> None:
    word = Belief("There is a folder named old/new.", "person")
    assert corrected([Belief("It rains.")], [Correction("There is a folder named old.", word)]) == [
        Belief("It rains."),
        word,
    ]


@pytest.mark.parametrize(
    ("instead", "sentence", "same"),
    [
        ("The sky is green on Mondays.", "  The sky is green on Mondays. ", True),
        (" The sky is green on Mondays.  ", "The sky is green on Mondays.", True),
        ("There is a file named old/a.txt.", "There is a folder named old.", True),
        ("There is no folder named old.", "There is a folder named old.", False),
        ("The sky is green on Mondays.", "The lamp is on.", False),
    ],
)
def test_what_should_hold_instead_may_not_say_the_same_in_any_words(instead: str, sentence: str, same: bool) -> None:
    assert says_the_same(instead, sentence) is same


def test_blanks_around_a_sentence_are_no_part_of_its_denial() -> None:
    assert denial("  The installed programs are: git.  ") == "It is not so that the installed programs are: git."
