"""Which beliefs can say anything about a sentence, found by their head words instead of by asking each of them.

A belief is filed under what it is about (its subject, its paths); a hypothesis looks under what could decide it. What
is not found says nothing about it: a test holds that against asking every pair.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from copy import copy
from functools import lru_cache

from agents.rules.entailment import plain
from agents.rules.facts import (
    Claim,
    Fact,
    Installed,
    Inventory,
    Listing,
    Measure,
    Owning,
    Place,
    Quality,
    Thing,
    Venv,
    join,
    parent,
)
from agents.rules.sentences import read_fact, sentences

Key = tuple[Hashable, ...]


def spoken_of(premise: str, hypotheses: Iterable[str]) -> Iterator[bool]:
    """Of each sentence whether the premise may entail or contradict it; False: it says nothing about it."""
    keys = _keys_of(premise)
    return (not keys.isdisjoint(_asks_of(hypothesis, "")) for hypothesis in hypotheses)


class Speaking:
    """Sentences in their order, filed; `about` gives the numbers of those that may decide another one."""

    def __init__(self, said: Sequence[str]) -> None:
        self._filed: dict[Key, list[str]] = defaultdict(list)
        self._places = self._file(said, set())

    def now(self, said: Sequence[str]) -> Speaking:
        """The same of other sentences: those that are filed already, as most are between two steps, are not again."""
        other = copy(self)
        other._places = self._file(said, self._known)
        return other

    def about(self, hypothesis: str, cwd: str = "") -> list[int]:
        """Numbers of the sentences that may entail or contradict it, ascending; all others say nothing about it."""
        found: set[str] = set()
        for key in _asks_of(hypothesis, cwd):
            if key in self._filed:
                found.update(self._filed[key])
        return sorted(place for sentence in found for place in self._places.get(sentence, ()))

    def _file(self, said: Sequence[str], known: set[str]) -> dict[str, list[int]]:
        self._known = known
        places: dict[str, list[int]] = defaultdict(list)
        for number, sentence in enumerate(said):
            places[sentence].append(number)
        for sentence in places:
            if sentence not in known:
                known.add(sentence)
                for key in _keys_of(sentence):
                    self._filed[key].append(sentence)
        return places


@lru_cache(maxsize=16_384)
def _keys_of(premise: str) -> frozenset[Key]:
    keys: set[Key] = set()
    for sentence in sentences(premise):
        keys.add(("said", plain(sentence)))
        keys.update(_filed_under(read_fact(sentence)))
    return frozenset(keys)


@lru_cache(maxsize=16_384)
def _asks_of(hypothesis: str, cwd: str) -> frozenset[Key]:
    return frozenset((("said", plain(hypothesis)), *_looked_under(read_fact(hypothesis, cwd))))


def _filed_under(fact: Fact) -> Iterator[Key]:
    match fact:
        case Thing():
            yield from _at(fact.path)
        case Listing():
            yield from _at(fact.folder)
        case Venv():
            yield from _at(fact.folder)
            if fact.name is not None:
                yield from _at(join(fact.folder, fact.name))
        case Installed() | Inventory():
            yield ("installed", fact.kind)
            if isinstance(fact, Installed):
                yield ("measured",)
        case Measure():
            yield ("measured",)
        case _:
            yield from _head(fact)


def _looked_under(fact: Fact) -> Iterator[Key]:
    match fact:
        case Thing():
            yield from _near(fact.path)
        case Listing():
            yield from _near(fact.folder)
        case Venv():
            yield from _near(fact.folder)
            if fact.name is not None:
                yield from _near(join(fact.folder, fact.name))
        case Installed() | Inventory():
            yield ("installed", fact.kind)
        case Measure():
            yield ("measured",)
            yield from _near(fact.folder or "")
        case Owning():
            yield from _head(fact)
            if fact.is_folder:
                yield from _near(fact.owner)
        case _:
            yield from _head(fact)


def _head(fact: Fact) -> Iterator[Key]:
    match fact:
        case Place():
            yield ("place", fact.who)
        case Quality():
            yield ("quality", fact.subject)
        case Owning():
            yield ("owning", fact.owner)
        case Claim():
            yield ("claim", fact.words)


def _at(path: str) -> Iterator[Key]:
    """What a sentence about a path is filed under: the path, and that it is somewhere under each folder above."""
    yield ("at", path)
    yield from (("under", above) for above in _above(path))


def _near(path: str) -> Iterator[Key]:
    """Where a sentence about a path is decided: at it, above it, and under it."""
    yield ("at", path)
    yield ("under", path)
    yield from (("at", above) for above in _above(path))


def _above(path: str) -> Iterable[str]:
    while path:
        above = parent(path)
        if above == path:
            return
        yield above
        path = above
