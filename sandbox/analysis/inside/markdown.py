"""Markdown in which foreign text stays plain text: no HTML, no link, no heading, no new line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from .telling import shown

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&$@]|:(?=//))")
_TICKS = re.compile("`+")


def text(said: str, most: int = 300) -> str:
    """Foreign text within a line."""
    return _SPECIAL.sub(r"\\\1", shown(said, most))


def code(said: str, most: int = 300) -> str:
    """Foreign text as code within a line; a bar is escaped so that it does not end a cell."""
    plain = shown(said, most).replace("|", "\\|")
    ticks = "`" * (max((len(run) for run in _TICKS.findall(plain)), default=0) + 1)
    space = " " if plain.startswith("`") or plain.endswith("`") or not plain else ""
    return f"{ticks}{space}{plain}{space}{ticks}"


def fence(said: str, language: str = "python") -> list[str]:
    """Foreign text as a block of code, line by line; no line of it can end the block."""
    lines = [shown(line, 2_000) for line in said.split("\n")]
    longest = max((len(run) for line in lines for run in _TICKS.findall(line)), default=0)
    ticks = "`" * max(3, longest + 1)
    return [f"{ticks}{language}", *lines, ticks, ""]


def link(label: str, address: str) -> str:
    """A link to a path relative to the page; `label` is Markdown already."""
    return f"[{label}]({address})"


def address(path: str, anchor: str = "") -> str:
    """A path as an address: it can neither end the link nor have another scheme."""
    quoted = quote(path, safe="/", errors="surrogateescape")
    return quoted + (f"#{anchor}" if anchor else "")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a table; a head that ends in `:` is one of numbers. The cells are Markdown already."""
    rows = list(rows)
    if not rows:
        return ["Nothing.", ""]
    marks = ["---:" if head.endswith(":") else "---" for head in heads]
    lines = [_row([head.rstrip(":") for head in heads]), _row(marks)]
    return [*lines, *map(_row, rows), ""]


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
