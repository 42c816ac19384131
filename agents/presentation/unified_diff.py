"""A unified diff as the lines that pages draw: each with its two numbers, folds between the hunks (pure).

The diff comes from the jail. What does not read as one is shown as the text it is, never left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from agents.presentation.line_diff import DiffLine

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_LOOKS = {"-": "d", "+": "a", " ": ""}


@dataclass(frozen=True)
class FileDiff:
    """What changes in one file."""

    path: str
    lines: tuple[DiffLine, ...]

    @property
    def deleted(self) -> int:
        return sum(line.look == "d" for line in self.lines)

    @property
    def added(self) -> int:
        return sum(line.look == "a" for line in self.lines)


def read(diff: str) -> list[FileDiff]:
    """The files of a diff, in its order."""
    return [FileDiff(path, tuple(_lines(body))) for path, body in _files(diff.split("\n"))]


def _files(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Each file's path with the lines below its two heads. Within a hunk a line that looks like a head is none."""
    path, body, old_left, new_left = "", [], 0, 0  # type: str, list[str], int, int
    for line in lines:
        hunk = _HUNK.match(line)
        if hunk and not old_left and not new_left:
            old_left, new_left = int(hunk[2] or 1), int(hunk[4] or 1)
        elif old_left or new_left:
            old_left -= line[:1] in ("-", " ")
            new_left -= line[:1] in ("+", " ")
        elif line.startswith("--- "):
            if body:
                yield path, body
            path, body = "", []
            continue
        elif line.startswith("+++ "):
            path = line.removeprefix("+++ ").removeprefix("b/")
            continue
        elif not line:
            continue
        body.append(line)
    if body:
        yield path, body


def _lines(body: Iterable[str]) -> Iterator[DiffLine]:
    old = new = 1
    for line in body:
        if hunk := _HUNK.match(line):
            skipped, old, new = int(hunk[1]) - old, int(hunk[1]), int(hunk[3])
            if skipped > 0:
                yield DiffLine("h", None, None, f"{skipped:,} line{'' if skipped == 1 else 's'} the same")
            continue
        look = _LOOKS.get(line[:1])
        if look is None:
            said = "the line above ends the file without a line feed" if line.startswith("\\ ") else line
            yield DiffLine("h", None, None, said)
            continue
        yield DiffLine(look, old if look != "a" else None, new if look != "d" else None, line[1:])
        old, new = old + (look != "a"), new + (look != "d")
