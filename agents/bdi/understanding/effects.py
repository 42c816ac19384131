"""Which files exist after a command, so that the next command of the same text is read against them."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.bdi.understanding.names.paths import FILE, FOLDER, Tree
from agents.toolkit.command import Command
from agents.toolkit.saying import Place, Said


def after(tree: Tree, command: Command, said: Said, values: Mapping[str, Any]) -> Tree:
    """The files and the current folder as a command with these values is expected to leave them."""
    gone: set[str] = set()
    added: dict[str, str] = {}
    folder = tree.folder
    moved = _full(tree, values.get("path"))
    for name, place in said.places.items():
        full = _full(tree, values.get(name), place)
        if not full and not place.enters:
            continue
        if place.goes:
            gone.update(_whole(tree, full))
        if place.enters and isinstance(values.get(name), str):
            folder = tree.full(values[name])
            if folder.startswith(".."):
                folder = ""
    for name, place in said.places.items():
        full = _full(tree, values.get(name), place)
        if not full or not place.makes:
            continue
        if place.makes == "same":
            whole = _whole(tree, moved) if moved else {}
            added |= {full + path[len(moved) :]: kind for path, kind in whole.items()} or {full: FILE}
        else:
            added[full] = FOLDER if place.makes == "folder" else FILE
        above = posixpath.dirname(full)
        while above and above not in added and (above in gone or above not in tree.kinds):
            added[above] = FOLDER
            above = posixpath.dirname(above)
    recent = (*tree.recent, *spoken(tree, said, values))
    return replace(tree, index=tree.index.changed(gone, added), folder=folder, recent=recent)


def _whole(tree: Tree, full: str) -> dict[str, str]:
    """What is at a path, with all that lies below it."""
    kind = tree.kinds.get(full, "")
    if kind == FILE:
        return {full: kind}
    tree.compared(len(tree.kinds))
    return {path: kind for path, kind in tree.kinds.items() if path == full or path.startswith(f"{full}/")}


def spoken(tree: Tree, said: Said, values: Mapping[str, Any]) -> tuple[str, ...]:
    """The paths that a command spoke of, from the root, what it makes last."""
    named = sorted(said.places, key=lambda name: bool(said.places[name].makes))
    return tuple(full for name in named if (full := _full(tree, values.get(name), said.places[name])))


def called(said: Said, values: Mapping[str, Any]) -> tuple[str, ...]:
    """The words for what a command was about, as “it” would mean it."""
    words = []
    for word in said.it.split():
        name = word.strip("{}")
        if name == word:
            words.append(word)
        elif isinstance(values.get(name), str):
            words.append(values[name])
    return tuple(words)


def _full(tree: Tree, value: Any, place: Place | None = None) -> str:
    if not isinstance(value, str) or not value or "{{" in value:
        return ""
    full = tree.full(place.at.replace("{}", value) if place else value)
    return "" if full.startswith("..") else full
