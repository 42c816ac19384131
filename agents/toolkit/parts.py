"""Breaking a goal into parts that are goals of their own: what may be asked for, and what is refused. Pure.

A part names those that it waits for, all of them before it, so no circle can be written. A part that says
what its goal or one of that goal's wholes says already would be broken down again and again, and is refused too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MOST_PARTS = 20
# How many goals stand above one another at most, the first one counted.
MOST_LEVELS = 5
MOST_IN_TREE = 100
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")


@dataclass(frozen=True)
class Part:
    """A goal to be made: its name among its siblings, its text, whom it waits for, and its files ("": the parent's)."""

    name: str
    text: str
    after: tuple[str, ...] = ()
    workspace: str = ""


@dataclass(frozen=True)
class Whole:
    """The goal that is broken down. `texts`: its own and those of all goals above it. `level`: 1 for one without a
    parent. `in_tree`: how many parts its tree has already. `names`: of the parts that it has already.
    """

    texts: Sequence[str]
    level: int = 1
    in_tree: int = 0
    names: Collection[str] = ()


def of_params(params: Mapping[str, Any]) -> Part:
    """The part that a step's parameters say."""
    after = tuple(name for name in re.split(r"[,\s]+", str(params.get("after", ""))) if name)
    return Part(str(params["name"]), str(params["text"]), after, str(params.get("workspace", "")))


def name_fault(params: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Parameter and message for a list of names that is none, or a part that waits for itself."""
    if "after" not in params:
        return
    names = of_params({"name": "", "text": "", **params}).after
    if wrong := next((name for name in names if not _NAME.fullmatch(name)), None):
        yield "after", f"“{wrong[:60]}” is not the name of a sub-goal; write names with commas between them"
    elif params.get("name") in names:
        yield "after", "a sub-goal cannot wait for itself"


def problems(parts: Sequence[tuple[int, Part]], whole: Whole) -> list[tuple[int, str, str]]:
    """What is wrong with parts at these positions of a plan: (position, parameter, message)."""
    if not parts:
        return []
    first = parts[0][0]
    if whole.level >= MOST_LEVELS:
        said = (
            f"This goal stands {whole.level} levels deep, and {MOST_LEVELS} is the most: it is not broken down again."
        )
        return [(first, "command", said)]
    if len(parts) + len(whole.names) > MOST_PARTS:
        return [(parts[-1][0], "command", f"A goal has {MOST_PARTS} sub-goals at most.")]
    if len(parts) + whole.in_tree > MOST_IN_TREE:
        said = f"All sub-goals of one goal, with theirs, are {MOST_IN_TREE} at most; there are {whole.in_tree}."
        return [(parts[-1][0], "command", said)]
    return list(_of_each(parts, whole))


def _of_each(parts: Sequence[tuple[int, Part]], whole: Whole) -> Iterable[tuple[int, str, str]]:
    named = set(whole.names)
    above = {_plain(text) for text in whole.texts}
    later = {part.name for _, part in parts}
    for position, part in parts:
        if part.name in named:
            yield position, "name", f"Two sub-goals are named {part.name}. Rename one."
        if _plain(part.text) in above:
            yield position, "text", "This says what the goal says itself, so it would be broken down for ever."
        for name in part.after:
            if name in named:
                continue
            if name in later:
                yield position, "after", f"{part.name} waits for {name}, which comes later. Put {name} before it."
            else:
                yield position, "after", f"{part.name} waits for {name}, and there is no such sub-goal."
        named.add(part.name)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!")
