"""The sentences of a text that may be prose, Markdown, a list, a log or a script without spaces. Pure and linear.

Code, tables and headings hold no sentence that says something alone, so they are left aside. Everything is bounded by
the length of the text: no pattern here looks further than one line or one piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from agents.toolkit.summarization.source import comments, is_code, is_prose, is_source

# What is longer is cut, at a lesser mark or between words: a sentence of a page says nothing about where it matters.
MOST_CHARS = 400
_FENCE = re.compile(r" {0,3}(```|~~~)")
_UNDERLINE = re.compile(r"\s*([=\-~^\"'#*+.:_`])\1{2,}\s*$")
_HEADING = re.compile(r" {0,3}#{1,6}(\s|$)")
_ITEM = re.compile(r"\s*(?:[-*+•·–]|\(?\d{1,3}[.)]|\(?[a-z][.)]|#\.)\s+")
_QUOTE = re.compile(r" {0,3}(?:> ?){1,5}")
_INDENTED = re.compile(r"(?: {4}|\t)")
_TABLE = re.compile(r"\s*[|+]|.*\s\|\s.*\s\|")
# reStructuredText: directives, comments, targets and fields; HTML: a line that is nothing but tags.
_MARKUP = re.compile(r"\s*(?:\.\.(?:\s|$)|:[\w -]{1,40}:(?:\s|$)|<[^<>]{0,300}>\s*$|<!--)")
_PROMPT = re.compile(r"\s*(?:>>>|\.\.\. |\$ |%\s?pip )")
_TARGET = r"(?:\((?:[^()\s]|\([^()\s]{0,100}\)){0,400}(?:\s[^()]{0,200})?\)|\[[^\[\]]{0,100}\])"
_IMAGE = re.compile(r"!\[[^\[\]]{0,300}\]" + _TARGET)
_LINK = re.compile(r"\[([^\[\]]{0,300})\]" + _TARGET)
_RST_LINK = re.compile(r"`([^`<>]{1,200}) <[^<>`]{1,500}>`_{1,2}")
_ROLE = re.compile(r":[a-z]+(?::[a-z]+)?:`~?([^`]{1,200})`")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>")
# Who made a change and where it was discussed, as lists of releases say it behind each line.
_CREDIT = re.compile(
    r"(?: by @[\w-]{1,40}(?:\[bot\])?(?: in (?:[\w-]{0,40}#\d+|https?://\S+))?\.?| \((?:closes |fixes )?#\d+\))$",
    re.IGNORECASE,
)
# A mark, what closes after it, and then a space; in scripts that put no space behind their marks, none is needed.
_END = re.compile(r"[.!?…]+[\"'”’»)\]*_]{0,4}(?=\s)|[。！？｡．]+[」』”’）]{0,3}|[؟۔।॥።](?=\s|$)")
_LESSER = re.compile(r"[;:,；：，、،](?=\s|[^\x00-\u2fff])")
_LAST_WORD = re.compile(r"([^\s(\[\"'“]{1,20})\.$")
_ABBREVIATED = """
    approx art bzw ca cf ch dept dr e.g eg ed eds eq esp est et fig figs gen govt hr i.e ie incl lt max min misc mr mrs
    ms nr nos op p pp ph.d prof ref refs rev resp sec sr st seq tab u.a ver viz vol vs z.b jan feb mar apr jun jul aug
    sep sept oct nov dec mon tue wed thu fri sat sun u.s etc inc ltd corp co jr usw a.m p.m no
