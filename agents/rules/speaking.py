"""Which beliefs can say anything about a sentence, found by their head words instead of by asking each of them.

A belief is filed under what it is about (its subject, its paths); a hypothesis looks under what could decide it. What
is not found says nothing about it: a test holds that against asking every pair.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import lru_cache

from agents.rules.entailment import UNKNOWN, Verdict, entailed, plain
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
    Sight,
    Thing,
    Venv,
    join,
    parent,
)
from agents.rules.sentences import read_fact, sentences

# What it is about, in a word. Texts, whose hash is made once: planning looks some thousands of them up.
Key = str


def spoken_of(premise: str, hypotheses: Iterable[str]) -> list[bool]:
    """Of each sentence whether the premise may entail or contradict it; False: it says nothing about it."""
    silent = map(_keys_of(premise).isdisjoint, map(_asks_from_the_root, hypotheses))
    return [not each for each in silent]


def speaking_of(hypotheses: Iterable[str], premises: Iterable[str], cwd: str = "") -> list[bool]:
    """Of each sentence whether it may entail or contradict any of the hypotheses."""
    asked = frozenset[Key]().union(*(_asks_of(hypothesis, cwd) for hypothesis in hypotheses))
    return [not each for each in map(asked.isdisjoint, map(_keys_of, premises))]


class Speaking:
    """Sentences in their order, filed; `about` gives the numbers of those that may decide another one."""

    def __init__(self, said: Sequence[str]) -> None:
        self._filed: dict[Key, list[str]] = defaultdict(list)
        self._known: set[str] = set()
        self._show(said)

    def now(self, said: Sequence[str]) -> Speaking:
        """The same of other sentences: those that are filed already, as most are between two steps, are not again."""
        other = copy(self)
        other._show(said)
        return other

    def about(self, hypothesis: str, cwd: str = "") -> list[int]:
        """Numbers of the sentences that may entail or contradict it, ascending; all others say nothing about it."""
        found: set[str] = set()
        for key in _asks_of(hypothesis, cwd):
            if key in self._filed:
                found.update(self._filed[key])
        places = self._places
        numbers = [places[sentence] for sentence in found if sentence in places]
        if self._again:
            numbers += [place for sentence in found for place in self._again.get(sentence, ())]
        return sorted(numbers)

    def decide(self, hypothesis: str, cwd: str = "") -> Mapping[int, Verdict]:
        """The verdicts of those that say yes or no, by number, ascending. Many rules ask for the same."""
        decided = self._decided.get((hypothesis, cwd))
        if decided is None:
            about = self.about(hypothesis, cwd)
            verdicts = zip(about, entailed([self._said[number] for number in about], hypothesis, cwd), strict=True)
            decided = {number: verdict for number, verdict in verdicts if verdict is not UNKNOWN}
            self._decided[hypothesis, cwd] = decided
        return decided

    def _show(self, said: Sequence[str]) -> None:
        self._said = said
        self._decided: dict[tuple[str, str], Mapping[int, Verdict]] = {}
        # Nearly always each is said once; of several that say the same, the last stands here and the others apart.
        self._places = dict(zip(said, range(len(said)), strict=True))
        self._again: dict[str, list[int]] = {}
        if len(self._places) < len(said):
            for number, sentence in enumerate(said):
                if self._places[sentence] != number:
                    self._again.setdefault(sentence, []).append(number)
        for sentence in self._places.keys() - self._known:
            self._known.add(sentence)
            for key in _keys_of(sentence):
                self._filed[key].append(sentence)


@lru_cache(maxsize=16_384)
def _keys_of(premise: str) -> frozenset[Key]:
    keys: set[Key] = set()
    for sentence in sentences(premise):
        keys.add(_key("said", plain(sentence)))
        keys.update(_filed_under(read_fact(sentence)))
    return frozenset(keys)


@lru_cache(maxsize=16_384)
def _asks_of(hypothesis: str, cwd: str) -> frozenset[Key]:
    return frozenset((_key("said", plain(hypothesis)), *_looked_under(read_fact(hypothesis, cwd))))


@lru_cache(maxsize=16_384)
def _asks_from_the_root(hypothesis: str) -> frozenset[Key]:
    return _asks_of(hypothesis, "")


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
            yield from _as_installed(fact)
            if isinstance(fact, Installed):
                yield "measured"
        case Measure():
            yield "measured"
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
            yield from _as_installed(fact)
        case Measure():
            yield "measured"
            yield from _near(fact.folder or "")
        case Owning():
            yield from _head(fact)
            if fact.is_folder:
                yield from _near(fact.owner)
        case _:
            yield from _head(fact)


def _as_installed(fact: Installed | Inventory) -> Iterator[Key]:
    """A sentence that does not say whether it is about a program or a tool may be about either."""
    yield from (_key("installed", kind) for kind in ((fact.kind,) if fact.kind else ("program", "tool")))


def _head(fact: Fact) -> Iterator[Key]:
    match fact:
        case Place():
            yield _key("place", fact.who)
        case Quality():
            yield _key("quality", fact.subject)
        case Owning():
            yield _key("owning", fact.owner)
        case Sight():
            yield _key("sight", fact.what)
        case Claim():
            yield _key("claim", " ".join(fact.about))


def _at(path: str) -> Iterator[Key]:
    """What a sentence about a path is filed under: the path, and that it is somewhere under each folder above."""
    yield _key("at", path)
    yield from (_key("under", above) for above in _above(path))


def _near(path: str) -> Iterator[Key]:
    """Where a sentence about a path is decided: at it, above it, and under it."""
    yield _key("at", path)
    yield _key("under", path)
    yield from (_key("at", above) for above in _above(path))


def _key(what: str, which: str) -> Key:
    return sys.intern(f"{what} {which}")


def _above(path: str) -> Iterable[str]:
    while path:
        above = parent(path)
        if above == path:
            return
        yield above
        path = above
