"""Two texts compared line by line: within a hunk deletions first, nothing that differs is ever folded (pure)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

# Unchanged lines shown around a change; longer runs fold and say how many lines they hold.
AROUND = 3


@dataclass(frozen=True)
class DiffLine:
    """One line. `look`: "d" deleted, "a" added, "h" a fold of unchanged lines, "" unchanged. Numbers count from 1."""

    look: str
    old: int | None
    new: int | None
    text: str


@dataclass(frozen=True)
class LineDiff:
    """All lines, and how many were deleted and added."""

    lines: tuple[DiffLine, ...]
    deleted: int
    added: int


def compare(old: str, new: str) -> LineDiff:
    """Return what leads from the old text to the new one."""
    before, after = old.splitlines(), new.splitlines()
    lines = tuple(_lines(before, after))
    return LineDiff(lines, sum(line.look == "d" for line in lines), sum(line.look == "a" for line in lines))


def _lines(before: Sequence[str], after: Sequence[str]) -> Iterator[DiffLine]:
    for kind, old_from, old_to, new_from, new_to in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from _same(before, old_from, old_to, new_from, new_to == len(after))
            continue
        for number in range(old_from, old_to):
            yield DiffLine("d", number + 1, None, before[number])
        for number in range(new_from, new_to):
            yield DiffLine("a", None, number + 1, after[number])


def _same(before: Sequence[str], start: int, end: int, new_start: int, is_last: bool) -> Iterator[DiffLine]:
    shift = new_start - start
    head = 0 if start == 0 and new_start == 0 else AROUND
    tail = 0 if is_last else AROUND
    hidden = end - start - head - tail
    for number in range(start, end):
        # Folding one or two lines would save nothing.
        if hidden > 2 and start + head <= number < end - tail:
            if number == start + head:
                text = f"lines {number + 1} to {number + hidden} stay the same"
                yield DiffLine("h", None, None, text)
            continue
        yield DiffLine("", number + 1, number + 1 + shift, before[number])