"""
_ABBREVIATIONS = frozenset(_ABBREVIATED.split())
_MAY_END = frozenset({"etc", "inc", "ltd", "corp", "co", "jr", "usw", "a.m", "p.m", "no"})
_LINES_ALIKE = 6
_SIGNATURE_LINES = 20
# The head of a message or of a package's description: names with values, of which few say anything.
_FIELD = re.compile(r"[A-Za-z][\w-]{1,30}: ")
_FIELDS = 4


@dataclass(frozen=True)
class Sentence:
    """A sentence on one line, at most 400 characters long, and where it stands.

    `section` counts the headings before it, `heading` is the last of them, `under` that one with those above it.
    `is_item`: it is of a list; `is_quoted`: somebody else's words; `is_whole`: not a piece of a longer one.
    """

    text: str
    section: int = 0
    heading: str = ""
    under: str = ""
    is_item: bool = False
    is_quoted: bool = False
    is_whole: bool = True


def split(text: str) -> list[str]:
    """The sentences in their order, without where they stand."""
    return [sentence.text for sentence in read(text)]


def read(text: str) -> list[Sentence]:
    """The sentences in their order."""
    lines = text.splitlines()
    if is_source(lines):
        lines = comments(lines)
    return [sentence for block in _Reader().blocks(lines) for sentence in _sentences(block)]


def _sentences(block: Sentence) -> Iterator[Sentence]:
    for piece in _pieces(block.text):
        cut = list(_short(piece))
        yield from (replace(block, text=one, is_whole=len(cut) == 1) for one in cut)


def _outside_fences(lines: Sequence[str]) -> Iterator[tuple[int, str | None]]:
    """The lines outside of fenced code, each with its number; a fence itself is None."""
    fence = ""
    for number, line in enumerate(lines):
        if found := _FENCE.match(line):
            fence = "" if fence == found[1] else fence or found[1]
            yield number, None
        elif not fence:
            yield number, line


class _Reader:
    """Goes through lines and gives paragraphs and items of lists, each on one line, with where they stand."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.section = 0
        self.headings: list[tuple[int, str]] = []
        self.underlines = ""
        self.is_item = self.is_quoted = False
        self.was_blank, self.in_list = True, False

    def _value(self, line: str) -> Iterator[Sentence]:
        value = _FIELD.sub("", line, count=1)
        if value != line and is_prose(value):
            yield self._block(_bare(value))

    def _headed(self, line: str, underline: re.Match[str] | None, heading: re.Match[str] | None) -> Iterator[Sentence]:
        """Ends what stands above a heading; an underlined one is the line above."""
        above = self.lines.pop() if underline and self.lines else ""
        yield from self._flush()
        if underline and above:
            self._begin(above, self._depth(underline[1]))
        elif heading and not underline:
            self._begin(line[heading.end() :].strip(" #"), heading[0].count("#"))

    def _is_left(self, line: str, *, is_apart: bool) -> bool:
        """Code, tables, markup and prompts. Indented behind an empty line is code, unless it belongs to a list or
        reads like a sentence.
        """
        if _TABLE.match(line) or _MARKUP.match(line) or _PROMPT.match(line):
            return True
        if _ITEM.match(line):
            return False
        is_indented = is_apart and _INDENTED.match(line) is not None and not is_prose(line)
        return is_indented or (not self.lines and is_code(line))

    def blocks(self, lines: list[str]) -> Iterator[Sentence]:
        """All blocks in their order."""
        front = bool(lines) and lines[0].strip() == "---"
        for number, whole in _outside_fences(lines):
            if whole is None:
                yield from self._flush()
                continue
            quote = _QUOTE.match(whole)
            if bool(quote) is not self.is_quoted:
                yield from self._flush()
                self.is_quoted, self.was_blank = bool(quote), True
            line = whole[quote.end() :] if quote else whole
            if front:  # names and values before a document
                front = number == 0 or line.strip() != "---"
                yield from self._value(line) if front else ()
            elif line.rstrip() == "--" and self.was_blank and number > len(lines) - _SIGNATURE_LINES:
                return
            else:
                yield from self._line(line)
        yield from self._flush()

    def _line(self, line: str) -> Iterator[Sentence]:
        """Takes one line of the text up, and gives the block that it ends."""
        if not line.strip():
            yield from self._flush()
            self.was_blank = True
            return
        underline, heading = _UNDERLINE.match(line), _HEADING.match(line)
        if underline or heading:
            yield from self._headed(line, underline, heading)
            self.was_blank = self.was_blank or underline is not None
            self.in_list = self.in_list and underline is not None
            return
        if self._is_left(line, is_apart=not self.in_list and (self.was_blank or not self.lines)):
            yield from self._flush()
            self.in_list = False
            return
        if _ITEM.match(line):
            yield from self._flush()
            line = _ITEM.sub("", line, count=1)
            self.is_item = self.in_list = True
        else:
            self.in_list = self.in_list and (not self.was_blank or line.startswith((" ", "\t")))
        self.lines.append(line.strip())
        self.was_blank = False

    def _begin(self, heading: str, depth: int) -> None:
        self.section += 1
        self.headings = [*[one for one in self.headings if one[0] < depth][-5:], (depth, _bare(heading)[:200])]

    def _depth(self, mark: str) -> int:
        """In reStructuredText the order in which the marks first come says which is above which."""
        if mark not in self.underlines:
            self.underlines += mark
        return self.underlines.index(mark) + 1

    def _block(self, text: str) -> Sentence:
        names = [name for _, name in self.headings]
        under = " / ".join(names)
        return Sentence(text, self.section, names[-1] if names else "", under, self.is_item, self.is_quoted)

    def _flush(self) -> Iterator[Sentence]:
        for text in _paragraph(self.lines):
            yield self._block(text)
        self.lines, self.is_item = [], False


