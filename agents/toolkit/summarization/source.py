"""What of a program's source is written for people: its comments and docstrings. Pure; guessed from how lines look.

No language is parsed. A line that looks like code in one of the common ones is code, and a text most of whose lines do
is a source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LOOKED_AT = 400
_MOSTLY = 0.35
_CODE = re.compile(
    r"\s*(?:(?:from\s+[\w.]{1,80}\s+)?import\s+[\w.*{(]|(?:async\s+)?def\s+\w{1,80}\s?\(|class\s+\w{1,80}\s?[(:{]|@\w{1,80}"
    r"(?:[.(].{0,200})?$|return\b.{0,200}[\w)\]}\"']$|(?:if|elif|for|while|with|try|except|else|finally)\b.{0,200}:$"
    r"|[}\])]{1,4}[;,:]?$|[\w.\[\]\"']{1,80}\s?[-+*/|&]?=\s?[^\s=].{0,400}$|[\w.]{1,80}\([^()]{0,200}\)?[;,{:]?$"
    r"|\S.{0,400}[{;]$|\#include|(?:const|let|var|func|fn|public|private|static|package|using)\s+\w{1,80}\s?[=({:;.<])"
)
_COMMENT = re.compile(r"\s*(?:#+!?|//+!?|--|;;+)\s?")
_QUOTES = re.compile(r"[rRbBuUfF]{0,2}(\"\"\"|''')")
_STAR = re.compile(r"\s*\*(?!/)\s?")


def is_code(line: str) -> bool:
    """Whether the line looks like one of a program."""
    return _CODE.match(line) is not None and not is_prose(line)


def is_prose(line: str) -> bool:
    """Whether the line reads like a sentence, also where it is indented or ends like code."""
    words = line.split()
    plain = sum(word.strip(".,;:!?()\"'“”").isalpha() for word in words)
    return len(words) >= 6 and plain >= 0.8 * len(words)


def is_source(lines: list[str]) -> bool:
    """Whether the text is a program for the most part."""
    told = [line for line in lines[:_LOOKED_AT] if line.strip()]
    code = sum(is_code(line) for line in told)
    return len(told) >= 8 and code >= _MOSTLY * len([line for line in told if not _COMMENT.match(line)]) and code >= 5


def comments(lines: list[str]) -> list[str]:
    """Each line as what it says to people, empty where it is code; as many lines as there were."""
    return list(_comments(lines))


def _comments(lines: list[str]) -> Iterator[str]:
    closing = ""
    for line in lines:
        said = line.strip()
        if closing:
            text, end, _ = said.partition(closing)
            closing = "" if end else closing
            yield _STAR.sub("", text, count=1) if text.startswith("*") else text
        elif (found := _QUOTES.match(said)) or said.startswith("/*"):
            opened = found[1] if found else "*/"
            text, end, _ = said[found.end() if found else 2 :].lstrip("*").partition(opened)
            closing = "" if end else opened
            yield text.strip()
        elif comment := _COMMENT.match(line):
            yield line[comment.end() :].strip()
        else:
            yield ""
