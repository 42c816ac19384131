"""Text around a value that plans of a group share, shown once for all of them. Pure.

If each of nine plans makes a folder and writes a file into it, only the folder's name differs. The path of the file
is then the same in all of them except for that name: `‹1 path›/README.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from review.reading import members
from review.reading.members import Column, Fact, Key

_OPENS, _CLOSES = "‹", "›"


def framed(
    facts: Sequence[Mapping[Key, Fact]], columns: Sequence[Column]
) -> tuple[tuple[Column, ...], dict[Key, Fact]]:
    """The remaining columns, and the common text of the others, with the head of a column in place of the value.

    Nothing is lost: with a plan's value in that place, the text is exactly the plan's.
    """
    texts = {column: _texts(facts, column) for column in columns}
    kept: list[Column] = []
    frames: dict[Key, Fact] = {}
    for column in sorted(columns, key=lambda each: sum(map(len, texts[each]))):
        found = next((frame for base in kept if (frame := _frame(texts[base], texts[column], base)) is not None), None)
        if found is None:
            kept.append(column)
        else:
            frames |= {key: Fact(key, found) for key in column.keys}
    return tuple(column for column in columns if column in kept), frames


def _texts(facts: Sequence[Mapping[Key, Fact]], column: Column) -> list[str]:
    """The text of each plan; empty if one of them has none, or one that looks like a placeholder."""
    said = [fact.text for one in facts if (fact := members.cell(one, column)) is not None]
    clear = len(said) == len(facts) and not any(_OPENS in text or _CLOSES in text for text in said)
    return said if clear else []


def _frame(values: Sequence[str], texts: Sequence[str], base: Column) -> str | None:
    """The text around the values that all share; None if it differs."""
    if not values or not texts:
        return None
    if not all(value and value in text for value, text in zip(values, texts, strict=True)):
        return None
    place = f"{_OPENS}{base.head}{_CLOSES}"
    alike = {text.replace(value, place) for value, text in zip(values, texts, strict=True)}
    return alike.pop() if len(alike) == 1 else None
