"""Pairs of sentences that differ in one word, made from sentences about scenes: what follows is what WordNet says.

A kind for its genus follows (a guitar, an instrument), a genus for its kind does not, and a kind for another kind, a
colour, a number or a contrary excludes it, as in all data about scenes: both sentences are about the same one.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from training.entailment.made import with_articles
from training.entailment.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair
from training.entailment.wordnet import ADJECTIVE, NOUN, WordNet

SOURCE = "one word"
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "gray")
_DETERMINERS = frozenset({"a", "an", "the", "his", "her", "their", "one", "some", "this", "that", *_NUMBERS})
_BE = frozenset({"is", "are", "was", "were", "be", "been", "stays", "remains", "still", "now", "turned", "switched"})
# Without a verb before them, or before anything else, these say where something is.
_PARTICLES = frozenset({"on", "off", "in", "out", "up", "down"})
# Behind a noun that ends its phrase; before anything else it may be a part of a longer name.
_BEHIND = frozenset(
    {
        *("is", "are", "was", "has", "in", "on", "at", "with", "and", "or", "near", "by", "from", "to", "of", "while"),
        *("into", "under", "over", "behind", "next", "through", "wearing", "holding", "standing", "sitting", "playing"),
    }
)
# In these sentences what is wider does not follow from what is narrower.
_TURNED = re.compile(
    r"\b(?:no|not|n't|nobody|nothing|none|never|without|every|all|each|only|any|if|few|most|except|than)\b|n't\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True)
class _Place:
    """A word of a sentence that may be replaced, and what it is: a noun, an adjective, a colour or a number."""

    start: int
    end: int
    word: str
    kind: str


_COLOUR, _NUMBER = "colour", "number"


def replaced(sentences: Sequence[str], number: int, wordnet: WordNet, rng: random.Random) -> list[Pair]:
    """At most so many pairs, of each label a third where there are as many."""
    by_label: dict[int, list[Pair]] = {ENTAILMENT: [], NEUTRAL: [], CONTRADICTION: []}
    for sentence in sorted(set(sentences)):
        for pair in _pairs(sentence, wordnet, rng):
            by_label[pair.label].append(pair)
    most = number // len(by_label)
    return [pair for some in by_label.values() for pair in rng.sample(some, min(most, len(some)))]


def opposed(pairs: Sequence[Pair], number: int, wordnet: WordNet, rng: random.Random) -> list[Pair]:
    """At most so many pairs of which the contrary follows: the same ones with one word of the hypothesis turned."""
    found = []
    for pair in pairs:
        if pair.label != ENTAILMENT or _TURNED.search(pair.hypothesis):
            continue
        for place in _turnable(pair.hypothesis):
            if words := wordnet.opposite(place.word):
                said = _with(pair.hypothesis, place, rng.choice(sorted(words)))
                found.append(Pair(pair.premise, said, CONTRADICTION, SOURCE))
    return rng.sample(found, min(number, len(found)))


def _turnable(sentence: str) -> Iterator[_Place]:
    """Words that say of something what it is like: “is empty”, “at a low temperature”, “is turned off”."""
    words = list(_WORD.finditer(sentence))
    for at, word in enumerate(words[1:], 1):
        before, said = words[at - 1][0].casefold(), word[0].casefold()
        if said in _PARTICLES:
            if at + 1 == len(words):
                yield _Place(word.start(), word.end(), said, ADJECTIVE)
        elif before in _BE or (before in ("a", "an") and at > 1 and words[at - 2][0].casefold() in ("in", "at")):
            yield _Place(word.start(), word.end(), said, ADJECTIVE)


def _pairs(sentence: str, wordnet: WordNet, rng: random.Random) -> Iterator[Pair]:
    if _TURNED.search(sentence):
        return
    for place in _places(sentence, wordnet):
        for label, words in _other_words(place, wordnet):
            if words:
                other = _with(sentence, place, rng.choice(sorted(set(words))))
                yield Pair(sentence, other, label, SOURCE)
                if label == ENTAILMENT and place.kind == NOUN and not set(words) & set(wordnet.same(place.word, NOUN)):
                    yield Pair(other, sentence, NEUTRAL, SOURCE)


def _other_words(place: _Place, wordnet: WordNet) -> Iterator[tuple[int, list[str]]]:
    """What may stand there instead, with the label of the sentence with it as what follows."""
    if place.kind == NOUN:
        yield ENTAILMENT, wordnet.same(place.word, NOUN)
        yield ENTAILMENT, wordnet.wider(place.word)
        yield NEUTRAL, wordnet.narrower(place.word)
        yield CONTRADICTION, wordnet.beside(place.word)
    elif place.kind == ADJECTIVE:
        yield ENTAILMENT, wordnet.same(place.word, ADJECTIVE)
        yield CONTRADICTION, wordnet.opposite(place.word)
    else:
        others = _COLOURS if place.kind == _COLOUR else _NUMBERS
        yield CONTRADICTION, [word for word in others if word != place.word]


def _places(sentence: str, wordnet: WordNet) -> Iterator[_Place]:
    words = list(_WORD.finditer(sentence))
    said = [word[0].casefold() for word in words]
    for at, word in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) else None
        is_parted = following is None or sentence[word.end() : following.start()].strip() != ""
        ends_phrase = is_parted or said[at + 1] in _BEHIND
        if kind := _kind(said[at], said[at - 1] if at else "", wordnet, ends_phrase=ends_phrase):
            yield _Place(word.start(), word.end(), said[at], kind)


def _kind(word: str, before: str, wordnet: WordNet, *, ends_phrase: bool) -> str:
    """What a word may be replaced as; empty for one that may not be."""
    if word in _NUMBERS:
        return _NUMBER
    if before not in _DETERMINERS:
        return ""
    if word in _COLOURS:
        return _COLOUR
    if ends_phrase:
        return NOUN
    return ADJECTIVE if wordnet.is_only_adjective(word) else ""


def _with(sentence: str, place: _Place, word: str) -> str:
    first = sentence[place.start].isupper()
    other = sentence[: place.start] + (word.capitalize() if first else word) + sentence[place.end :]
    return with_articles(re.sub(r"\b([aA])n (?=[b-df-hj-np-tv-z])", r"\1 ", other))
