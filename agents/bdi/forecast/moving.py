"""What moving or copying a file or folder would do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.bdi.forecast.consequences import Consequence, Content, Overwriting, Transfer
from agents.bdi.forecast.walk import Node, Walk
from sandbox.commands import shown


def move(walk: Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    return _transfer(walk, params, moves=True)


def copy(walk: Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    return _transfer(walk, params, moves=False)


def _transfer(walk: Walk, params: Mapping[str, Any], *, moves: bool) -> Iterator[Consequence]:
    source, path, overwrite = walk.path(params), walk.path(params, "to"), params.get("overwrite") is True
    if refused := _never(source, path) or ("" if walk.unsure else _hindrance(walk, source, path, overwrite)):
        yield walk.failing(refused)
        return
    if overwrite and path in walk.nodes and not walk.autonomous:
        yield walk.failing(f"replacing {shown(path)} needs autonomous mode, which is off at this step")
    node = walk.nodes.get(source)
    goes = [] if node is None else [(source, node), *walk.below(source)]
    files = [one for _, one in goes if one.of_today and one.kind != "dir"]
    size_bytes, kind = sum(one.size_bytes for one in files), node.kind if node else "missing"
    yield Transfer(
        **walk.here(), source=source, path=path, kind=kind, files=len(files), size_bytes=size_bytes,
        moves=moves, may_replace=overwrite and walk.unsure,
    )  # fmt: skip
    if overwrite:
        yield from _replaced(walk, source, path)
    _put(walk, source, path, goes, moves=moves)


def _replaced(walk: Walk, source: str, path: str) -> Iterator[Overwriting]:
    """The file that is lost where another is put, if there is one."""
    node, old = walk.nodes.get(source), walk.nodes.get(path)
    if old is not None and old.kind == "file":
        comes = Content(node.origin, node.text) if node else Content()
        yield Overwriting(**walk.here(), path=path, source=source, lost=Content(old.origin, old.text), comes=comes)


def _put(walk: Walk, source: str, path: str, goes: Sequence[tuple[str, Node]], *, moves: bool) -> None:
    """Have the walk see what `goes` in its new place."""
    if moves:
        for name, _ in goes:
            del walk.nodes[name]
    for name, one in goes:
        walk.nodes[path + name[len(source) :]] = one if moves else replace(one, of_today=False)


def _never(source: str, path: str) -> str:
    """Why a move or copy is refused whatever the files are; nothing when it is not."""
    if not source or not path:
        return "the workspace's own folder cannot be moved, copied or replaced"
    if path == source or path.startswith(f"{source}/"):
        return f"{shown(source)} cannot be put into its own place"
    return ""


def _hindrance(walk: Walk, source: str, path: str, overwrite: bool) -> str:
    """Why a move or copy is refused as the files stand; nothing when it is not."""
    node, old = walk.nodes.get(source), walk.nodes.get(path)
    above = path.rpartition("/")[0]
    if node is None:
        return f"{shown(source)} is not there"
    if above and (above not in walk.nodes or walk.nodes[above].kind != "dir"):
        return f"there is no folder {shown(above)}"
    if old is not None and not overwrite:
        return f"{shown(path)} is there already and is not to be replaced"
    if old is not None and (old.kind != "file" or node.kind != "file"):
        return f"{shown(path)} is there already, and only a file can be replaced, by a file"
    return ""
