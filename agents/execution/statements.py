"""The executor's statements. Each is a file of SQL; parts that several have are files of their own.

Whole texts are made once, because a prepared statement is found by its text. `{stamp}` is the gate's question, which is
wired after this module is loaded.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from agents import gate

_FOLDER = Path(__file__).parent


def read(name: str) -> str:
    """A statement with its parts in place, but for the gate's stamp."""
    text = (_FOLDER / f"{name}.sql").read_text()
    for part in ("recorded", "told"):
        text = text.replace(f"{{{part}}}", (_FOLDER / f"{part}.sql").read_text())
    return _short(text)


def _short(text: str) -> str:
    """Without comments and indentation: psycopg takes texts of more than 4,096 characters apart each time again."""
    lines = (line.partition("--")[0].strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def statement(name: str) -> str:
    """The whole text of a statement."""
    return _with_stamp(name, gate.stamp_call())


@lru_cache(maxsize=64)
def _with_stamp(name: str, stamp: str) -> str:
    return read(name).replace("{stamp}", stamp)
