"""What looking at, making, writing and removing files and folders would do."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from typing import Any

from agents.bdi.forecast.consequences import Consequence, Inside, NewFolder, Removal, Writing
from agents.bdi.forecast.walk import Node, Walk
from sandbox.commands import shown
from sandbox.jail.inside.patch import PatchFailed, applied


def look(walk: Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    path = walk.path(params)
    if not walk.unsure and path and path not in walk.nodes:
        yield walk.failing(f"{shown(path)} is not there")


def enter(walk: Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    path = walk.path(params)
    node = walk.nodes.get(path)
    if not walk.unsure and path and (node is None or node.kind != "dir"):
        yield walk.failing(f"there is no folder {shown(path)}")
    walk.folder = path


def make_folder(walk: Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    yield from _folders(walk, walk.path(params))


def _folders(walk: Walk, path: str) -> Generator[Consequence, None, bool]:
    """The folder and those above it that are made; False, after saying so, where a file stands in the way."""
    parts = path.split("/") if path else []
    for end in range(1, len(parts) + 1):
        above = "/".join(parts[:end])
        node = walk.nodes.get(above)
        if node is not None and node.kind != "dir" and not walk.unsure:
            yield walk.failing(f"{shown(above)} is there already and is no folder")
            return False
        if node is None:
            walk.nodes[above] = Node("dir", of_today=False)
            yield NewFolder(**walk.here(), path=above)
    return True


def write(walk: Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    path, content, mode = walk.path(params), str(params.get("content", "")), params.get("mode")
    node, above = walk.nodes.get(path), path.rpartition("/")[0]
    if not path or (node is not None and node.kind != "file"):
        yield walk.failing(f"{shown(path)} is no file that could be written")
        return
    if mode != "patch" and not (yield from _folders(walk, above)):
        return
    text = node.text or "" if node is not None else ""
    kept, problem = _after_writing(node, content, mode)
    if problem := ("" if walk.unsure else _hindrance(walk, path, mode)) or problem:
        yield walk.failing(problem)
        return
    origin = node.origin if node else ""
    yield Writing(
        **walk.here(),
        path=path,
        origin=origin,
        content=content,
        before="" if node is None else ("base" if node.text is None else "step"),
        before_text=text,
        appends=mode == "append",
        patches=mode == "patch",
    )
    today = node is not None and node.of_today
    walk.nodes[path] = Node("file", node.size_bytes if node else 0, today, kept, origin)


def _hindrance(walk: Walk, path: str, mode: Any) -> str:
    """Why a file cannot be written in this mode as the files stand; nothing when it can."""
    above = path.rpartition("/")[0]
    if mode == "create" and path in walk.nodes:
        return f"{shown(path)} is there already"
    if mode != "patch":
        return ""
    if above and (above not in walk.nodes or walk.nodes[above].kind != "dir"):
        return f"there is no folder {shown(above)}"
    return "" if path in walk.nodes else f"{shown(path)} is not there to be patched"


def _after_writing(node: Node | None, content: str, mode: Any) -> tuple[str | None, str]:
    """What the file holds then, None where that is not known beforehand; and why a patch does not fit."""
    is_known = node is None or node.text is not None
    text = node.text or "" if node is not None else ""
    if mode == "patch":
        return patched(text, content) if node is not None and is_known else (None, "")
    if mode == "append":
        return (text + content if is_known else None), ""
    return content, ""


def patched(before: str, patch: str) -> tuple[str | None, str]:
    """The text that a unified diff makes of `before`, or None and why it does not fit."""
    try:
        return applied(before.encode(), patch.encode()).decode(), ""
    except PatchFailed as failed:
        return None, str(failed)


def remove(walk: Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    path = walk.path(params)
    if not path:
        yield walk.failing("the workspace's own folder cannot be removed")
        return
    if not walk.autonomous:
        yield walk.failing("removing needs autonomous mode, which is off at this step")
    node = walk.nodes.get(path)
    if node is None and not walk.unsure:
        yield walk.failing(f"{shown(path)} is not there")
        return
    yield _removal(walk, path, node)
    for name in [path, *(name for name, _ in walk.below(path))]:
        walk.nodes.pop(name, None)


def _removal(walk: Walk, path: str, node: Node | None) -> Removal:
    goes = [(name, one) for name, one in walk.below(path)] if node and node.kind == "dir" else []
    everything = [*goes, (path, node)] if node else []
    today = [one for _, one in everything if one.of_today and one.kind != "dir"]
    return Removal(
        **walk.here(),
        path=path,
        kind=node.kind if node else "missing",
        files=len(today),
        size_bytes=sum(one.size_bytes for one in today),
        made=sum(not one.of_today for _, one in everything),
        inside=_directly_inside(path, goes),
        origin=node.origin if node else "",
    )


def _directly_inside(path: str, goes: list[tuple[str, Node]]) -> tuple[Inside, ...]:
    """Every path that goes, gathered under the names right below the folder, by name."""
    found: dict[str, Inside] = {}
    for name, node in sorted(goes):
        if not node.of_today:
            continue
        head, _, rest = name[len(path) + 1 :].partition("/")
        one = found.get(head) or Inside(f"{path}/{head}", "dir" if rest else node.kind, 0, 0)
        if node.kind != "dir":
            one = replace(one, files=one.files + 1, size_bytes=one.size_bytes + node.size_bytes)
        found[head] = one
    return tuple(found.values())
