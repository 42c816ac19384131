"""Text as words that know where they stand: the ground under goals, triggers and phrases.

A goal is read *loosely* (punctuation around words does not count), a line of a rule or of a hand-written plan *exactly*
(quoted text knows escapes, values keep every character). Quoted text is a group: a slot takes it whole or not at all.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "„": "“", "‘": "’", "«": "»"}
_IN_WORD = re.compile(rf"[^\s{re.escape(''.join(QUOTES))}]+")
_OPENS_AFTER = set(" \t\r\n([{=:,")
_LEADING = "([{<—–\"'"
# Signs that part words in a goal but say nothing themselves.
_SIGNS = frozenset("-—–*•+&|=<>#,.;:!?…()")
_TRAILING = ".,;:!?)]}>*…—–"
_SYNONYMS = {"directory": "folder", "directories": "folders", "called": "named"}
_BREAK = re.compile(r"\\(\\[nt]|[nt])")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
# What stands in quotes may need an escape, unless it is one of the characters that every English text is made of.
_NOT_AS_IT_IS = re.compile(r"[^ !#-\[\]-~]")
_PLAIN = re.compile(r"(?:[A-Za-z0-9_.][A-Za-z0-9_./@+-]*)?[A-Za-z0-9_/]\Z")
_KEYWORDS = frozenset({"RULE", "PRIORITY", "IF", "OR", "CONSIDERING", "AND", "NOT", "UNLESS", "THEN", "PLAN", "ON"})
# Names are said again and again; longer values, of which one may be a whole file, are not kept.
_MOST_KEPT = 255
NOISE = frozenset({"a", "an", "the", "please", "kindly"})


@dataclass(frozen=True, slots=True)
class Word:
    """`text` is folded for comparing; `start:end` is the bare word, `outer_start:outer_end` with its punctuation."""

    text: str
    start: int
    end: int
    outer_start: int
    outer_end: int
    group: int = -1


@dataclass(frozen=True, slots=True)
class Group:
    """Quoted text: `start:end` is what stands between the quotes, `first:last` its words, `source` the atom it came
    from.
    """

    start: int
    end: int
    outer_start: int
    outer_end: int
    first: int
    last: int


@dataclass(frozen=True)
class Text:
    """A text with its words and quoted groups; `exact` texts keep every character of a value."""

    raw: str
    words: tuple[Word, ...]
    groups: tuple[Group, ...]
    exact: bool = False

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Its words as they are compared, each once."""
        return frozenset(word.text for word in self.words)

    def value(self, first: int, last: int) -> Value:
        """Return what the words `first` to `last` (exclusive) say: a whole group without its quotes, else as it is."""
        group = self.groups[self.words[first].group] if self.words[first].group >= 0 else None
        if group is not None and (group.first, group.last) == (first, last):
            return Value(self.raw[group.start : group.end], (group.start, group.end), quoted=True)
        start, end = self._outer_start(first), self._outer_end(last)
        return Value(self.raw[start:end], (start, end), quoted=False)

    def word_value(self, index: int) -> Value:
        """Return one bare word, without the punctuation around it."""
        word = self.words[index]
        return Value(self.raw[word.start : word.end], (word.start, word.end), quoted=False)

    def _outer_start(self, first: int) -> int:
        word = self.words[first]
        return self.groups[word.group].outer_start if word.group >= 0 else word.outer_start

    def _outer_end(self, last: int) -> int:
        word = self.words[last - 1]
        if word.group >= 0:
            return self.groups[word.group].outer_end
        if self.exact:
            return word.outer_end
        return max(word.end, word.outer_start + len(self.raw[word.outer_start : word.outer_end].rstrip(".,;:")))


@dataclass(frozen=True, slots=True)
class Value:
    """A piece of a text: its characters, its span there, and whether it stood in quotes."""

    raw: str
    span: tuple[int, int]
    quoted: bool


def fold(word: str) -> str:
    """Return a word as it is compared: compatibility forms unified, case folded, a few synonyms merged."""
    # Nearly every word is plain letters, in which nothing has another form.
    unified = word if word.isascii() else unicodedata.normalize("NFKC", word).replace("’", "'")
    folded = unified.casefold()
    # The tools declare half a million words, of which few are different: each is kept once.
    return sys.intern(_SYNONYMS.get(folded, folded))


def read_text(raw: str, *, exact: bool = False, atoms: Sequence[tuple[int, int]] = ()) -> Text:
    """Split a text into words and quoted groups.

    `atoms` are spans to be taken as one group each whatever they contain: values that were filled in, which must never
    be read as words of the language. An opening quote that is never closed is an ordinary character.
    """
    words: list[Word] = []
    groups: list[Group] = []
    starts = dict(atoms)
    hopeless: set[str] = set()
    at = 0
    while at < len(raw):
        if at in starts:
            end = starts[at]
            _add_group(raw, words, groups, (at, end), (at, end))
            at = end
        elif raw[at].isspace():
            at += 1
        elif (close := closing_quote(raw, at, exact, starts, hopeless)) is not None:
            _add_group(raw, words, groups, (at + 1, close), (at, close + 1))
            at = close + 1
        else:
            at = _add_word(raw, words, at, starts, exact, hopeless)
    return Text(raw, tuple(words), tuple(groups), exact)


