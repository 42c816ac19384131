"""Every declared way to say a command, ready for lookup: which words begin one, and which words are known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any

from agents.bdi.understanding.words.filler import ARTICLES, IDLE, NO_SLIPS, SMALL
from agents.bdi.understanding.words.morphology import bases, singular
from agents.bdi.understanding.words.spelling import is_near, letters_of, may_be_near
from agents.bdi.understanding.words.synonyms import same_as
from agents.bdi.understanding.words.tokens import NUMBERS, QUOTED, SIGN, WORD, Token
from agents.toolkit.command import Command
from agents.toolkit.registry import Registry
from agents.toolkit.saying import Sense, Slot
from agents.toolkit.wording.words import fold

GAP = "…"
# How many different words of goals are remembered with what they can be; more push the oldest out.
REMEMBERED = 16_384
# Longer words are no slip of anything: no word of the language is that long.
LONGEST = 32
# So many words may stand in the gap of “throw … away”.
WIDEST = 16
# What speaks against a verb that only means what a declared one does, and against one that other commands declare.
_FOR_SYNONYM, _FOR_ANOTHERS = 0.15, 0.45
_SKIPPED = ARTICLES | {"me", "us"}


@dataclass(frozen=True)
class Verb:
    """A verb expression in its sense: its words, folded and without articles."""

    parts: tuple[str, ...]
    # What speaks against it: nothing where the tool declares it.
    cost: float = 0.0

    @cached_property
    def words(self) -> frozenset[str]:
        """All that must be said of it, anywhere."""
        return frozenset(self.parts) - {GAP}


@dataclass(frozen=True)
class Cue:
    """Little words of a slot, folded."""

    words: tuple[str, ...]
    slot: Slot
    order: int


@dataclass(frozen=True)
class Entry:
    """One sense of one command."""

    command: Command
    sense: Sense
    verbs: tuple[Verb, ...]
    about: frozenset[str]
    key: frozenset[str]
    # The little words of its slots, folded, by their first one, in the order in which they are declared.
    cues: Mapping[str, tuple[Cue, ...]]
    # The phrases of its switches, folded, by their first word.
    flags: Mapping[str, tuple[tuple[tuple[str, ...], str, Any], ...]]
    never: frozenset[str] = frozenset()
    # Every word of its little words.
    of_cues: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Met:
    """A verb expression found in a clause: which tokens it took, and how many of them are misspelt."""

    used: tuple[int, ...]
    typos: int
    words: int
    # What speaks against the expression itself.
    cost: float = 0.0


class Lexicon:
    """What the registry's tools declare, by first word."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        senses = [(command, sense) for command in registry.commands for sense in registry.said(command).senses]
        declared = frozenset(_folded(verb) for _, sense in senses for verb in sense.verbs)
        self.entries = tuple(_entry(command, sense, declared) for command, sense in senses)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of the declarations: none of them is a slip of another."""
        found = {part for entry in self.entries for verb in entry.verbs for part in verb.parts}
        found |= {word for entry in self.entries for word in entry.about | entry.never}
        for entry in self.entries:
            for slot in entry.sense.slots:
                found |= {fold(word) for cue in slot.cues for word in cue} | {fold(word) for word in slot.behind}
            found |= {fold(word) for flag in entry.sense.flags for word in flag}
        return frozenset(found) | IDLE | NUMBERS.keys()

    @cached_property
    def verbs(self) -> Mapping[str, tuple[tuple[int, int], ...]]:
        """Verb expressions by their first word: which entry, and which of its verbs."""
        found: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, entry in enumerate(self.entries):
            for at, verb in enumerate(entry.verbs):
                found[verb.parts[0]].append((number, at))
        return {word: tuple(where) for word, where in found.items()}

    @cached_property
    def _by_letter(self) -> Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]]:
        """Words that a slip may be one of, each with its spellings, by their first letters."""
        found: defaultdict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
        for word in sorted(self.words):
            if len(word) > 3:
                spelt = tuple(dict.fromkeys((word, word.replace("yze", "yse").replace("ize", "ise"))))
                for letter in set(word[:2]):
                    found[letter].append((word, spelt))
        return {letter: tuple(words) for letter, words in found.items()}

    @cached_property
    def of_values(self) -> frozenset[str]:
        """The words that stand before values: message, timeout, author; whoever says them may be giving one."""
        cues = {word for entry in self.entries for first in entry.cues.values() for cue in first for word in cue.words}
        named = {name.split("_")[0] for command in self.registry.commands for name in command.properties}
        return frozenset(word for word in cues | named if len(word) > 3 and word not in IDLE)

    def words_of_values(self, command: Command) -> frozenset[str]:
        """The words by which a command is given a value: its parameters' names, what stands before or behind them."""
        key = (command.tool, command.name)
        if key not in self._of_command:
            found = {part for parameter in command.properties for part in parameter.split("_")}
            for described in command.properties.values():
                found |= {str(value) for value in described.get("enum", ())}
            for sense in self.registry.said(command).senses:
                found |= {fold(word) for flag in sense.flags for word in flag}
                for slot in sense.slots:
                    found |= {fold(word) for cue in slot.cues for word in cue}
                    behind = {word for said in slot.behind for word in said.split()}
                    found |= behind | {singular(word) for word in behind}
            self._of_command[key] = frozenset(word for word in found if len(word) > 2) - IDLE - {"path"}
        return self._of_command[key]

    @cached_property
    def _of_command(self) -> dict[tuple[str, str], frozenset[str]]:
        return {}

    def is_counted(self, word: str) -> bool:
        """Whether some command takes a number of these: lines, seconds, sentences."""
        return singular(word) in self._counted or word in self._counted

    @cached_property
    def _counted(self) -> frozenset[str]:
        behind = {fold(word) for entry in self.entries for slot in entry.sense.slots for word in slot.behind}
        return frozenset(behind | {singular(word) for word in behind} | {"minute", "hour", "line", "byte"})

    @cached_property
    def keys(self) -> frozenset[str]:
        """The nouns that some way of saying must have."""
        return frozenset(word for entry in self.entries for word in entry.key)

    @cached_property
    def commands(self) -> dict[str, Command]:
        """Commands by their own name, `write_note`, and by tool and name."""
        found: dict[str, Command] = {}
        for command in self.registry.commands:
            found.setdefault(command.name, command)
            found[f"{command.tool}.{command.name}"] = command
        return found

    @cached_property
    def names(self) -> frozenset[str]:
        """The tools' and the commands' own names."""
        return frozenset(self.commands) | {tool.name for tool in self.registry.tools}

    @cached_property
    def tools(self) -> Mapping[tuple[str, ...], str]:
        """What the tools are called, as words, with their names: `git_tool`, “git tool”, “git”, “audit and improve”."""
        found: dict[tuple[str, ...], str] = {}
        for tool in self.registry.tools:
            for said in (tool.label, tool.name, tool.name.replace("_", " ")):
                found[tuple(fold(word) for word in said.split())] = tool.name
        return found

    def knows(self, word: str) -> bool:
        """Whether a word, in one of its forms, is one of the language's own."""
        return self._known(word)

    def is_slip(self, token: Token) -> bool:
        """Whether a word is a slip of one of the language's own."""
        return token.kind == WORD and any(slips == 1 for slips in self._slips(token.text).values())

    def is_verb(self, token: Token) -> bool:
        """Whether a clause may begin with this word."""
        return token.kind == WORD and any(word in self.verbs for word in self._slips(token.text))

    def is_exact_verb(self, token: Token) -> bool:
        """Whether a clause may begin with this word, spelt as it is."""
        return token.kind == WORD and any(
            slips == 0 and word in self.verbs for word, slips in self._slips(token.text).items()
        )

    def says_verb(self, tokens: Sequence[Token], at: int) -> bool:
        """Whether a whole verb expression begins here: “no ties” has no more of “no longer need” than a first word."""
        words = (word for word, slips in self._slips(tokens[at].text).items() if slips == 0)
        where = (one for word in words for one in self.verbs.get(word, ()))
        return any(self._from(self.entries[number].verbs[order], tokens, at) for number, order in where)

    def is_idle_slip(self, token: Token) -> bool:
        """Whether a word that nobody knows is a slip of words only that carry nothing: “teh”, “wiht”."""
        if token.kind != WORD or token.text in NO_SLIPS:
            return False
        meant = self._slips(token.text)
        return bool(meant.keys() & SMALL) and all(slips == 1 and word in IDLE for word, slips in meant.items())

    def idle(self, token: Token) -> str:
        """The word that a slip of small words most likely is; empty where it is none."""
        if not self.is_idle_slip(token):
            return ""
        return next(word for word in sorted(self._slips(token.text)) if word in SMALL)

    def same(self, token: Token, word: str) -> int | None:
        """0 when the token is a form of the word, 1 when it is a slip of it, None when neither."""
        if token.kind == SIGN:
            return 0 if token.value == word else None
        if token.text == word:
            return 0
        slips = self._slips(token.text).get(word)
        return slips if token.kind == WORD or slips == 0 else None

    @cached_property
    def _known(self) -> Callable[[str], bool]:
        def known(word: str) -> bool:
            return singular(word) in self.words or any(base in self.words for base in bases(word))

        return lru_cache(maxsize=REMEMBERED)(known)

    @cached_property
    def _slips(self) -> Callable[[str], Mapping[str, int]]:
        """Which of the language's words a word is a form (0) or, being none of them, a slip (1) of."""

        def slips(text: str) -> Mapping[str, int]:
            forms = (text, *bases(text), singular(text))
            found = {form: 0 for form in forms if form in self.words}
            if found or len(text) > LONGEST or text in NO_SLIPS:
                return found
            if len(text) == 3 and (swapped := self._swapped(text)):
                return {swapped: 1}
            return {
                word: 1
                for form in forms
                for letter in sorted(set(form[:2]))
                for word, spelt in self._by_letter.get(letter, ())
                if any(may_be_near(letters_of(form), letters_of(one)) and is_near(form, one) for one in spelt)
            }

        return lru_cache(maxsize=REMEMBERED)(slips)

    def meanings(self, token: Token) -> Iterable[str]:
        """The language's words that a token may be: itself, what it is a form of, what it is a slip of."""
        if token.kind == SIGN:
            return (token.value,)
        words = self._slips(token.text)
        return words if token.text in words else (token.text, *words)

    def _swapped(self, text: str) -> str:
        """The one short word of the language of which two neighbouring letters were swapped: “gti”, “teh”."""
        ways = {text[1] + text[0] + text[2], text[0] + text[2] + text[1]} - {text}
        known = [one for one in sorted(ways) if one in self.words]
        return known[0] if len(known) == 1 else ""

    def met(self, tokens: Sequence[Token]) -> dict[int, list[Met]]:
        """The verb expressions that stand in a clause, by the number of their entry, in the order of its verbs."""
        places: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        said = {word for token in tokens for word in self.meanings(token)}
        for at, token in enumerate(tokens):
            if token.kind in (SIGN, QUOTED):
                # A word in quotes is spoken of: it is no verb.
                continue
            for word, slips in self._slips(token.text).items():
                if slips == 0 or token.kind == WORD:
                    for where in self.verbs.get(word, ()):
                        places[where].append(at)
        found: defaultdict[int, list[Met]] = defaultdict(list)
        for number, order in sorted(places):
            verb = self.entries[number].verbs[order]
            if not verb.words <= said:
                continue
            for start in places[number, order]:
                if met := self._from(verb, tokens, start):
                    found[number].append(met)
        return found

    def _from(self, verb: Verb, tokens: Sequence[Token], start: int) -> Met | None:
        taken: list[int] = []
        typos, at, gap = 0, start, False
        for part in verb.parts:
            if part == GAP:
                gap = True
                continue
            end = min(len(tokens), at + WIDEST)
            while at < end:
                slips = self.same(tokens[at], part)
                if slips is not None:
                    break
                if not taken or not (gap or tokens[at].text in _SKIPPED):
                    return None
                if tokens[at].is_literal and verb.parts[-1] == "of":
                    # “Make b a copy of a”: what is made stands there, and not who it is made for.
                    return None
                at += 1
            else:
                return None
            taken.append(at)
            typos += slips or 0
            at, gap = at + 1, False
        return Met(tuple(taken), typos, len(taken), verb.cost)


