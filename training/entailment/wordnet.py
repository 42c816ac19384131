"""WordNet as Debian's package `wordnet-base` has it (Miller 1995; the format is described in its page wndb(5)).

Only words that nearly always mean one thing are read, so that a word can be replaced without asking what it means, and
of nouns only those of things: for people and groups there are too many words that nobody would say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path("/usr/share/wordnet")
NOUN, ADJECTIVE = "noun", "adj"
# The share of a word's uses in texts tagged by hand that have its first sense.
_MOSTLY = 0.8
_TYPES = {"1": NOUN, "3": ADJECTIVE, "5": ADJECTIVE}
_ABOVE, _BELOW, _OPPOSITE = ("@",), ("~",), "!"
# Animals, things that were made, parts of a body, food, things of nature, plants and substances, by WordNet's numbers.
_THINGS = frozenset({"05", "06", "08", "13", "17", "20", "27"})
# Nobody would say what stands higher: an object, an artifact, a living thing.
_FEWEST_STEPS_DOWN = 5
_FEWEST_USES = 3


@dataclass(frozen=True)
class Synset:
    """Words of one meaning; `above` and `below` are synsets by their numbers. `opposite` has for a word the places of
    words that mean the contrary: a synset, and which of its words.
    """

    words: Sequence[str]
    of_things: bool
    above: Sequence[str]
    below: Sequence[str]
    opposite: Mapping[str, Sequence[tuple[str, int]]]


class WordNet:
    """Nouns and adjectives. `folder` holds data.noun, index.noun and cntlist.rev, and the same of adjectives."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._synsets = {kind: _synsets(folder / f"data.{kind}") for kind in (NOUN, ADJECTIVE)}
        self._senses = {kind: _senses(folder / f"index.{kind}") for kind in (NOUN, ADJECTIVE)}
        self._uses = _uses(folder / "cntlist.rev")

    def meaning(self, word: str, kind: str) -> Synset | None:
        """What a word nearly always means; None for a word that is unknown or means several things."""
        senses = self._senses[kind].get(word, ())
        if not senses:
            return None
        uses = self._uses.get((word, kind), {})
        if len(senses) > 1 and uses.get(1, 0) < _MOSTLY * max(sum(uses.values()), 1):
            return None
        return self._synsets[kind].get(senses[0])

    def is_only_adjective(self, word: str) -> bool:
        """Whether it is an adjective and never a noun: “an adult” is both, and then it may belong to a longer name."""
        return word in self._senses[ADJECTIVE] and word not in self._senses[NOUN]

    def same(self, word: str, kind: str) -> list[str]:
        """Other words for it."""
        found = self.meaning(word, kind)
        return self._usual(found.words, kind, word) if found else []

    def wider(self, word: str) -> list[str]:
        """Nouns for what it is one of: a guitar is an instrument."""
        found = self.meaning(word, NOUN)
        return [name for one in self._parents(found) for name in self._usual(one.words, NOUN, word)] if found else []

    def narrower(self, word: str) -> list[str]:
        """Nouns for kinds of it."""
        found = self.meaning(word, NOUN)
        return [name for one in self._kinds(found) for name in self._usual(one.words, NOUN, word)] if found else []

    def beside(self, word: str) -> list[str]:
        """Nouns for other kinds of the same: a guitar is no banjo."""
        found = self.meaning(word, NOUN)
        if found is None:
            return []
        kinds = [one for parent in self._parents(found) for one in self._kinds(parent) if one is not found]
        return [name for one in kinds for name in self._usual(one.words, NOUN, word)]

    def opposite(self, word: str) -> list[str]:
        """Adjectives for the contrary of what it means most often; of a word for several things that is enough, since
        nothing is both that thing and its contrary.
        """
        senses = self._senses[ADJECTIVE].get(word, ())
        places = self._synsets[ADJECTIVE][senses[0]].opposite.get(word, ()) if senses else ()
        words = [self._synsets[ADJECTIVE][synset].words[number] for synset, number in places]
        return [other for other in words if self._uses.get((other, ADJECTIVE))]

    def _parents(self, one: Synset) -> list[Synset]:
        nouns = self._synsets[NOUN]
        return [nouns[above] for above in one.above if above in nouns and self._depth(above) >= _FEWEST_STEPS_DOWN]

    def _kinds(self, one: Synset) -> list[Synset]:
        return [self._synsets[NOUN][below] for below in one.below if below in self._synsets[NOUN]]

    def _depth(self, number: str) -> int:
        """How many steps it is below the top of what is a thing."""
        one, depth = self._synsets[NOUN].get(number), 0
        while one and one.above:
            one, depth = self._synsets[NOUN].get(one.above[0]), depth + 1
        return depth

    def _usual(self, words: Sequence[str], kind: str, but: str) -> list[str]:
        """Of some words those that are single and in use, and that mean this and little else."""
        alike = {but, but.removesuffix("s"), f"{but}s"}
        single = [word for word in words if word.isalpha() and word.islower() and word not in alike]
        return [word for word in single if self._is_usual(word, kind)]

    def _is_usual(self, word: str, kind: str) -> bool:
        often = sum(self._uses.get((word, kind), {}).values()) >= _FEWEST_USES
        return often and self.meaning(word, kind) is not None


def _synsets(path: Path) -> dict[str, Synset]:
    is_of_nouns = path.suffix == f".{NOUN}"
    return {number: synset for number, synset in map(_synset, _lines(path)) if synset.of_things or not is_of_nouns}


def _synset(line: str) -> tuple[str, Synset]:
    fields = line.partition(" | ")[0].split()
    count = int(fields[3], 16)
    words = [fields[4 + 2 * number].partition("(")[0] for number in range(count)]
    pointers = fields[4 + 2 * count :]
    above: list[str] = []
    below: list[str] = []
    opposite: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for number in range(int(pointers[0])):
        sign, target, _, ends = pointers[1 + 4 * number : 5 + 4 * number]
        if sign in _ABOVE:
            above.append(target)
        elif sign in _BELOW:
            below.append(target)
        elif sign == _OPPOSITE:
            opposite[words[int(ends[:2], 16) - 1]].append((target, int(ends[2:], 16) - 1))
    return fields[0], Synset(words, fields[1] in _THINGS, above, below, opposite)


def _senses(path: Path) -> dict[str, list[str]]:
    """Of each word the synsets that it is in, the most frequent sense first."""
    found = {}
    for line in _lines(path):
        fields = line.split()
        found[fields[0]] = fields[-int(fields[2]) :]
    return found


def _uses(path: Path) -> dict[tuple[str, str], dict[int, int]]:
    """Of each word and kind how often each of its senses was found in texts that were tagged by hand."""
    found: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for line in path.read_text("utf-8").splitlines():
        key, number, count = line.split()
        word, _, rest = key.partition("%")
        if kind := _TYPES.get(rest[0]):
            found[word, kind][int(number)] = int(count)
    return found


def _lines(path: Path) -> list[str]:
    # The licence at the beginning is indented.
    return [line for line in path.read_text("utf-8").splitlines() if not line.startswith("  ")]
