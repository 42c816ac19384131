"""Readings that do not compete with a likelier one: they would do the same, or the other is plainly meant.

Two readings of one clause are asked about where both could be meant. They could not where they come to the same, where
one makes use of all that the other does and of more, where a name is the one that is there to the letter, and where
what is looked for by its name is the name of nothing here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.bdi.understanding.names.paths import FILE, Tree
from agents.bdi.understanding.reading.judging import Reading
from agents.toolkit.registry import Registry

_CHOOSING = frozenset("*?[")


def outdoes(best: Reading, other: Reading, tree: Tree, registry: Registry) -> bool:
    """Whether the other reading need not be asked about beside the best one."""
    return (
        _takes_in(best, other)
        or _is_same(_effect(best, tree, registry), _effect(other, tree, registry))
        or _is_bent(best, other)
        or (_is_search(best, other) and not _is_found(other, tree))
    )


def fuller(best: Reading, other: Reading) -> bool:
    """Whether the other reading makes use of all that the best one does, and of more: one more value is said."""
    return (
        other.is_whole
        and best.is_whole
        and other.command is best.command
        and best.explained < other.explained
        and not best.items
        and not other.items
        and best.params.keys() < other.params.keys()
        and all(other.params[name].value == one.value for name, one in best.params.items())
    )


def _takes_in(best: Reading, other: Reading) -> bool:
    """Whether the other is the same command whose values take in little words that the best one reads as such."""
    if other.command is not best.command or other.items or best.items or other.params.keys() - best.params.keys():
        return False
    for name, value in other.params.items():
        own = best.params[name]
        if value.value == own.value:
            continue
        wider = value.span and own.span and value.span[0] <= own.span[0] and own.span[1] <= value.span[1]
        if not wider or value.span == own.span:
            return False
    return True


_Effect = tuple[str, Mapping[str, Any]] | None


def _is_same(one: _Effect, other: _Effect) -> bool:
    """Of readings of several things, or of what is in doubt, nobody knows."""
    return one is not None and one == other


def _effect(one: Reading, tree: Tree, registry: Registry) -> _Effect:
    """What a reading comes to, by a path: a note is a file, and what is added to no file begins one."""
    if one.items or one.missing or one.problems:
        return None
    name, values = f"{one.command.tool}.{one.command.name}", one.values()
    same = registry.said(one.command).done_by
    if same is not None:
        name, values = same[0], {key: form.format(**values) for key, form in same[1].items()}
    if "mode" in values and "path" in values and tree.kind(str(values["path"])) != FILE:
        values = {key: value for key, value in values.items() if key != "mode"}
    return name, values


def _is_bent(best: Reading, other: Reading) -> bool:
    """“List files in config”, where a folder config is, and a config.py: what is called so to the letter is meant."""
    exact = {one.span for one in best.params.values() if one.original is None and one.span and one.confidence == 1.0}
    bent = {one.span for one in other.params.values() if one.original is not None and one.span}
    return bool(exact & bent) and {one.span for one in best.params.values()} == {
        one.span for one in other.params.values()
    }


def _is_search(best: Reading, other: Reading) -> bool:
    """“Search TODO in app”: in files, or for a file of that name."""
    text, pattern = best.params.get("text"), other.params.get("pattern")
    if text is None or pattern is None or text.value != pattern.value:
        return False
    # A plain word may as well be what something is about.
    return not (str(text.value).islower() and str(text.value).isalpha())


def _is_found(one: Reading, tree: Tree) -> bool:
    """Whether anything here has the name that is looked for, or nearly."""
    values = one.values()
    pattern = str(values.get("pattern", "")).casefold()
    inside = tree.full(str(values.get("path", "."))).rstrip("/")
    if _CHOOSING & set(pattern):
        return True
    return any(
        pattern in entry.name.casefold()
        for entry in tree.index.entries
        if not inside or entry.path.startswith(f"{inside}/")
    )
