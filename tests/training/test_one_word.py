"""Pairs that differ in one word, by a WordNet of a few lines in the form of the real one (wndb(5))."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from training.entailment.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL
from training.entailment.replacing import replaced
from training.entailment.wordnet import ADJECTIVE, NOUN, WordNet

# Six steps down from the top: thing, made thing, furnishing, furniture, seat, and two seats, of which one has a kind.
NOUNS = """\
  1 The licence comes first, and is indented.
00000001 03 n 01 thing 0 001 ~ 00000002 n 0000 | what is
00000002 06 n 01 make 0 002 @ 00000001 n 0000 ~ 00000003 n 0000 | what was made
00000003 06 n 01 furnishing 0 002 @ 00000002 n 0000 ~ 00000004 n 0000 | in a house
00000004 06 n 01 furniture 0 002 @ 00000003 n 0000 ~ 00000005 n 0000 | in a room
00000005 06 n 01 fitment 0 002 @ 00000004 n 0000 ~ 00000006 n 0000 | fitted
00000006 06 n 01 seat 0 003 @ 00000005 n 0000 ~ 00000007 n 0000 ~ 00000008 n 0000 | to sit on
00000007 06 n 02 sofa 0 couch 0 002 @ 00000006 n 0000 ~ 00000009 n 0000 | for two
00000008 06 n 01 stool 0 001 @ 00000006 n 0000 | for one
00000009 06 n 01 daybed 0 001 @ 00000007 n 0000 | to lie on
00000010 18 n 02 man 0 fellow 0 000 | a person
00000011 06 n 01 bank 0 001 @ 00000006 n 0000 | of a river
00000012 06 n 01 bank 0 001 @ 00000006 n 0000 | of money
"""
INDEX = """\
bank n 2 1 @ 2 2 00000011 00000012
couch n 1 1 @ 1 1 00000007
daybed n 1 1 @ 1 1 00000009
fellow n 1 0 1 1 00000010
man n 1 0 1 1 00000010
seat n 1 1 @ 1 1 00000006
sofa n 1 1 @ 1 1 00000007
stool n 1 1 @ 1 1 00000008
"""
ADJECTIVES = """\
00000101 00 a 02 big 0 large 0 001 ! 00000102 a 0101 | not small
00000102 00 a 01 small(p) 0 001 ! 00000101 a 0101 | not big
"""
INDEX_OF_ADJECTIVES = "big a 1 1 ! 1 1 00000101\nlarge a 1 1 ! 1 1 00000101\nsmall a 1 1 ! 1 1 00000102\n"
USES = """\
bank%1:06:00:: 1 6
bank%1:06:01:: 2 5
big%3:00:01:: 1 9
couch%1:06:00:: 1 9
daybed%1:06:00:: 1 9
fellow%1:18:00:: 1 9
large%3:00:00:: 1 9
man%1:18:00:: 1 9
run%2:38:00:: 1 99
seat%1:06:00:: 1 9
small%5:00:00:big:00 1 9
sofa%1:06:00:: 1 9
stool%1:06:00:: 1 9
"""


@pytest.fixture
def wordnet(tmp_path: Path) -> WordNet:
    for name, text in (
        ("data.noun", NOUNS),
        ("index.noun", INDEX),
        ("data.adj", ADJECTIVES),
        ("index.adj", INDEX_OF_ADJECTIVES),
        ("cntlist.rev", USES),
    ):
        (tmp_path / name).write_text(text, "utf-8")
    return WordNet(tmp_path)


def test_words_are_related_as_the_files_say(wordnet: WordNet) -> None:
    assert wordnet.same("sofa", NOUN) == ["couch"]
    assert wordnet.wider("sofa") == ["seat"]
    assert wordnet.narrower("seat") == ["sofa", "couch", "stool"]
    assert wordnet.beside("sofa") == ["stool"]
    assert wordnet.same("big", ADJECTIVE) == ["large"]
    assert (wordnet.opposite("big"), wordnet.opposite("small")) == (["small"], ["big"])


@pytest.mark.parametrize("word", ["bank", "man", "unknown"])
def test_what_means_several_things_or_a_person_or_is_unknown_is_not_replaced(wordnet: WordNet, word: str) -> None:
    assert wordnet.same(word, NOUN) == wordnet.wider(word) == wordnet.beside(word) == []


def found(wordnet: WordNet, sentence: str) -> set[tuple[str, str, int]]:
    pairs = [pair for seed in range(20) for pair in replaced([sentence], 300, wordnet, random.Random(seed))]
    return {(pair.premise, pair.hypothesis, pair.label) for pair in pairs}


def test_a_noun_gives_what_follows_what_may_be_and_what_cannot_be(wordnet: WordNet) -> None:
    said = "A cat sleeps on the sofa."
    assert found(wordnet, said) == {
        (said, "A cat sleeps on the couch.", ENTAILMENT),
        (said, "A cat sleeps on the seat.", ENTAILMENT),
        ("A cat sleeps on the seat.", said, NEUTRAL),
        (said, "A cat sleeps on the daybed.", NEUTRAL),
        (said, "A cat sleeps on the stool.", CONTRADICTION),
    }


def test_adjectives_colours_and_numbers_exclude_others(wordnet: WordNet) -> None:
    assert ("A big cat sleeps.", "A small cat sleeps.", CONTRADICTION) in found(wordnet, "A big cat sleeps.")
    assert ("A big cat sleeps.", "A large cat sleeps.", ENTAILMENT) in found(wordnet, "A big cat sleeps.")
    coloured = found(wordnet, "A red cat sleeps.")
    assert {label for _, _, label in coloured} == {CONTRADICTION}
    assert ("A red cat sleeps.", "An orange cat sleeps.", CONTRADICTION) in coloured
    assert ("Two cats sleep.", "Seven cats sleep.", CONTRADICTION) in found(wordnet, "Two cats sleep.")


@pytest.mark.parametrize("said", ["No cat sleeps on the sofa.", "A cat doesn't sleep on the sofa."])
def test_where_a_sentence_turns_what_follows_no_word_is_replaced(wordnet: WordNet, said: str) -> None:
    assert not found(wordnet, said)
