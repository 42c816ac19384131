"""The executor's statements. Each is a file of SQL; the part that two have is a file of its own.

Whole texts are made once, because a prepared statement is found by its text. `{stamp}` is the gate's question, which is
wired after this module is loaded.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from agents.record import gate

_FOLDER = Path(__file__).parent


def read(name: str, *, changed: bool = True) -> str:
    """A statement with its parts in place, but for the gate's stamp. Without `changed` it cannot record that session or
    files are different now, nor how a recovery went: parts that find no row cost each step as much as those that do.
    """
    return _short(_text(name).replace("{changed}", f", {_text('changed')}" if changed else ""))


def _text(name: str) -> str:
    return "\n" + (_FOLDER / f"{name}.sql").read_text()


def _short(text: str) -> str:
    """Without comments and indentation: psycopg takes texts of more than 4,096 characters apart each time again."""
    lines = (line.partition("--")[0].strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def statement(name: str, *, changed: bool = True) -> str:
    """The whole text of a statement; `changed` as in `read`."""
    return _with_stamp(name, changed, gate.stamp_call())


@lru_cache(maxsize=64)
def _with_stamp(name: str, changed: bool, stamp: str) -> str:
    return read(name, changed=changed).replace("{stamp}", stamp)
