"""What people may be called, so that nobody reads one person's name as another's. Pure.

The script of a character is the first word of its name in Unicode, which is what Python knows of it.
"""

from __future__ import annotations

import unicodedata

# Scripts that one language writes a word with.
_TOGETHER = (
    frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"}),
    frozenset({"CJK", "HANGUL"}),
    frozenset({"CJK", "BOPOMOFO"}),
)
# Letters and marks that draw nothing: U+3164 HANGUL FILLER, U+FE00 VARIATION SELECTOR-1, U+034F …
_DRAW_NOTHING = ("FILLER", "VARIATION SELECTOR", "GRAPHEME JOINER", "VOWEL INHERENT")


def problem(name: str) -> str:
    """Why a name could be taken for another one, as a sentence; empty when it cannot.

    Letters that look alike within one script (a Latin alpha, a Cyrillic name that reads as a Latin word) are not found.
    """
    for char in name:
        if _is_hidden(char):
            return f"It contains U+{ord(char):04X}, which nobody can see. Leave it out."
    composed = unicodedata.normalize("NFC", name)
    if unicodedata.normalize("NFKC", composed) != composed:
        return "It contains letters in another form, such as wide ones. Write it with plain letters."
    scripts = {script for char in composed if (script := _script(char))}
    if len(scripts) > 1 and not any(scripts <= together for together in _TOGETHER):
        known = " and ".join(sorted(script.capitalize() for script in scripts))
        return f"It mixes letters of several scripts ({known}), which can look alike. Use one script."
    return ""


def _is_hidden(char: str) -> bool:
    category = unicodedata.category(char)
    if category[0] == "C" or (category[0] == "Z" and char != " "):
        return True
    return any(words in unicodedata.name(char, "") for words in _DRAW_NOTHING)


def _script(char: str) -> str:
    """Empty for what every script uses: punctuation, digits 0 to 9, combining accents."""
    if char.isascii() and not char.isalpha():
        return ""
    if unicodedata.category(char)[0] not in "LMN":
        return ""
    word = unicodedata.name(char, "").partition(" ")[0]
    return "" if word == "COMBINING" else word
