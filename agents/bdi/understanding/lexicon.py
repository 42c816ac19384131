"""Every declared way of saying a command, ready to be looked up: which words begin one, and which words are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from agents.bdi.understanding.filler import ARTICLES, IDLE
from agents.bdi.understanding.morphology import bases, singular
from agents.bdi.understanding.spelling import is_near
from agents.bdi.understanding.tokens import SIGN, WORD, Token
from agents.rules.words import fold
from agents.toolkit.command import Command
from agents.toolkit.registry import Registry
from agents.toolkit.saying import Sense

GAP = "…"
_SKIPPED = ARTICLES | {"me", "us"}


@dataclass(frozen=True)
class Verb:
    """A verb expression in its sense: its words, folded and without articles."""

    parts: tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """One sense of one command."""

    command: Command
    sense: Sense
    verbs: tuple[Verb, ...]
    about: frozenset[str]
    key: frozenset[str]
    order: int


@dataclass(frozen=True)
class Met:
    """A verb expression found in a clause: which tokens it took, and how many of them are misspelt."""

    used: tuple[int, ...]
    typos: int
    words: int


class Lexicon:
    """What the registry's tools declare, by first word."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.entries = tuple(
            Entry(
                command,
                sense,
                tuple(Verb(_folded(verb)) for verb in sense.verbs),
                frozenset(fold(word) for word in sense.about),
                frozenset(fold(word) for word in sense.key),
                order,
            )
            for order, command in enumerate(registry.commands)
            for sense in registry.said(command).senses
        )

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of the declarations: none of them is a slip of another."""
        found = {part for entry in self.entries for verb in entry.verbs for part in verb.parts}
        found |= {word for entry in self.entries for word in entry.about}
        for entry in self.entries:
            for slot in entry.sense.slots:
                found |= {fold(word) for cue in slot.cues for word in cue} | {fold(word) for word in slot.behind}
            found |= {fold(word) for flag in entry.sense.flags for word in flag}
        return frozenset(found) | IDLE

    @cached_property
    def beginnings(self) -> frozenset[str]:
        """The first words of verb expressions that a clause may begin with."""
        return frozenset(verb.parts[0] for entry in self.entries for verb in entry.verbs)

    @cached_property
    def commands(self) -> dict[str, Command]:
        """Commands by their own name, `write_note`, and by tool and name."""
        found: dict[str, Command] = {}
        for command in self.registry.commands:
            found.setdefault(command.name, command)
            found[f"{command.tool}.{command.name}"] = command
        return found

    def knows(self, word: str) -> bool:
        """Whether a word, in one of its forms, is one of the language's own."""
        return any(base in self.words for base in bases(word)) or singular(word) in self.words

    def is_verb(self, token: Token) -> bool:
        """Whether a clause may begin with this word."""
        if token.kind != WORD:
            return False
        if any(base in self.beginnings for base in bases(token.text)):
            return True
        return not self.knows(token.text) and any(
            self.same(token, verb) is not None for verb in self.beginnings if len(verb) > 3
        )

    def same(self, token: Token, word: str) -> int | None:
        """0 when the token is a form of the word, 1 when it is a slip of it, None when neither."""
        if token.kind == SIGN:
            return 0 if token.value == word else None
        if token.text == word or word in bases(token.text) or singular(token.text) == word:
            return 0
        if token.kind == WORD and len(word) > 3 and not self.knows(token.text):
            spelt = (word, word.replace("yze", "yse").replace("ize", "ise"))
            near = any(is_near(said, one) for said in (token.text, *bases(token.text)) for one in spelt)
            return 1 if near else None
        return None

    def meet(self, verb: Verb, tokens: Sequence[Token], used: frozenset[int] = frozenset()) -> list[Met]:
        """Every place where a verb expression stands in a clause."""
        found = []
        for start in range(len(tokens)):
            if start not in used and (met := self._from(verb.parts, tokens, start, used)):
                found.append(met)
        return found

    def _from(self, parts: tuple[str, ...], tokens: Sequence[Token], start: int, used: frozenset[int]) -> Met | None:
        taken: list[int] = []
        typos, at, gap = 0, start, False
        for part in parts:
            if part == GAP:
                gap = True
                continue
            while at < len(tokens):
                slips = self.same(tokens[at], part) if at not in used else None
                if slips is not None:
                    break
                if not taken or not (gap or tokens[at].text in _SKIPPED):
                    return None
                at += 1
            else:
                return None
            taken.append(at)
            typos += slips or 0
            at, gap = at + 1, False
        return Met(tuple(taken), typos, len(taken))


def _folded(parts: tuple[str, ...]) -> tuple[str, ...]:
    kept = tuple(part if part == GAP else fold(part) for part in parts if part not in ("a", "an", "the"))
    return kept or parts


@lru_cache(maxsize=4)
def lexicon_of(registry: Registry) -> Lexicon:
    """The lexicon of a registry, made once."""
    return Lexicon(registry)
