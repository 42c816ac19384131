"""Whether a name is meant by “the base generator”, “summarisation tool” or `Summarization_Tool`.

One measure for everything with a name: files of code, tools, agents, rules. It says how each word was met; what is sure
enough, and what is only asked about, decides whoever knows what would be done with it.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agents.bdi.understanding.words.morphology import american, singular
from agents.bdi.understanding.words.spelling import is_near

# What is said of a component beside its name: “the summarization tool”.
KINDS = frozenset({"tool", "agent", "component", "module", "helper"})
ARTICLES = frozenset({"the", "a", "an", "our", "my", "this", "that", "of", "for", "and"})
# How surely a word is one of a name's: letter by letter, spelt otherwise, one short for the other, a slip of typing.
WHOLE, SPELT, SHORT, SLIP = 1.0, 0.91, 0.88, 0.85
# A short form has so many letters at least: “a” begins half of the dictionary. Long words of one stem share so many.
_SHORT_FORM, _STEM = 3, 7
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SPLIT = re.compile(r"[\W_]+|(?<=[^\W\d_])(?=\d)")


@dataclass(frozen=True)
class Fit:
    """How a name was met: `score` over the words that were said (0 to 1), whether they are all that the name has, and
    whether one of them is only a slip of the name's.
    """

    score: float
    is_whole: bool
    is_slip: bool


@lru_cache(maxsize=16_384)
def words_of(name: str) -> tuple[str, ...]:
    """The words that a name is made of, however it joins them."""
    return tuple(part for part in _SPLIT.split(unaccented(_CAMEL.sub("_", name).casefold())) if part)


_NO_ACCENTS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"})


def unaccented(word: str) -> str:
    """A word in the plain letters that people type instead: “Zoë” as “zoe”."""
    if word.isascii():
        return word
    parted = unicodedata.normalize("NFKD", word).translate(_NO_ACCENTS)
    return "".join(letter for letter in parted if not unicodedata.combining(letter))


def own(words: Iterable[str], kinds: frozenset[str] = KINDS) -> tuple[str, ...]:
    """The words that tell it from others: no articles, no “tool”; where nothing else is left, all but the articles."""
    said = tuple(dict.fromkeys(word for word in words if word not in ARTICLES))
    return tuple(word for word in said if singular(word) not in kinds) or said


def fit(wanted: Sequence[str], name: tuple[str, ...], unsaid: frozenset[str] = KINDS) -> Fit | None:
    """How `name` is met when every word of `wanted` is one of its; None when one is not.

    Words of the name that are in `unsaid` need not be said for it to be whole, and are met letter by letter only.
    """
    met = []
    for word in wanted:
        met.append(_met(word, name, unsaid))
        if not met[-1]:  # what else is wanted may be thousands of words
            return None
    if not met:
        return None
    needed = sum(word not in unsaid for word in name)
    return Fit(sum(met) / len(met), needed <= len(wanted), min(met) <= SLIP)


@lru_cache(maxsize=65_536)
def _met(word: str, name: tuple[str, ...], unsaid: frozenset[str]) -> float:
    if word in name:
        return WHOLE
    theirs = [one for one in name if one not in unsaid]
    spelt = [_spelt(one) for one in theirs]
    said = _spelt(word)
    if said in spelt:
        return SPELT
    if any(_is_short_for(said, one) and (len(said) <= len(one) or _is_formed_from(said, one)) for one in spelt):
        return SHORT
    return SLIP if any(is_near(word, one) for one in theirs) else 0.0


def _spelt(word: str) -> str:
    """A word without what spelling and number make of it."""
    return american(singular(word))


_FORMING = ("s", "es", "er", "or", "ing", "ion", "ation", "ization", "ment", "al", "ed", "d", "r")


def _is_formed_from(said: str, theirs: str) -> bool:
    """“Generators” is formed from generate, or gen is short for it; “importlog” is another word than import."""
    return not said.startswith(theirs) or len(theirs) <= _SHORT_FORM + 1 or said[len(theirs) :] in _FORMING


def _is_short_for(one: str, other: str) -> bool:
    """Whether one begins the other (gen, generator), or both are of one long stem (summarizer, summarization)."""
    short, long = sorted((one, other), key=len)
    return (len(short) >= _SHORT_FORM and long.startswith(short)) or short[:_STEM] == long[:_STEM]


def likeness(wanted: Iterable[str], name: Iterable[str]) -> float:
    """How alike two names look as a whole, 0 to 1: for people to choose from, never to be taken for what was meant."""
    said, theirs = (" ".join(sorted(map(_spelt, words))) for words in (wanted, name))
    return difflib.SequenceMatcher(None, said, theirs).ratio()
