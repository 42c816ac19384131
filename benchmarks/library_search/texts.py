"""Texts that nobody of mindX wrote: the documentation of Python and of the packages that are installed here."""

from __future__ import annotations

import ast
import re
import sysconfig
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n\s*\n")
_MAX_BYTES = 600_000
_Documented = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Doc:
    """A function or class with documentation: the first paragraph, what follows it, and the code without either."""

    name: str
    summary: str
    details: str
    code: str


def sentences() -> list[str]:
    """Every sentence of 25 to 200 characters in a docstring, once, in the order of the files."""
    found: dict[str, None] = {}
    for tree, _ in _trees():
        for node in ast.walk(tree):
            if isinstance(node, (*_Documented, ast.Module)) and (doc := ast.get_docstring(node)):
                for part in _SENTENCE_END.split(doc):
                    said = " ".join(part.split())
                    if 25 <= len(said) <= 200 and said[0].isupper():
                        found[said] = None
    return list(found)


def documented() -> Iterator[Doc]:
    """Functions and classes whose documentation has a summary and goes on after it, each summary once."""
    seen: set[str] = set()
    for tree, path in _trees():
        for node in ast.walk(tree):
            if not isinstance(node, _Documented) or not (text := ast.get_docstring(node)):
                continue
            summary, _, details = text.partition("\n\n")
            summary, details = " ".join(summary.split()), " ".join(details.split())
            if not 30 <= len(summary) <= 200 or len(details) < 200 or summary in seen:
                continue
            seen.add(summary)
            body = [*node.body[1:]] or [ast.Pass()]
            node.body = body
            yield Doc(f"{path.stem}.{node.name}", summary, details[:2_000], ast.unparse(node)[:2_000])


def _trees() -> Iterator[tuple[ast.Module, Path]]:
    for root in (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")):
        for path in sorted(Path(root).rglob("*.py")):
            inside = path.relative_to(root).parts
            if {"test", "tests", "site-packages"} & set(inside) or path.stat().st_size > _MAX_BYTES:
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    yield ast.parse(path.read_bytes()), path
            except (SyntaxError, ValueError):
                continue
