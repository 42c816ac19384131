"""The texts of a decision: limited, and without characters that hide or rearrange others."""

from __future__ import annotations

import unicodedata

from review.errors import WordsRefused

LONGEST = 4_000
_ALLOWED_CONTROLS = frozenset("\n\t")
# Explicit direction marks, overrides and isolates: they make text look different from what is stored.
_BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def taken(text: str, field: str, *, required: bool = False) -> str:
    """The text as it will be stored: newlines normalised, ends trimmed. Raises WordsRefused with the problem."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if required and not text:
        raise WordsRefused(field, "Write a few words: the planner and the submitter read them.")
    if len(text) > LONGEST:
        raise WordsRefused(field, f"Shorten this to {LONGEST:,} characters or fewer; it has {len(text):,}.")
    for char in text:
        if _hides(char):
            raise WordsRefused(field, f"Remove the hidden character U+{ord(char):04X}: nobody could see it.")
    return text


def _hides(char: str) -> bool:
    if char in _ALLOWED_CONTROLS:
        return False
    return char in _BIDIRECTIONAL or unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")
