"""Patterns of words with slots, and matching them against a text.

Notation, shared by the triggers of rules and the phrases of commands:

    create a python project named {name}      words, and a slot
    create a python project [named] {name}    an optional part
    remove the (file|folder) {path}           one of several; both may hold words, slots and further parts

Words compare without case; articles and "please" never count, on either side. Parts are tried from left to right, an
optional part first as present, and a slot takes as few words as the rest allows, so a boundary is always predictable.
What a slot takes is decided by its kind (see agents.toolkit.wording.kinds).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from agents.toolkit.wording.kinds import FUNCTION_WORDS, OF_SEVERAL_WORDS, fits
from agents.toolkit.wording.words import NOISE, Text, Value, fold

MAX_WORDS = 4_000

# A slot, a bracket or a word.
PIECE = re.compile(r"\{([a-z][a-z0-9_]*)\}(?=[\s\])|]|$)|([\[\]()|])|([^\s\[\]()|]+)")
_POLITE = """
could you|can you|would you|will you|i want you to|i want to|i would like you to|i would like to|i'd like you to
i'd like to|i need you to|i need to|let's|let us|help me|help me to|your task is to|your goal is to
"""
_LEADING = tuple(tuple(said.split()) for line in _POLITE.split("\n") for said in line.split("|") if said)
_TRAILING = (("for", "me"), ("now",), ("thanks",), ("thank", "you"), ("many", "thanks"))


class TemplateError(ValueError):
    """The pattern cannot be read; the message says why and what to write instead."""


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    following: int


@dataclass(frozen=True, slots=True)
class _Slot:
    name: str
    following: int


@dataclass(frozen=True, slots=True)
class _Fork:
    branches: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _End:
    pass


_State = _Word | _Slot | _Fork | _End


@dataclass(frozen=True)
class Match:
    """The values of the slots, and how many of the pattern's own words were found in the text."""

    values: Mapping[str, Value]
    literal_words: int


@dataclass(frozen=True)
class Template:
    """A compiled pattern. `slots` are all its slots in order, `required` those that every way through it needs, and
    `needed` the words.
    """

    source: str
    slots: tuple[str, ...]
    required: frozenset[str]
    literals: tuple[str, ...]
    needed: frozenset[str]
    states: tuple[_State, ...] = field(repr=False)
    start: int = field(repr=False)

    def match(self, text: Text, kinds: Mapping[str, str] | None = None) -> Match | None:
        """Return the first match in the order of the module's docstring, or None.

        `kinds` gives the kind of each slot, text when missing. A text of more than MAX_WORDS words matches nothing.
        """
        if len(text.words) > MAX_WORDS or not self.needed <= text.vocabulary:
            return None
        search = _Search(self, text, kinds or {})
        for begin in _beginnings(text):
            found = search.run(self.start, begin)
            if found is not None:
                return found
        return None


