"""“Where is confest.py?”, where only a `conftest.py` is: what is looked for by name may be meant otherwise."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from agents.bdi.understanding.let_go import with_value
from agents.bdi.understanding.paths import Tree
from agents.bdi.understanding.spelling import is_near
from agents.bdi.understanding.understood import Meant

_CHOOSING = frozenset("*?[")
_THINGS = r"(?:files?|folders?|director(?:y|ies)|documents?)"
_BESIDE = re.compile(rf"\b{_THINGS}\s§|§\s{_THINGS}\b", re.IGNORECASE)


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
        others = _others(pattern, names)
        if not others and _says_what_kind(one, text):
            # “Find empty files”: what is no name of anything here may be no name at all.
            yield f"Nothing here is named “{pattern}”.", ()
        for other in others:
            yield f"Nothing here is named “{pattern}”.", with_value(tuple(meant), at, "pattern", other)


def _says_what_kind(one: Meant, text: str) -> bool:
    """Whether the pattern is a plain word beside what is looked for, neither in quotes nor behind “named”."""
    start, end = one.params["pattern"].span or (0, 0)
    return bool(_BESIDE.search(f"{text[:start]}§{text[end:]}")) and text[start:end].isalpha()


def _others(pattern: str, names: Sequence[str]) -> list[str]:
    low = pattern.casefold()
    if _CHOOSING & set(pattern):
        return [low] if low != pattern and any(fnmatchcase(name, low) for name in names) else []
    return [name for name in names if is_near(low, name.casefold())]
