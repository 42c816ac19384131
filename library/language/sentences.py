"""The sentences of a text that may be prose, Markdown, a list, a log or a script without spaces. Pure and linear.

Code, tables and headings hold no sentence that says something alone, so they are left aside. Everything is bounded by
the length of the text: no pattern here looks further than one line or one piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# What is longer is cut, at a lesser mark or between words: a sentence of a page says nothing about where it matters.
MOST_CHARS = 400
_FENCE = re.compile(r" {0,3}(```|~~~)")
_UNDERLINE = re.compile(r"\s*([=\-~^\"'#*+.:_`])\1{2,}\s*$")
_HEADING = re.compile(r" {0,3}#{1,6}(\s|$)")
_ITEM = re.compile(r"\s*(?:[-*+•·–]|\(?\d{1,3}[.)]|\(?[a-z][.)]|#\.)\s+")
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
# The head of a message or of a package's description: names with values, of which few say anything.
_FIELD = re.compile(r"[A-Za-z][\w-]{1,30}: ")
_FIELDS = 4


def split(text: str) -> list[str]:
    """The sentences in their order, each on one line and at most 400 characters long."""
    return [sentence for block in _blocks(text) for piece in _pieces(block) for sentence in _short(piece)]


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs and items of lists, each as one line."""
    lines: list[str] = []
    fence = ""
    was_blank, in_list = True, False
    for line in text.splitlines():
        if found := _FENCE.match(line):
            yield from _paragraph(lines)
            lines = []
            fence = "" if fence == found[1] else fence or found[1]
            continue
        if fence:
            continue
        line = re.sub(r"^ {0,3}(?:> ?){1,5}", "", line)
        if not line.strip():
            yield from _paragraph(lines)
            lines, was_blank = [], True
            continue
        is_item = _ITEM.match(line) is not None
        # Indented behind an empty line is code, unless it belongs to a list.
        is_code = _INDENTED.match(line) is not None and not is_item and not in_list and (was_blank or not lines)
        if _UNDERLINE.match(line):
            if len(lines) > 1:
                yield from _paragraph(lines[:-1])
            lines, was_blank = [], True  # what stood above it was a heading
            continue
        if is_code and _is_prose(line):
            is_code = False
        if is_code or _HEADING.match(line) or _TABLE.match(line) or _MARKUP.match(line) or _PROMPT.match(line):
            yield from _paragraph(lines)
            lines, in_list = [], False
            continue
        if is_item:
            yield from _paragraph(lines)
            lines = []
            line = _ITEM.sub("", line, count=1)
            in_list = True
        elif was_blank and not line.startswith((" ", "\t")):
            in_list = False
        lines.append(line.strip())
        was_blank = False
    yield from _paragraph(lines)


def _is_prose(line: str) -> bool:
    """Whether an indented line reads like a sentence: documents of plain text indent their paragraphs too."""
    words = line.split()
    plain = sum(word.strip(".,;:!?()\"'“”").isalpha() for word in words)
    return len(words) >= 6 and plain >= 0.8 * len(words)


def _paragraph(lines: list[str]) -> Iterator[str]:
    """One block, or each line for itself where no line ends a sentence: logs, verses, plain lists."""
    if not lines:
        return
    if sum(_FIELD.match(line) is not None for line in lines) >= max(_FIELDS, len(lines) / 2):
        values = (_FIELD.sub("", line, count=1) for line in lines)
        yield from (_bare(value) for value in values if _is_prose(value))
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
