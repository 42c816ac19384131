"""The difference of two texts as rows: deletions first within a change; only unchanged lines are folded."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from review.reading.texts import MOST_NUMBERED_LINES, facts, needs_block, split

CONTEXT = 3
_SAME, _DELETED, _ADDED, _FOLD = "", "d", "a", "h"


@dataclass(frozen=True)
class Row:
    """A line: `kind` is "" (the same), d (deleted), a (added) or h (so many lines stay the same)."""

    kind: str
    old: str
    new: str
    text: str


@dataclass(frozen=True)
class Difference:
    """All rows, and how many lines are deleted and added."""

    rows: tuple[Row, ...]
    deleted: int
    added: int


def whole(text: str, kind: str) -> Difference:
    """A text that is added ("a") or deleted ("d") as a whole."""
    lines = split(text)
    rows = _rows(kind, lines, 1)
    if text and not text.endswith("\n"):
        rows.append(Row(_FOLD, "", "", "no line feed at the end"))
    return Difference(tuple(rows), len(lines) if kind == _DELETED else 0, len(lines) if kind == _ADDED else 0)


def numbered(text: str) -> tuple[Row, ...]:
    """A whole text, every line with its number."""
    lines = split(text)
    rows = [Row(_SAME, row.old, "", row.text) for row in _rows(_DELETED, lines, 1)]
    if len(lines) > 1 and not text.endswith("\n"):
        rows.append(Row(_FOLD, "", "", "no line feed at the end"))
    return tuple(rows)


class InFull:
    """A text that a page shows completely: as running text, or as a block of lines."""

    text: str

    @property
    def is_block(self) -> bool:
        """True if running text would lose parts of it."""
        return needs_block(self.text)

    @property
    def facts(self) -> str:
        """Its size, in words."""
        return facts(self.text)

    @property
    def rows(self) -> tuple[Row, ...]:
        """Its lines, all of them."""
        return numbered(self.text)


def between(before: str, after: str, *, folds: bool = True) -> Difference:
    """The changes from one text to the other, line by line. Without `folds` all unchanged lines are included."""
    old, new = split(before), split(after)
    if max(len(old), len(new)) > MOST_NUMBERED_LINES:
        # Matching takes time quadratic in the number of lines; a long text must not block the page.
        rows = [*_rows(_DELETED, old, 1), *_rows(_ADDED, new, 1)]
        return Difference(tuple(rows), len(old), len(new))
    rows = list(_compared(old, new, folds))
    rows += _ends(before, after)
    return Difference(tuple(rows), sum(row.kind == _DELETED for row in rows), sum(row.kind == _ADDED for row in rows))


def _compared(old: Sequence[str], new: Sequence[str], folds: bool) -> Iterator[Row]:
    codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for number, (tag, old_from, old_to, new_from, new_to) in enumerate(codes):
        if tag == "equal":
            head = 0 if number == 0 else CONTEXT
            tail = 0 if number == len(codes) - 1 else CONTEXT
            yield from _same(old, old_from, old_to, new_from, head if folds else len(old), tail)
        else:
            yield from _rows(_DELETED, old[old_from:old_to], old_from + 1)
            yield from _rows(_ADDED, new[new_from:new_to], new_from + 1)


def _same(old: Sequence[str], start: int, end: int, new_start: int, head: int, tail: int) -> Iterator[Row]:
    folds = end - start > head + tail + 1
    for at in range(start, end):
        if folds and start + head <= at < end - tail:
            if at == start + head:
                first, last = at + 1, end - tail
                said = f"line {first} stays" if first == last else f"lines {first} to {last} stay"
                yield Row(_FOLD, "", "", f"{said} the same")
            continue
        yield Row(_SAME, str(at + 1), str(new_start + at - start + 1), old[at])


def _ends(before: str, after: str) -> list[Row]:
    """A final line feed that is added or deleted is also a change, which no line shows."""
    had, has = before.endswith("\n"), after.endswith("\n")
    if had == has or not before or not after:
        return []
    return [Row(_FOLD, "", "", "a line feed is added at the end" if has else "the line feed at the end is removed")]


def _rows(kind: str, lines: Sequence[str], first: int) -> list[Row]:
    if len(lines) > MOST_NUMBERED_LINES:
        numbers = f"{first}–{first + len(lines) - 1}"
        return [_row(kind, numbers, "\n".join(lines))]
    return [_row(kind, str(number), line) for number, line in enumerate(lines, first)]


def _row(kind: str, number: str, text: str) -> Row:
    return Row(kind, number if kind == _DELETED else "", number if kind == _ADDED else "", text)
