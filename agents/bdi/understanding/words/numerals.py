"""Whole numbers as people write them, in the decimal digits of any script."""

from __future__ import annotations

# Longer rows of digits are no count of anything, and Python refuses to convert some thousands of them.
_MOST_DIGITS = 18


def whole_number(text: str) -> int | None:
    """The number that decimal digits write; None for anything else.

    `str.isdigit` is true of “²” and of U+10A40, which `int` refuses; `str.isdecimal` is true of what `int` takes.
    """
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else None