def _entry(command: Command, sense: Sense, declared: frozenset[tuple[str, ...]]) -> Entry:
    cues: defaultdict[str, list[Cue]] = defaultdict(list)
    said = ((slot, cue) for slot in sense.slots for cue in slot.cues)
    for order, (slot, cue) in enumerate(said):
        words = _row(cue)
        cues[words[0]].append(Cue(words, slot, order))
    flags: defaultdict[str, list[tuple[tuple[str, ...], str, Any]]] = defaultdict(list)
    for phrase, (name, value) in sense.flags.items():
        words = _row(phrase)
        flags[words[0]].append((words, name, value))
    return Entry(
        command,
        sense,
        (
            *(Verb(_folded(verb)) for verb in sense.verbs),
            *_synonyms(sense, declared, lambda slot: _is_any_word(command, slot)),
        ),
        frozenset(map(fold, sense.about)),
        frozenset(map(fold, sense.key)),
        {first: tuple(found) for first, found in cues.items()},
        {first: tuple(found) for first, found in flags.items()},
        frozenset(map(fold, sense.never)),
        frozenset(fold(word) for slot in sense.slots for cue in slot.cues for word in cue),
    )


@cache
def _row(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words, folded. Most commands declare the same ones, which are kept once."""
    return tuple(map(fold, words))


def _is_any_word(command: Command, slot: Slot) -> bool:
    shape = slot.shape or command.kind(slot.parameter)
    return shape in ("word", "name", "text")


def _synonyms(sense: Sense, declared: frozenset[tuple[str, ...]], is_open: Callable[[Slot], bool]) -> Iterator[Verb]:
    """The verbs that mean what one of the sense's own does; one that some tool declares says that one first.

    Where any word could be the object, and no noun says what it is about, other verbs would mean anything.
    """
    own = {_folded(verb) for verb in sense.verbs}
    if not sense.key and any(slot.is_object and is_open(slot) for slot in sense.slots):
        return
    for verb in sense.verbs:
        for other in same_as(verb):
            if (parts := _folded(other)) not in own:
                own.add(parts)
                yield Verb(parts, _FOR_ANOTHERS if parts in declared else _FOR_SYNONYM)


def _folded(parts: tuple[str, ...]) -> tuple[str, ...]:
    kept = tuple(part if part == GAP else fold(part) for part in parts if part not in ("a", "an", "the"))
    return kept or parts


@lru_cache(maxsize=4)
def lexicon_of(registry: Registry) -> Lexicon:
    """The lexicon of a registry, made once."""
    return Lexicon(registry)
