"""What plans of a group say around a value that they say elsewhere: said once for all of them. Pure.

Where each of nine plans makes a folder and writes a file into it, the folder's name is all that differs. The path of
the file is then the same in all of them but for that name: `‹1 path›/README.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from review.reading import members
from review.reading.members import Column, Fact, Key

_OPENS, _CLOSES = "‹", "›"


def framed(
    facts: Sequence[Mapping[Key, Fact]], columns: Sequence[Column]
) -> tuple[tuple[Column, ...], dict[Key, Fact]]:
    """The columns that are left, and what the others say in all plans, with the head of a column in each one's place.

    Nothing is lost: with a plan's value in that place, what is said here is exactly what the plan says.
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
    """What each plan says; nothing when one of them says nothing, or something that could be taken for a place."""
    said = [fact.text for one in facts if (fact := members.cell(one, column)) is not None]
    clear = len(said) == len(facts) and not any(_OPENS in text or _CLOSES in text for text in said)
    return said if clear else []


def _frame(values: Sequence[str], texts: Sequence[str], base: Column) -> str | None:
    """What all texts are around their values; None when they are not alike there."""
    if not values or not texts:
        return None
    if not all(value and value in text for value, text in zip(values, texts, strict=True)):
        return None
    place = f"{_OPENS}{base.head}{_CLOSES}"
    alike = {text.replace(value, place) for value, text in zip(values, texts, strict=True)}
    return alike.pop() if len(alike) == 1 else None