class _Search:
    """One depth-first search. A state that failed at a word fails there for ever: what slots hold never matters."""

    def __init__(self, template: Template, text: Text, kinds: Mapping[str, str]) -> None:
        self.template, self.text, self.kinds = template, text, kinds
        self.failed: set[tuple[int, int]] = set()
        # By what follows a text slot: from which word on every end of it was tried in vain.
        self.exhausted: dict[int, int] = {}
        self.values: dict[str, Value] = {}

    def run(self, state: int, at: int) -> Match | None:
        literals = self._step(state, at)
        return None if literals is None else Match(dict(self.values), literals)

    def _step(self, number: int, at: int) -> int | None:
        if (number, at) in self.failed:
            return None
        state = self.template.states[number]
        if isinstance(state, _Fork):
            found = next((n for branch in state.branches if (n := self._step(branch, at)) is not None), None)
        elif isinstance(state, _Word):
            found = self._word(state, at)
        elif isinstance(state, _Slot):
            found = self._slot(state, at)
        else:
            found = 0 if _only_noise(self.text, at) else None
        if found is None:
            self.failed.add((number, at))
        return found

    def _word(self, state: _Word, at: int) -> int | None:
        words = self.text.words
        while at < len(words):
            # In an exact line quotes say that a value stands there, whatever its words.
            if words[at].text == state.text and not (self.text.exact and words[at].group >= 0):
                found = self._step(state.following, at + 1)
                return None if found is None else found + 1
            if not _is_noise(self.text, at):
                return None
            at += 1
        return None

    def _slot(self, state: _Slot, at: int) -> int | None:
        kind = self.kinds.get(state.name, "text")
        if kind in OF_SEVERAL_WORDS:
            return self._text_slot(state, at)
        skipped = at
        while skipped < len(self.text.words) and _is_noise(self.text, skipped):
            skipped += 1
        # "the folder the weather" means weather; an exact "create the folder a" can only mean a.
        for begin in range(skipped, (at if self.text.exact else skipped) - 1, -1):
            end = self._end_of_one(begin)
            if end is None:
                continue
            value = self._one(begin, end)
            if fits(kind, value.raw) and (value.quoted or self.text.exact or fold(value.raw) not in FUNCTION_WORDS):
                found = self._filled(state, value, end)
                if found is not None:
                    return found
        return None

    def _end_of_one(self, begin: int) -> int | None:
        words = self.text.words
        if begin >= len(words):
            return None
        if words[begin].group < 0:
            return begin + 1
        group = self.text.groups[words[begin].group]
        return group.last if group.first == begin else None

    def _one(self, begin: int, end: int) -> Value:
        return self.text.word_value(begin) if self.text.words[begin].group < 0 else self.text.value(begin, end)

    def _text_slot(self, state: _Slot, at: int) -> int | None:
        words, groups = self.text.words, self.text.groups
        if at < len(words) and words[at].group >= 0 and groups[words[at].group].first != at:
            return None
        tried = self.exhausted.get(state.following, len(words))
        for end in range(at + 1, tried + 1):
            group = words[end - 1].group
            if group >= 0 and groups[group].last != end:
                continue
            found = self._filled(state, self.text.value(at, end), end)
            if found is not None:
                return found
        self.exhausted[state.following] = min(tried, at)
        return None

    def _filled(self, state: _Slot, value: Value, end: int) -> int | None:
        found = self._step(state.following, end)
        if found is not None:
            self.values[state.name] = value
        return found


def _is_noise(text: Text, at: int) -> bool:
    return text.words[at].group < 0 and text.words[at].text in NOISE


def _beginnings(text: Text) -> list[int]:
    if text.exact:
        return [0]
    spoken = [word.text if word.group < 0 else "" for word in text.words[:8]]
    at = 0
    while at < len(spoken) and spoken[at] in NOISE:
        at += 1
    lengths = [len(words) for words in _LEADING if tuple(spoken[at : at + len(words)]) == words]
    return [0, *(at + length for length in sorted(lengths))]


def spoken_part(text: Text) -> tuple[int, int]:
    """Return the words (first, last exclusive) that say the task, without the politeness around it."""
    first = _beginnings(text)[-1] if len(_beginnings(text)) > 1 else 0
    last = len(text.words)
    while first < last - 1 and _only_noise(text, last - 1):
        last -= 1
    ending = next((n for n in range(max(first + 1, last - 3), last) if _only_noise(text, n)), last)
    return first, ending


def _only_noise(text: Text, at: int) -> bool:
    rest = text.words[at:]
    if not rest:
        return True
    if text.exact or len(rest) > 6 or any(word.group >= 0 for word in rest):
        return False
    spoken = tuple(word.text for word in rest if word.text not in NOISE)
    return not spoken or any(spoken == words for words in _TRAILING)


@lru_cache(maxsize=4096)
def compile_template(source: str) -> Template:
    """Compile a pattern. Raises TemplateError when brackets do not fit, or a slot stands inside a word or twice."""
    builder = _Builder(source)
    tree = builder.sequence("")
    if builder.at < len(builder.pieces):
        raise TemplateError(f"“{builder.pieces[builder.at]}” closes nothing; write its opening bracket or leave it out")
    end = builder.add(_End())
    start = builder.link(tree, end)
    names, required = _slots(tree)
    repeated = next((name for name in names if names.count(name) > 1 and name in required), None)
    if repeated:
        raise TemplateError(f"the slot {{{repeated}}} stands twice; give the second one a name of its own")
    if not _fewest_words(tree):
        raise TemplateError("a pattern needs at least one word besides its slots, else it would match everything")
    states = tuple(builder.states)
    needed = frozenset(_needed_words(tree))
    slots = tuple(dict.fromkeys(names))
    return Template(source, slots, frozenset(required), tuple(builder.literals), needed, states, start)


_Tree = list["str | tuple[str] | list[_Tree]"]  # a word, a slot as 1-tuple, or a choice as list of sequences


