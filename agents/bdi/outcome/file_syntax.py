"""Whether a file's content is what its name says: Python, JSON, YAML or TOML that can be read. Nothing of it is run."""

from __future__ import annotations

import ast
import json
import tomllib
import warnings
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

from agents.toolkit import yaml_nodes

# What is longer is not read: a worker does this between two goals.
MOST_BYTES = 256_000
_MOST_DEPTH = 200
# About 50 MB.
_MOST_SQUARED_DOTS = 10_000_000


class NotRead(Exception):
    """Reading the content would take too much, so nobody can say whether it is right; the message says why."""


def _python(content: bytes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ast.parse(content)


def _json(content: bytes) -> None:
    json.loads(content)


def _toml(content: bytes) -> None:
    text = content.decode()
    # tomllib keeps the whole way to each part of a name, so its memory grows with the square of the dots in a line:
    # 125,000 of them take more than machines have.
    if sum(line.count(".") ** 2 for line in text.splitlines()) > _MOST_SQUARED_DOTS:
        raise NotRead("its lines have too many dots")
    tomllib.loads(text)


def _yaml(content: bytes) -> None:
    # Events only: building the values would follow aliases, which can stand for far more than is written.
    for _ in yaml_nodes.events(content, most_depth=_MOST_DEPTH, in_c=True):
        pass


_READERS: Mapping[str, tuple[str, Callable[[bytes], None]]] = {
    ".py": ("Python", _python),
    ".json": ("JSON", _json),
    ".yaml": ("YAML", _yaml),
    ".yml": ("YAML", _yaml),
    ".toml": ("TOML", _toml),
}
_FAULTS = (SyntaxError, ValueError, RecursionError, MemoryError)


def language(path: str) -> str:
    """What a file of this name holds, "" for what is not read here."""
    return _READERS.get(PurePosixPath(path).suffix.lower(), ("", _json))[0]


def fault(path: str, content: bytes) -> str:
    """Why the content cannot be read as what its name says, in a few words; "" when it can. Raises NotRead."""
    try:
        _READERS[PurePosixPath(path).suffix.lower()][1](content)
    except _FAULTS as error:
        return _said(error)
    return ""


def _said(error: BaseException) -> str:
    """Where and why, without anything of the content."""
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}" if error.lineno else str(error.msg)
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}: {error.msg}"
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    if isinstance(error, RecursionError | MemoryError):
        return "it is nested too deeply"
    return str(error)[:200]
