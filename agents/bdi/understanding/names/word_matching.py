"""How surely one word matches another, and which words of a set a word may mean."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache

from agents.bdi.understanding.names.similarity import SHORT
from agents.bdi.understanding.words.morphology import singular
from agents.bdi.understanding.words.numerals import whole_number
from agents.bdi.understanding.words.spelling import is_near, letters_of, may_be_near

# Months as names of files write them: 2024-03-board.md.
_MONTHS = {
    "january": "01", "february": "02", "march": "03", "april": "04", "may": "05", "june": "06", "july": "07",
    "august": "08", "september": "09", "october": "10", "november": "11", "december": "12",
}  # fmt: skip
_FORMING = frozenset("er or ing ion ation ment al ance ence ity".split())
# A word that begins another has so many letters; one that is formed from another, or a slip of it, has more.
_LEAST_BEGINNING = 4
_UMLAUTS = re.compile(r"([aou])e")


@lru_cache(maxsize=65_536)
def meets(word: str, theirs: str) -> float:
    """How surely one word is said by another."""
    if word == theirs:
        return 1.0
    if _MONTHS.get(word) == theirs:
        return 0.95
    if (number := whole_number(word)) is not None and number == whole_number(theirs):
        return 0.95
    one, other = singular(word), singular(theirs)
    if one == other or SHORT.get(word) == theirs or SHORT.get(theirs) == word or SHORT.get(one) == other:
        return 0.99
    if len(one) >= _LEAST_BEGINNING and other.startswith(one) and not one.isdigit():
        return 0.93
    if len(other) > 4 and one.startswith(other) and one[len(other) :] in _FORMING:
        return 0.92  # “the installation guide” is install-guide.md
    if len(word) > 3 and _without_umlauts(word) == _without_umlauts(theirs):
        return 0.93
    return 0.9 if len(word) > 4 and is_near(word, theirs) else 0.0


def _without_umlauts(word: str) -> str:
    """“Oeko” as “oko”, which is what is left of “Öko” where accents do not count."""
    return _UMLAUTS.sub(r"\1", word)


class Vocabulary:
    """Words by all that may say them, so that a word is compared with a few of them instead of with each."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = tuple(dict.fromkeys(words))
        self._found: dict[str, tuple[str, ...]] = {}

    def met_by(self, word: str) -> tuple[str, ...]:
        """The words that `word` meets."""
        if word not in self._found:
            self._found[word] = tuple(theirs for theirs in dict.fromkeys(self._near(word)) if meets(word, theirs))
        return self._found[word]

    def _near(self, word: str) -> Iterator[str]:
        """What may meet it, by each of the ways that `meets` knows."""
        one = singular(word)
        exactly = (word, SHORT.get(word, ""), _MONTHS.get(word, ""))
        yield from (theirs for theirs in exactly if theirs in self._known)
        yield from self._by_singular.get(one, ())
        yield from self._by_singular.get(SHORT.get(one, ""), ())
        yield from self._by_short.get(word, ())
        if (number := whole_number(word)) is not None:
            yield from self._by_number.get(number, ())
        for ending in _FORMING:
            yield from self._by_singular.get(one.removesuffix(ending), ())
        yield from self._by_plain_letters.get(_without_umlauts(word), ())
        if len(one) >= _LEAST_BEGINNING:
            at = bisect_left(self._singulars, one)
            while at < len(self._singulars) and self._singulars[at].startswith(one):
                yield from self._by_singular[self._singulars[at]]
                at += 1
        letters = letters_of(word)
        for first in dict.fromkeys(word[:2]):
            yield from (theirs for theirs, own in self._by_first.get(first, ()) if may_be_near(letters, own))

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self._words)

    @cached_property
    def _by_singular(self) -> Mapping[str, list[str]]:
        return _grouped((singular(word), word) for word in self._words)

    @cached_property
    def _singulars(self) -> list[str]:
        return sorted(self._by_singular)

    @cached_property
    def _by_short(self) -> Mapping[str, list[str]]:
        return _grouped((SHORT[word], word) for word in self._words if word in SHORT)

    @cached_property
    def _by_number(self) -> Mapping[int, list[str]]:
        found: defaultdict[int, list[str]] = defaultdict(list)
        for word in self._words:
            if (number := whole_number(word)) is not None:
                found[number].append(word)
        return found

    @cached_property
    def _by_plain_letters(self) -> Mapping[str, list[str]]:
        return _grouped((_without_umlauts(word), word) for word in self._words)

    @cached_property
    def _by_first(self) -> Mapping[str, list[tuple[str, int]]]:
        found: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        for word in self._words:
            found[word[:1]].append((word, letters_of(word)))
        return found


def _grouped(pairs: Iterable[tuple[str, str]]) -> Mapping[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for key, word in pairs:
        found[key].append(word)
    return found
