"""The context in which a clause is read, and one attempt to read it by one pattern of a command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import cast

from agents.bdi.understanding.effort import Effort
from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.values.filled import Asked, Filled
from agents.bdi.understanding.words.lexicon import Cue, Entry, Lexicon
from agents.bdi.understanding.words.morphology import bases, singular
from agents.bdi.understanding.words.spelling import is_near
from agents.bdi.understanding.words.tokens import Token
from agents.toolkit.saying import Place, Slot


@dataclass(frozen=True)
class Situation:
    """What a clause is read in: the whole text, the files as they will be then, and what was spoken of."""

    raw: str
    tree: Tree
    last: tuple[str, ...] = ()
    # Values given before in the same text, by tool and parameter.
    before: Mapping[tuple[str, str], str] = field(default_factory=dict)
    effort: Effort = field(default_factory=Effort, compare=False)
    # The words for things that are no files and were spoken of before, newest last: “branch x”.
    spoken: tuple[tuple[str, ...], ...] = ()
    # The readings found so far in the same text.
    known: dict[tuple[object, ...], object] = field(default_factory=dict, compare=False)

    def place(self) -> tuple[object, ...]:
        """What tells this from other situations in the same text, quickly: an index of files is told by which it is,
        and is kept with it so that no other takes its place.
        """
        given = (type(self.before), *self.before.items())
        return (_Same(self.tree.index), self.tree.folder, self.tree.recent, self.last, self.spoken, given)


@dataclass(frozen=True)
class _Same:
    """Equal to nothing but itself, whatever the thing says."""

    thing: object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.thing is self.thing

    def __hash__(self) -> int:
        return id(self.thing)


@dataclass(frozen=True)
class Where:
    """The folder, from the root, that something new is said to be made in, how surely, and where its words end."""

    folder: str
    sure: float
    ends: int = 0
    is_here: bool = True


@dataclass
class State:
    """One try of one sense at a clause."""

    entry: Entry
    tokens: Sequence[Token]
    situation: Situation
    lexicon: Lexicon
    used: set[int]
    params: dict[str, Filled] = field(default_factory=dict)
    left: list[Token] = field(default_factory=list)
    items: tuple[Filled, ...] = ()
    asides: tuple[str, ...] = ()
    # Every form of every word of the clause, slips set right: what is in none of them is not said.
    forms: frozenset[str] = frozenset()
    # “Three” of “three folders”: how many items its object must have, and the words where they are not so many.
    counted: tuple[str, int] = ("", 0)
    # Where what is made is to lie; its name is one in that folder.
    where: Where | None = None
    # The little words of the sense of which every word is said, by their first word; ways to part a clause share them.
    _cues: dict[str, tuple[Cue, ...]] = field(default_factory=dict)

    def cues_of(self, first: str) -> tuple[Cue, ...]:
        """The little words before values that begin with this word and may stand in the clause."""
        if first not in self._cues:
            every = self.entry.cues.get(first, ())
            self._cues[first] = tuple(cue for cue in every if self.forms.issuperset(cue.words))
        return self._cues[first]

    @property
    def miscounted(self) -> tuple[str, ...]:
        """The number that was said of a list with another number of items."""
        word, number = self.counted
        return (word,) if word and number != 1 + len(self.items) else ()


def shape_of(state: State, slot: Slot | None) -> str:
    """What a slot's value looks like; of the object's place, which is no slot, nothing."""
    if slot is None:
        return ""
    if slot.shape:
        return slot.shape
    kind = state.entry.command.kind(slot.parameter)
    return {"name": "word", "text": "text"}.get(kind, kind)


def _tree_for(state: State, place: Place | None) -> Tree:
    """The files as they are seen from where the value is to lie: nothing outside of it is meant by a name there."""
    tree = state.situation.tree
    if state.where is None or place is None or place.makes not in ("file", "folder"):
        return tree
    key = ("from", state.where.folder)
    if key not in tree.found:
        tree.found[key] = replace(tree, index=tree.index.within(state.where.folder), folder=state.where.folder)
    return cast(Tree, tree.found[key])


def asked_of(state: State, slot: Slot) -> Asked:
    """What a slot's value is looked for with."""
    place: Place | None = state.lexicon.registry.said(state.entry.command).places.get(slot.parameter)
    described = state.entry.command.properties[slot.parameter]
    return Asked(
        state.situation.raw,
        shape_of(state, slot),
        _tree_for(state, place),
        place,
        state.entry.about,
        state.entry.command.tool,
        slot.parameter,
        tuple(map(str, described.get("enum", ()))),
        state.situation.last,
        state.situation.before.get((state.entry.command.tool, slot.parameter), ""),
        state.lexicon.is_exact_verb,
        is_key=state.lexicon.keys.__contains__,
        tools=state.lexicon.tools,
        of_lines=bool(described.get("x-multiline")),
    )


def is_noun(token: Token, wanted: frozenset[str], lexicon: Lexicon) -> bool:
    """Whether a word is one of these nouns, in one of its forms or misspelt."""
    if not _forms(token.text).isdisjoint(wanted):
        return True
    return any(
        lexicon.same(token, word) == 1 and (is_near(token.text, word) or is_near(singular(token.text), word))
        for word in lexicon.meanings(token)
        if word in wanted and len(word) > 4
    )


def forms_of(tokens: Sequence[Token], lexicon: Lexicon) -> frozenset[str]:
    """Every word that a clause may be said to hold: the forms of its words, what they are slips of, its signs."""
    found: set[str] = set()
    for token in tokens:
        found.update(_forms(token.text), lexicon.meanings(token))
    return frozenset(found)


@lru_cache(maxsize=16_384)
def _forms(text: str) -> frozenset[str]:
    return frozenset((text, singular(text), *bases(text)))