def _paragraph(lines: list[str]) -> Iterator[str]:
    """One block, or each line for itself where no line ends a sentence: logs, verses, plain lists."""
    if not lines:
        return
    if sum(_FIELD.match(line) is not None for line in lines) >= max(_FIELDS, len(lines) / 2):
        values = (_FIELD.sub("", line, count=1) for line in lines)
        yield from (_bare(value) for value in values if is_prose(value))
        return
    joined = " ".join(lines)
    ends = len(_END.findall(joined + " "))
    # Prose that was wrapped goes on with small letters in its next line, or shouts all the time.
    goes_on = sum(line[:1].islower() for line in lines[1:])
    is_wrapped = goes_on * 4 >= len(lines) or joined.isupper()
    if len(lines) >= _LINES_ALIKE and ends * 4 < len(lines) and not is_wrapped:
        yield from (_bare(line) for line in lines)
    else:
        yield _bare(joined)


def _bare(line: str) -> str:
    """Without the marks of Markdown, reStructuredText and HTML that only say how it looks."""
    line = _IMAGE.sub("", line)
    line = _LINK.sub(r"\1", line)
    line = _RST_LINK.sub(r"\1", line)
    line = _ROLE.sub(r"\1", line)
    line = _TAG.sub("", line)
    line = _CREDIT.sub("", line)
    line = re.sub(r"\*\*|__(?=\w)|(?<=\w)__(?!\w)|``", "", line)
    return " ".join(line.split())


def _pieces(block: str) -> Iterator[str]:
    start = 0
    for found in _END.finditer(block + " "):
        if found[0][0] in ".…" and not _ends_here(block, start, found):
            continue
        yield block[start : found.end()].strip()
        start = found.end()
    if rest := block[start:].strip():
        yield rest


def _ends_here(block: str, start: int, found: re.Match[str]) -> bool:
    """Whether a full stop ends a sentence, and no abbreviation, initial or number of a list."""
    after = block[found.end() : found.end() + 12].lstrip(" \"'“‘(*_`[")
    if after and after[0].islower():
        return False
    last = _LAST_WORD.search(block[max(start, found.start() - 24) : found.start() + 1])
    word = last[1].lower() if last else ""
    if word in _ABBREVIATIONS:
        return word in _MAY_END and (not after or not after[0].isdigit())
    return not (len(word) == 1 and word.isalpha() and last is not None and last[1].isupper()) or not after


def _short(piece: str) -> Iterator[str]:
    """The piece, cut where it is too long: at a lesser mark in its second half, else between words."""
    while len(piece) > MOST_CHARS:
        marks = [found.end() for found in _LESSER.finditer(piece, MOST_CHARS // 2, MOST_CHARS)]
        at = marks[-1] if marks else piece.rfind(" ", MOST_CHARS // 2, MOST_CHARS) + 1 or MOST_CHARS
        yield piece[:at].strip()
        piece = piece[at:].strip()
    if piece:
        yield piece
