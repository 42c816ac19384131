"""Characters nobody can see, made visible: foreign text must not look like anything but what it is."""

from __future__ import annotations

import re
import unicodedata
from html import escape

# Letters and marks that draw nothing although their category promises ink.
_INVISIBLE_LETTERS = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    + "".join(map(chr, range(0xFE00, 0xFE10)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_PLAIN = re.compile(r"[\x20-\x7e\n\t]*\Z")
_BYTE_ESCAPES = range(0xDC80, 0xDD00)


def is_hidden(char: str) -> bool:
    """True for a character that shows nothing, moves its neighbours or looks like an ordinary space."""
    if char == " ":
        return False
    category = unicodedata.category(char)
    return category in _HIDDEN_CATEGORIES or category == "Zs" or char in _INVISIBLE_LETTERS


def code_point(char: str) -> str:
    """How a hidden character is written: `U+202E`, or `byte FF` for a byte of a name that is not UTF-8."""
    if ord(char) in _BYTE_ESCAPES:
        return f"byte {ord(char) - 0xDC00:02X}"
    return f"U+{ord(char):04X}"


def name_of(char: str) -> str:
    """What it is called, for the title."""
    if ord(char) in _BYTE_ESCAPES:
        return "a byte that is not UTF-8"
    return unicodedata.name(char, "control character" if unicodedata.category(char) == "Cc" else "no name").lower()


def visible_html(text: str, *, one_line: bool = False) -> str:
    """The text as HTML: escaped, each hidden character replaced by its marked code point.

    Line feeds and tabs are layout and stay, unless `one_line` says that the place shows only one line.
    """
    if _PLAIN.match(text) and not (one_line and ("\n" in text or "\t" in text)):
        return escape(text)
    layout = "" if one_line else "\n\t"
    return "".join(_marked(char) if is_hidden(char) and char not in layout else escape(char) for char in text)


def visible_text(text: str) -> str:
    """The same for places that take no markup (titles, attributes): hidden characters become `[U+202E]`."""
    return "".join(f"[{code_point(char)}]" if is_hidden(char) else char for char in text)


def _marked(char: str) -> str:
    return f'<span class="hidden-char" title="{escape(name_of(char))}">{code_point(char)}</span>'