class _Builder:
    """Reads the notation into a tree, then links the tree from its end backwards into states."""

    def __init__(self, source: str) -> None:
        self.pieces = list(PIECE.finditer(source))
        self.at = 0
        self.states: list[_State] = []
        self.literals: list[str] = []

    def sequence(self, closing: str) -> _Tree:
        items: _Tree = []
        while self.at < len(self.pieces):
            slot, bracket, word = self.pieces[self.at].groups()
            if bracket in ("]", ")", "|"):
                return items
            self.at += 1
            if slot:
                items.append((slot,))
            elif bracket:
                items.append(self._choice(bracket))
            else:
                items.extend(self._words(word))
        if closing:
            raise TemplateError(
                f"a “{'[' if closing == ']' else '('}” is never closed; write “{closing}” after its part"
            )
        return items

    def _choice(self, bracket: str) -> list[_Tree]:
        closing = "]" if bracket == "[" else ")"
        options = [self._option(closing)]
        while self.at < len(self.pieces) and self.pieces[self.at].group() == "|":
            self.at += 1
            options.append(self._option(closing))
        if self.at >= len(self.pieces) or self.pieces[self.at].group() != closing:
            raise TemplateError(f"a “{bracket}” is never closed; write “{closing}” after its part")
        self.at += 1
        return [*options, []] if bracket == "[" else options

    def _option(self, closing: str) -> _Tree:
        before = self.at
        option = self.sequence(
            closing
        )  # may come out empty: in “[the] file” the part is an article, which never counts
        if self.at == before:
            raise TemplateError("an empty part; say what may stand there or take the brackets away")
        return option

    def _words(self, word: str) -> list[str | tuple[str] | list[_Tree]]:
        if "{" in word or "}" in word:
            raise TemplateError(f"“{word}” is not a slot; a slot is {{name}} in small letters, parted by spaces")
        bare = fold(word.strip(".,;:!?\"'“”"))
        if not bare or bare in NOISE:
            return []
        self.literals.append(bare)
        return [bare]

    def add(self, state: _State) -> int:
        self.states.append(state)
        return len(self.states) - 1

    def link(self, items: _Tree, following: int) -> int:
        for item in reversed(items):
            if isinstance(item, str):
                following = self.add(_Word(item, following))
            elif isinstance(item, tuple):
                following = self.add(_Slot(item[0], following))
            else:
                after = following
                following = self.add(_Fork(tuple(self.link(option, after) for option in item)))
        return following


def _fewest_words(items: _Tree) -> int:
    """Count the pattern's own words on the way through it that has fewest."""
    return sum(
        1 if isinstance(item, str) else min(map(_fewest_words, item)) if isinstance(item, list) else 0 for item in items
    )


def _needed_words(items: _Tree) -> set[str]:
    """The words on every way through it."""
    needed: set[str] = set()
    for item in items:
        if isinstance(item, str):
            needed.add(item)
        elif isinstance(item, list):
            needed |= set.intersection(*map(_needed_words, item))
    return needed


def _slots(items: _Tree) -> tuple[list[str], set[str]]:
    names: list[str] = []
    required: set[str] = set()
    for item in items:
        if isinstance(item, tuple):
            names.append(item[0])
            required.add(item[0])
        elif isinstance(item, list):
            parts = [_slots(option) for option in item]
            names.extend(name for found, _ in parts for name in dict.fromkeys(found))
            required |= set.intersection(*(needed for _, needed in parts))
    return names, required


def render(source: str, values: Mapping[str, str]) -> str:
    """Say a pattern with the given words in its slots: the first of several, optional parts only with their values."""
    pieces = list(PIECE.finditer(source))
    words, _ = _rendered(pieces, 0, values)
    return " ".join(words)


def _rendered(pieces: list[re.Match[str]], at: int, values: Mapping[str, str]) -> tuple[list[str], int]:
    words: list[str] = []
    while at < len(pieces):
        slot, bracket, word = pieces[at].groups()
        at += 1
        if slot:
            words.append(values[slot] if slot in values else "{" + slot + "}")
        elif word:
            words.append(word)
        elif bracket in ("]", ")", "|"):
            return words, at - 1
        else:
            part, at = _rendered(pieces, at, values)
            first, opened = part, bracket
            while pieces[at].group() == "|":
                _, at = _rendered(pieces, at + 1, values)
            at += 1
            has_values = any(piece in values.values() for piece in first)
            words.extend(first if opened == "(" or has_values else [])
    return words, at
