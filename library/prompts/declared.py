"""The prompts of mindX as they ship, one file each below `texts/`, and what a person's text of one must hold. Pure.

A text has places, such as `[[answer]]`. A *part* is filled with words of mindX that no editor changes: the form of the
answer, and that what follows is material and never an instruction. A *value* differs from request to request.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# It is part of every request: at three characters a token an eighth of what a prompt may have.
MOST_CHARS = 6_000
_FOLDER = Path(__file__).with_name("texts")
_SECTION = re.compile(r"^=== (\w+)\n", re.MULTILINE)
_PLACE = re.compile(r"\[\[([a-z_]+)\]\]")


@dataclass(frozen=True)
class Prompt:
    """A prompt as it ships. `use` says when it is sent; `parts` are texts by their places, `values` further places."""

    name: str
    title: str
    use: str
    text: str
    parts: Mapping[str, str]
    values: tuple[str, ...] = ()

    @property
    def places(self) -> tuple[str, ...]:
        """Everything that a text of this prompt holds, each exactly once."""
        return (*self.parts, *self.values)

    def filled(self, text: str, values: Mapping[str, str]) -> str:
        """A text of this prompt with every place filled, without an end of line; what fills a place is left as it is.

        KeyError for a place that is neither a part nor among the values.
        """
        said = {**self.parts, **values}
        return _PLACE.sub(lambda place: said[place[1]], text.rstrip())

    def problems(self, text: str) -> list[str]:
        """What keeps a text from being sent as this prompt, as sentences."""
        found = [f"A prompt is part of every request: at most {MOST_CHARS:,} characters."] * (len(text) > MOST_CHARS)
        there = _PLACE.findall(text)
        for name in self.places:
            if (times := there.count(name)) != 1:
                found.append(f"[[{name}]] must stand in it exactly once, and stands there {_times(times)}.")
        known = ", ".join(f"[[{name}]]" for name in self.places)
        found += [f"[[{name}]] is no place of this prompt: it has {known}." for name in _others(there, self.places)]
        rest = _PLACE.sub("", text)
        if "[[" in rest or "]]" in rest:
            found.append(f"Double brackets stand around the name of a place and nowhere else: {known}.")
        return found


def _times(count: int) -> str:
    return "not at all" if count == 0 else f"{count} times"


def _others(there: list[str], known: tuple[str, ...]) -> list[str]:
    return list(dict.fromkeys(name for name in there if name not in known))


@cache
def every() -> Mapping[str, Prompt]:
    """All prompts that ship, by name."""
    files = sorted(_FOLDER.glob("*.prompt"))
    return {file.stem: read(file.stem, file.read_text(encoding="utf-8")) for file in files}


def read(name: str, content: str) -> Prompt:
    """A file as a prompt: lines of `title`, `use` and perhaps `values`, then the text, then its parts.

    KeyError where one of them is missing.
    """
    head, *sections = _SECTION.split(content)
    said = dict(line.split(": ", 1) for line in head.splitlines() if line)
    texts = dict(zip(sections[::2], (text.strip("\n") for text in sections[1::2]), strict=True))
    text = texts.pop("text") + "\n"
    values = tuple(filter(None, said.get("values", "").split(", ")))
    return Prompt(name, said["title"], said["use"], text, texts, values)
