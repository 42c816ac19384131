"""A trigger as people read it: a sentence with its choices, without the brackets of the notation. Pure.

`(create|start) a [new] project named {name}` is read as `create or start a project named {name}`, and `new` may be said
besides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from agents.toolkit.wording.slots import PIECE

# Nobody writes parts within parts as deep as this.
_DEEPEST = 12


@dataclass(frozen=True)
class Said:
    """The sentence with what it cannot do without, and what may be said besides."""

    sentence: str
    optional: tuple[str, ...] = ()


class _Unreadable(Exception):
    """The brackets of the pattern do not fit."""


def in_words(source: str) -> Said:
    """The pattern in words. One whose brackets do not fit stays as it is written."""
    reader = _Reader(source)
    try:
        sentence = reader.sequence(depth=0)
        if reader.at < len(reader.pieces):
            raise _Unreadable
    except _Unreadable:
        return Said(source)
    return Said(sentence, tuple(reader.optional))


class _Reader:
    """Reads the pieces of a pattern from left to right."""

    def __init__(self, source: str) -> None:
        self.pieces = list(PIECE.finditer(source))
        self.at = 0
        self.optional: list[str] = []

    def sequence(self, depth: int) -> str:
        """The words up to a bracket that closes, or to the end."""
        if depth > _DEEPEST:
            raise _Unreadable
        words: list[str] = []
        while self.at < len(self.pieces):
            _, bracket, _ = self.pieces[self.at].groups()
            if bracket in ("]", ")", "|"):
                break
            self.at += 1
            words.append(self._choice(bracket, depth) if bracket else self.pieces[self.at - 1].group())
        return " ".join(filter(None, words))

    def _choice(self, opening: str, depth: int) -> str:
        """One of several in words. What is optional is kept aside, or stands in brackets within another part."""
        options = [self.sequence(depth + 1)]
        while self._closing() == "|":
            self.at += 1
            options.append(self.sequence(depth + 1))
        if self._closing() != {"[": "]", "(": ")"}[opening]:
            raise _Unreadable
        self.at += 1
        said = _either(options)
        if opening == "(":
            return said
        if depth:
            return f"({said})"
        self.optional.append(said)
        return ""

    def _closing(self) -> str:
        return self.pieces[self.at].group() if self.at < len(self.pieces) else ""


def _either(options: list[str]) -> str:
    """`a, b or c`; a comma too before an `or` between parts that have one of their own."""
    *others, last = options
    if not others:
        return last
    comma = "," if any(re.search(r"\bor\b", option) for option in options) else ""
    return f"{', '.join(others)}{comma} or {last}"
