"""What people write, as it is kept: bounded, and free of control characters."""

from __future__ import annotations

import unicodedata

from agents.record.errors import GoalRefused


def checked(text: str, *, field: str, most: int, empty: str) -> str:
    """The text, stripped; GoalRefused naming `field` when it is empty, too long or holds control characters."""
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise GoalRefused(field, empty)
    if len(text) > most:
        raise GoalRefused(
            field,
            f"This has {len(text):,} characters; {most:,} is the most. Put long material into a file"
            " of the workspace and name it here.",
        )
    bad = next((char for char in text if unicodedata.category(char) in {"Cc", "Cs"} and char not in "\n\t"), None)
    if bad is not None:
        raise GoalRefused(field, f"This holds the control character U+{ord(bad):04X}. Remove it.")
    return text
