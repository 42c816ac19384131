"""“Where is confest.py?” when there is only a `conftest.py`: a name that is searched for may be misspelled."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from agents.bdi.understanding.checks.dropped_words import with_value
from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.understood import Meant, Understood
from agents.bdi.understanding.words.spelling import is_near
from agents.toolkit.types import Param
from agents.toolkit.wording.words import QUOTES

_CHOOSING = frozenset("*?[")
_THINGS = r"(?:files?|folders?|director(?:y|ies)|documents?)"
_BESIDE = re.compile(rf"\b{_THINGS}\s§|§\s{_THINGS}\b", re.IGNORECASE)


def is_called_otherwise(
    meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree
) -> Iterator[tuple[str, tuple[Meant, ...]]]:
    """Nothing has the name, or ending, that is looked for; something has it in other letters, or nearly."""
    for at, one in enumerate(meant):
        pattern = one.values().get("pattern")
        if not isinstance(pattern, str):
            continue
        if _is_there(pattern, tree):
            continue
        others = _others(pattern, tree)
        if not others and _says_what_kind(one, text):
            # “Find empty files”: what is no name of anything here may be no name at all.
            yield f"Nothing here is named “{pattern}”.", ()
        for other in others:
            yield f"Nothing here is named “{pattern}”.", with_value(tuple(meant), at, "pattern", other)


# Behind the words that are looked for, unquoted, one bare word more: “grep todo in ap”.
_IN_IT = re.compile(r"(?P<text>\S.*?)\s(?:in|inside|within|under)\s++(?P<place>[\w.-]++)\Z", re.DOTALL)


def is_looked_for_in_it(
    meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree
) -> Iterator[tuple[str, tuple[Meant, ...]]]:
    """Whoever looks for “todo in ap” where nothing is called “ap” may mean a place of another name."""
    for at, one in enumerate(meant):
        sought = one.params.get("text")
        if one.command != "grep" or sought is None or "path" in one.params or sought.span is None:
            continue
        found = _IN_IT.fullmatch(str(sought.value))
        if found is None or text[sought.span[0]] in QUOTES:
            continue
        why = f"Nothing here is called “{found['place']}”."
        near = [path for path in sorted(tree.kinds) if _is_nearly(found["place"], posixpath.basename(path))]
        for path in near:
            yield why, with_value(with_value(tuple(meant), at, "text", found["text"].rstrip()), at, "path", path)
        if not near:
            yield why, ()


# What stands in logs is written so; names of files seldom are.
_LOUD_IN = re.compile(r"(?P<text>[A-Z][A-Z0-9_]{2,})\s(?:in|inside|within|under)\s++(?P<place>\S++)", re.DOTALL)


def is_text_rather_than_a_name(
    meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree
) -> Iterator[tuple[str, tuple[Meant, ...]]]:
    """“Find ERROR in logs”, where a logs/error.log is: it may be what files say, and not what one is called."""
    for at, one in enumerate(meant):
        pattern = one.params.get("pattern")
        found = _LOUD_IN.match(str(pattern.original)) if pattern is not None else None
        if found is None or pattern is None or found["text"] in str(pattern.value):
            continue
        path = {"path": Param(found["place"], "explicit")} if tree.kind(found["place"]) else {}
        params = {"text": Param(found["text"], "explicit"), **path}
        other = replace(one, command="grep", params=params)
        yield f"“{found['text']}” may be what stands in files.", (*meant[:at], other, *meant[at + 1 :])


def _is_nearly(said: str, name: str) -> bool:
    low, name = said.casefold(), name.casefold()
    return name.startswith(low) or is_near(low, name.partition(".")[0])


# So many letters of a name are no chance.
_LEAST = 6


def called_rightly(found: Understood, tree: Tree) -> Understood:
    """The same with what is looked for by a name that only one thing here nearly has, or has in other letters."""
    meant = found.meant
    for at, one in enumerate(meant):
        pattern = one.values().get("pattern")
        if not isinstance(pattern, str) or _is_there(pattern, tree):
            continue
        others = _others(pattern, tree)
        if len(others) == 1 and (_CHOOSING & set(pattern) or len(pattern.partition(".")[0]) >= _LEAST):
            meant = with_value(meant, at, "pattern", others[0])
    return replace(found, meant=meant)


def _is_there(pattern: str, tree: Tree) -> bool:
    names = tree.index.names
    tree.compared(len(names))
    return any(fnmatchcase(name, pattern) or fnmatchcase(name, f"{pattern}.*") for name in names)


def _says_what_kind(one: Meant, text: str) -> bool:
    """Whether the pattern is a plain word beside what is looked for, neither in quotes nor behind “named”."""
    start, end = one.params["pattern"].span or (0, 0)
    return bool(_BESIDE.search(f"{text[:start]}§{text[end:]}")) and text[start:end].isalpha()


def _others(pattern: str, tree: Tree) -> list[str]:
    names = tree.index.names
    tree.compared(len(names))
    low = pattern.casefold()
    if _CHOOSING & set(pattern):
        return [low] if any(fnmatchcase(name, low) for name in names) else []
    return [name for name in names if is_near(low, name.casefold())]
