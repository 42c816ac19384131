"""Progress messages, and the spelling of names in results."""

from __future__ import annotations

import os
import sys
import time

MOST_CHARS = 300
_TELLS_EVERY_S = 2.0
_told_at = 0.0


def tell(text: str) -> None:
    """A line for the live log."""
    sys.stderr.write(shown(text, 500) + "\n")
    sys.stderr.flush()


def tell_sometimes(text: str) -> None:
    """A line for the live log, unless there was one just now."""
    global _told_at
    now = time.monotonic()
    if now - _told_at >= _TELLS_EVERY_S:
        _told_at = now
        tell(text)


def shown(text: str, most: int = MOST_CHARS) -> str:
    """Valid UTF-8 text without line feeds; the middle of a long one is left out."""
    said = os.fsencode(text).decode("utf-8", "backslashreplace")
    said = "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in said)
    half = most // 2
    return said if len(said) <= most else f"{said[:half]}…{said[-half:]}"


def counted(number: int, one: str, many: str = "") -> str:
    """`1 file`, `2,000 files`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
