"""What a language model gets about one file: its text, the findings that safe fixes leave, and the names that other
files use. Nothing is sent from here: the jail only reads.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Sequence
from typing import Any

from . import names, overview
from .telling import shown, tell
from .walking import LeftOut, Source, sources

Json = dict[str, Any]
MOST_BYTES = 200_000
_MOST_FINDINGS = 200
_HARD_TO_TEST = 10
_WORD = re.compile(rb"[^\W\d]\w*")


class NotSendable(Exception):
    """The file cannot be sent; the message says why."""


def told(path: str, program: str, until: float) -> Json:
    """The file at `path`, relative to the workspace. Raises NotSendable."""
    source = _read(path)
    text = source.content.decode("utf-8")
    looked = overview.look(path, program, time.monotonic() + (until - time.monotonic()) / 2)
    findings = sorted(_findings(looked), key=lambda one: (one["rank"], one["line"]))
    left = len(findings) - _MOST_FINDINGS
    return {
        "path": path,
        "text": text,
        "is_python": source.is_python and names.tree(source.content) is not None,
        "target": looked.target.replace("py3", "3."),
        "findings": findings[:_MOST_FINDINGS],
        "needed": _needed(source, until) if source.is_python else [],
        "notes": [*looked.notes, *([f"{left:,} more findings are not listed."] if left > 0 else [])],
    }


def _read(path: str) -> Source:
    if os.path.isdir(path or "."):
        raise NotSendable(f"{shown(path) or 'the workspace'} is a folder; name one file of it")
    left_out = LeftOut()
    source = next(sources(path, left_out), None)
    if source is None:
        raise NotSendable(f"{shown(path)} is among {next(iter(left_out.counts))}")
    if len(source.content) > MOST_BYTES:
        raise NotSendable(f"{shown(path)} is longer than {MOST_BYTES:,} bytes")
    try:
        source.content.decode("utf-8")
    except UnicodeDecodeError:
        raise NotSendable(f"{shown(path)} is no text in UTF-8") from None
    if not source.content.strip():
        raise NotSendable(f"{shown(path)} is empty")
    if b"\r" in source.content:
        raise NotSendable(f"{shown(path)} has carriage returns (line ends of Windows), which no plan can show")
    return source


def _findings(looked: overview.Looked) -> Iterator[Json]:
    """Findings without a safe fix: dangers first, then faults, then complex functions."""
    for one in looked.security:
        yield {"rank": 0, "line": one.line, "code": one.code, "message": shown(one.message)}
    for one in looked.findings:
        if not one.is_safe:
            yield {"rank": 1, "line": one.line, "code": one.code, "message": shown(one.message)}
    for one in looked.functions:
        if one.complexity > _HARD_TO_TEST:
            message = f"{shown(one.name)} has {one.complexity} ways through it"
            yield {"rank": 2, "line": one.line, "code": one.code, "message": message}


def _needed(source: Source, until: float) -> list[str]:
    """The names of this module that other files of the workspace may use. Names that there is no time to look up count
    as used.
    """
    tell("Looking for who needs the names of this file")
    others = [other for other in sources("", LeftOut()) if other.is_python and other.path != source.path]
    words = _words(others)
    found = []
    for name in sorted(names.bound(source.content)):
        known = not name.isascii() or name.encode() in words
        if known and (time.monotonic() > until or names.asked_for([name], source.path, others)):
            found.append(name)
    return found


def _words(files: Sequence[Source]) -> set[bytes]:
    return {word for file in files for word in _WORD.findall(file.content)}
