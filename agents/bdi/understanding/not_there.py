"""“Where is confest.py?”, where only a `conftest.py` is: what is looked for by name may be meant otherwise."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from agents.bdi.understanding.let_go import with_value
from agents.bdi.understanding.paths import Tree
from agents.bdi.understanding.spelling import is_near
from agents.bdi.understanding.understood import Meant

_CHOOSING = frozenset("*?[")


def is_called_otherwise(
    meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree
) -> Iterator[tuple[str, tuple[Meant, ...]]]:
    """Nothing has the name, or ending, that is looked for; something has it in other letters, or nearly."""
    for at, one in enumerate(meant):
        pattern = one.values().get("pattern")
        if one.command != "find" or not isinstance(pattern, str):
            continue
        names = sorted({posixpath.basename(path) for path in tree.visible})
        if any(fnmatchcase(name, pattern) or fnmatchcase(name, f"{pattern}.*") for name in names):
            continue
        for other in _others(pattern, names):
            yield f"Nothing here is named “{pattern}”.", with_value(tuple(meant), at, "pattern", other)


def _others(pattern: str, names: Sequence[str]) -> list[str]:
    low = pattern.casefold()
    if _CHOOSING & set(pattern):
        return [low] if low != pattern and any(fnmatchcase(name, low) for name in names) else []
    return [name for name in names if is_near(low, name.casefold())]
