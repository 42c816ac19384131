"""The names of a Python module, and which other files use them. Files are read as text, never loaded.

Used on both sides: in the jail before a fix, and by the worker for a model's changes.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Sequence

from .walking import Source

_STAR = re.compile(rb"\bimport\s*\*")


def is_still_python(before: bytes, after: bytes) -> bool:
    """Valid Python stays valid; for syntax newer than this Python, ruff decides."""
    return tree(before) is None or tree(after) is not None


def tree(content: bytes) -> ast.Module | None:
    """The parsed code, None if it is not Python. Warnings are off, because the code's author would not see them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def bound(content: bytes) -> set[str]:
    """The names that a module has when it is loaded, including those in its `if` and `try`."""
    module = tree(content)
    found: set[str] = set()
    waiting: list[ast.AST] = [] if module is None else [module]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.ImportFrom) and node.module == "__future__":
            continue
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        else:
            waiting += ast.iter_child_nodes(node)
    return found


def asked_for(names: Iterable[str], path: str, others: Sequence[Source]) -> str:
    """The first of the names that another file uses, "" for none. It compares words, so it may keep too much."""
    for name in sorted(names):
        word = rb"\b" + re.escape(name.encode()) + rb"\b"
        wanted = re.compile(
            rb"\.\s*" + word  # of an object: module.name
            + rb"|\bfrom\b[^#\n]*\bimport\b[^#\n(]*" + word
            + rb"|\bimport\s*\([^)]*" + word
            + rb"|[\"'.]" + word + rb"[\"']"  # as text: getattr, mock.patch, __all__
        )  # fmt: skip
        for other in others:
            if other.path == path or not other.is_python:
                continue
            content = other.content.replace(b"\\\n", b" ")
            takes_all = _STAR.search(content) is not None and re.search(word, content) is not None
            if takes_all or wanted.search(content):
                return name
    return ""