def closing_quote(
    raw: str, at: int, exact: bool, atoms: Mapping[int, int] | None = None, hopeless: set[str] | None = None
) -> int | None:
    """Return where the quotation that opens at `at` closes, or None when none opens there; atoms are stepped over.

    A caller that goes through a text from left to right hands over one set `hopeless`: once a mark was found to close
    nowhere behind a place, nobody looks for it again, which keeps reading linear in the length of the text.
    """
    close = QUOTES.get(raw[at])
    if close is None or (at > 0 and raw[at - 1] not in _OPENS_AFTER) or (hopeless is not None and close in hopeless):
        return None
    position = at + 1
    while position < len(raw):
        if atoms and position in atoms and atoms[position] > position:
            position = atoms[position]
            continue
        char = raw[position]
        if exact and char == "\\":
            position += 2
            continue
        following = raw[position + 1 : position + 2]
        if char == close and not (following and (following.isalnum() or following == "_")):
            return position
        position += 1
    if hopeless is not None:
        hopeless.add(close)
    return None


def _add_group(
    raw: str, words: list[Word], groups: list[Group], inner: tuple[int, int], outer: tuple[int, int]
) -> None:
    first, number = len(words), len(groups)
    for found in re.finditer(r"\S+", raw[inner[0] : inner[1]]):
        start, end = inner[0] + found.start(), inner[0] + found.end()
        words.append(Word(fold(raw[start:end].strip(_TRAILING)), start, end, start, end, number))
    if len(words) == first:
        words.append(Word("", inner[0], inner[1], inner[0], inner[1], number))
    groups.append(Group(*inner, *outer, first, len(words)))


def _within_word(raw: str, at: int, atoms: Mapping[int, int]) -> int:
    """The next place at which a word may end: before it nothing is a space or could open a quotation."""
    # One search instead of a look at each character. Filled-in values, which few texts have, may begin anywhere.
    return at if atoms or not (found := _IN_WORD.match(raw, at)) else found.end()


def _add_word(raw: str, words: list[Word], at: int, atoms: Mapping[int, int], exact: bool, hopeless: set[str]) -> int:
    end = _within_word(raw, at + 1, atoms)
    while end < len(raw) and not raw[end].isspace() and end not in atoms:
        if closing_quote(raw, end, exact, atoms, hopeless) is not None:
            break
        end = _within_word(raw, end + 1, atoms)
    chunk = raw[at:end]
    after_quote = at > 0 and not raw[at - 1].isspace()
    if exact or (chunk in (".", "..") and not after_quote):
        words.append(Word(fold(chunk), at, end, at, end))
    elif not _SIGNS.issuperset(chunk):
        bare = chunk.rstrip(_TRAILING) or chunk
        lead = len(bare) - len(bare.lstrip(_LEADING) or bare)
        words.append(Word(fold(bare[lead:]), at + lead, at + len(bare), at, end))
    return end


def quote(value: str) -> str:
    """Return a value as one readable piece of a sentence: bare when it is a plain word, else in quotes with escapes.

    Control, formatting and bidirectional characters are always written as escapes, so a name cannot hide or pretend.
    """
    return _quoted(value) if len(value) <= _MOST_KEPT else _quoted.__wrapped__(value)


@lru_cache(maxsize=16_384)
def _quoted(value: str) -> str:
    if _PLAIN.match(value) and fold(value) not in NOISE and value not in _KEYWORDS:
        return value
    return '"' + _NOT_AS_IT_IS.sub(lambda found: _escaped(found[0]), value) + '"'


def _escaped(char: str) -> str:
    known = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char)
    if known is not None:
        return known
    if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"):
        return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
    return char


def unescape(text: str) -> str:
    """Undo the escapes of `quote` and of quoted text in rules: \\n \\t \\r \\" \\\\ \\{ \\} \\uXXXX."""
    return _ESCAPE.sub(lambda found: _unescaped(found.group(1)), text)


def line_breaks(text: str) -> str:
    """Read \\n and \\t in a person's quoted text as a rule reads them; \\\\n stays the two signs.

    Nothing else is an escape there: people quote patterns and paths, whose backslashes are their own.
    """
    return _BREAK.sub(lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[0][1:]), text)


def _unescaped(code: str) -> str:
    if code[0] in "uU" and len(code) > 1:
        number = int(code[1:], 16)
        return chr(number) if number <= 0x10FFFF else "�"
    return {"n": "\n", "t": "\t", "r": "\r"}.get(code, code if code in "\"'`\\{}“”" else "\\" + code)
