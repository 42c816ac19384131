"""The oldest Python that a project supports, read from its files as text: nothing is run or loaded.

It decides which simplifications and findings apply.
"""

from __future__ import annotations

import ast
import configparser
import os
import re
from collections.abc import Iterator
from typing import Any

KNOWN = ("py37", "py38", "py39", "py310", "py311", "py312", "py313", "py314")
NEWEST = KNOWN[-1]
_MOST_BYTES = 256 << 10
_LEAST = re.compile(r"(?:>=|~=|==|>)\s*3(?:\.(\d{1,2}))?")


def target(place: str) -> str:
    """Ruff's name for it (py37 …) for the project around `place`; "" if there is none."""
    folder = place if os.path.isdir(place or ".") else os.path.dirname(place)
    while True:
        for said in _said(folder):
            return said
        if not folder:
            return ""
        folder = os.path.dirname(folder)


def of_specifier(text: str) -> str:
    """`>=3.9,<4` is py39; a text without a version counts as the oldest."""
    found = _LEAST.search(text)
    minor = int(found[1] or 0) if found else 0
    word = f"py3{minor}"
    return word if word in KNOWN else KNOWN[0] if minor < 7 else KNOWN[-1]


def _said(folder: str) -> Iterator[str]:
    for name, reader in (("pyproject.toml", _project), ("setup.cfg", _setup_cfg), ("setup.py", _setup_py)):
        path = os.path.join(folder, name)
        try:
            if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > _MOST_BYTES:
                continue
            with open(path, encoding="utf-8", errors="replace") as file:
                said = reader(file.read())
        except (OSError, ValueError, SyntaxError, RecursionError, MemoryError, configparser.Error):
            continue
        if isinstance(said, str):
            yield of_specifier(said)


def _project(text: str) -> Any:
    try:
        import tomllib
    except ImportError:  # Python 3.10
        found = re.search(r"^requires-python\s*=\s*[\"']([^\"']*)[\"']", text, re.MULTILINE)
        return found[1] if found else None
    project = tomllib.loads(text).get("project")
    return project.get("requires-python") if isinstance(project, dict) else None


def _setup_cfg(text: str) -> Any:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text)
    return parser.get("options", "python_requires", fallback=None)


def _setup_py(text: str) -> Any:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.keyword) and node.arg == "python_requires" and isinstance(node.value, ast.Constant):
            return node.value.value
    return None
