"""What a plan would do to the files of its workspace, read from its steps alone: nothing is run.

Each step is taken apart into the requests the sandbox will get, and these are walked over the paths of the base
snapshot. What only a run can show (what a program does) is said to be unknown, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agents.bdi.consequences import (
    AutonomousMode,
    Consequence,
    Content,
    Environment,
    Forecast,
    Inside,
    NewFolder,
    Overwriting,
    Program,
    Removal,
    ToModel,
    ToolWork,
    Transfer,
    Unread,
    WouldFail,
    Writing,
)
from agents.bdi.document import Document, IntentSpec
from agents.bdi.started import unstopped
from agents.toolkit.packages import fetches_packages, installs_packages, needs_environment
from agents.toolkit.registry import Registry, UnknownTool
from sandbox.commands import Refusal, check_variable, place, shown
from sandbox.contract import Request
from sandbox.gate.hosts import PACKAGES
from sandbox.jail.inside.patch import PatchFailed, applied


@dataclass(frozen=True)
class BaseEntry:
    """A path of the base snapshot. `kind` is file, dir or link; a name that is not UTF-8 has surrogate escapes."""

    path: str
    kind: str
    size_bytes: int = 0


@dataclass(frozen=True)
class _Node:
    kind: str
    size_bytes: int = 0
    of_today: bool = True
    text: str | None = None
    origin: str = ""  # the path of the base snapshot where its content lies, as long as that is what it holds


@dataclass
class _Walk:
    """The files as they would be at some step, and the session's state there."""

    nodes: dict[str, _Node]
    folder: str = ""
    environment: str = ""
    autonomous: bool = False
    unsure: bool = False
    hosts: tuple[str, ...] = ()
    unstopped: frozenset[int] = frozenset()
    where: Consequence = field(default_factory=lambda: Consequence(0))

    def below(self, path: str) -> Iterator[tuple[str, _Node]]:
        """What lies in a folder, at any depth."""
        start = f"{path}/" if path else ""
        return ((name, node) for name, node in self.nodes.items() if name.startswith(start) and name != path)


def forecast(document: Document, base: Iterable[BaseEntry], registry: Registry) -> Forecast:
    """Read what the document's steps would do to a workspace that holds `base`.

    Clean-up steps are read after all main steps, in a fresh session at the root: they run after a failure somewhere
    before, so what they meet is never certain.
    """
    lasting = unstopped(document.all_intents)
    nodes = {entry.path: _Node(entry.kind, entry.size_bytes, origin=entry.path) for entry in base}
    walk = _Walk(nodes, unstopped=lasting)
    found: list[Consequence] = []
    looks: list[int] = []
    for spec in document.all_intents:
        cleanup = spec.phase == "cleanup"
        if cleanup and not walk.where.cleanup:
            walk = _Walk(walk.nodes, unsure=True, unstopped=lasting)
        walk.where = Consequence(spec.position, cleanup, walk.unsure, spec.condition is not None)
        walk.hosts = spec.hosts
        consequences = [one for request in requests_of(spec, registry) for one in _meet(walk, request)]
        if asks_model(spec, registry):
            consequences.append(ToModel(**_where(walk), path=str(spec.params.get("path", "")), asked=spec.asks))
        found += consequences
        if not consequences:
            looks.append(spec.position)
    return Forecast(tuple(found), tuple(looks))


def requests_of(spec: IntentSpec, registry: Registry) -> tuple[Request, ...]:
    """What the sandbox will be asked for a step; a step nobody knows comes as a request of its own name."""
    try:
        return registry.command(spec.tool, spec.command).requests(spec.params)
    except (UnknownTool, KeyError, TypeError, ValueError):
        return (Request(f"{spec.tool}.{spec.command}", dict(spec.params)),)


def asks_model(spec: IntentSpec, registry: Registry) -> bool:
    """Whether what the step reads goes to a language model."""
    try:
        return registry.command(spec.tool, spec.command).asks_model
    except UnknownTool:
        return False


def cannot_be_undone(spec: IntentSpec, registry: Registry) -> bool:
    """Whether mindX changes itself by the step in a way that nothing takes back."""
    try:
        return registry.command(spec.tool, spec.command).cannot_be_undone
    except UnknownTool:
        return False


def _meet(walk: _Walk, request: Request) -> Iterator[Consequence]:
    """What one request to the sandbox does to the walk."""
    meet = _MEETS.get(request.command)
    if meet is None:
        yield Unread(**_where(walk), command=request.command)
        walk.unsure = True
        return
    try:
        yield from meet(walk, request.params)
    except Refusal as refusal:
        yield _failing(walk, str(refusal))


def _where(walk: _Walk) -> dict[str, Any]:
    at = walk.where
    return {"position": at.position, "cleanup": at.cleanup, "unsure": at.unsure, "conditional": at.conditional}


def _failing(walk: _Walk, reason: str) -> WouldFail:
    return WouldFail(**_where(walk), reason=reason)


def _path(walk: _Walk, params: Mapping[str, Any], name: str = "path") -> str:
    return place(walk.folder, str(params.get(name) or "."))


def _look(walk: _Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    path = _path(walk, params)
    if not walk.unsure and path and path not in walk.nodes:
        yield _failing(walk, f"{shown(path)} is not there")


def _enter(walk: _Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    path = _path(walk, params)
    node = walk.nodes.get(path)
    if not walk.unsure and path and (node is None or node.kind != "dir"):
        yield _failing(walk, f"there is no folder {shown(path)}")
    walk.folder = path


def _make_folder(walk: _Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    path = _path(walk, params)
    parts = path.split("/") if path else []
    for end in range(1, len(parts) + 1):
        above = "/".join(parts[:end])
        node = walk.nodes.get(above)
        if node is not None and node.kind != "dir" and not walk.unsure:
            yield _failing(walk, f"{shown(above)} is there already and is no folder")
            return
        if node is None:
            walk.nodes[above] = _Node("dir", of_today=False)
            yield NewFolder(**_where(walk), path=above)


def _write(walk: _Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    path, content = _path(walk, params), str(params.get("content", ""))
    node = walk.nodes.get(path)
    above = path.rpartition("/")[0]
    if not path or (node is not None and node.kind != "file"):
        yield _failing(walk, f"{shown(path)} is no file that could be written")
        return
    if not walk.unsure and above and (above not in walk.nodes or walk.nodes[above].kind != "dir"):
        yield _failing(walk, f"there is no folder {shown(above)}")
        return
    if params.get("mode") == "create" and node is not None and not walk.unsure:
        yield _failing(walk, f"{shown(path)} is there already")
        return
    appends, patches = params.get("mode") == "append", params.get("mode") == "patch"
    if patches and node is None and not walk.unsure:
        yield _failing(walk, f"{shown(path)} is not there to be patched")
        return
    before = "" if node is None else ("base" if node.text is None else "step")
    text = (node.text if node and node.text else "") if before == "step" else ""
    kept: str | None = (text if appends else "") + content
    if patches and before == "step":
        kept, problem = patched(text, content)
        if kept is None:
            yield _failing(walk, problem)
            return
    elif patches or (appends and before == "base"):
        kept = None
    origin = node.origin if node else ""
    yield Writing(
        **_where(walk),
        path=path,
        origin=origin,
        content=content,
        before=before,
        before_text=text,
        appends=appends,
        patches=patches,
    )
    today = node is not None and node.of_today
    walk.nodes[path] = _Node("file", node.size_bytes if node else 0, today, kept, origin)


def patched(before: str, patch: str) -> tuple[str | None, str]:
    """The text that a unified diff makes of `before`, or None and why it does not fit."""
    try:
        return applied(before.encode(), patch.encode()).decode(), ""
    except PatchFailed as failed:
        return None, str(failed)


def _remove(walk: _Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    path = _path(walk, params)
    if not path:
        yield _failing(walk, "the workspace's own folder cannot be removed")
        return
    if not walk.autonomous:
        yield _failing(walk, "removing needs autonomous mode, which is off at this step")
    node = walk.nodes.get(path)
    if node is None and not walk.unsure:
        yield _failing(walk, f"{shown(path)} is not there")
        return
    yield _removal(walk, path, node)
    for name in [path, *(name for name, _ in walk.below(path))]:
        walk.nodes.pop(name, None)


def _removal(walk: _Walk, path: str, node: _Node | None) -> Removal:
    goes = [(name, one) for name, one in walk.below(path)] if node and node.kind == "dir" else []
    everything = [*goes, (path, node)] if node else []
    today = [one for _, one in everything if one.of_today and one.kind != "dir"]
    return Removal(
        **_where(walk),
        path=path,
        kind=node.kind if node else "missing",
        files=len(today),
        size_bytes=sum(one.size_bytes for one in today),
        made=sum(not one.of_today for _, one in everything),
        inside=_directly_inside(path, goes),
        origin=node.origin if node else "",
    )


def _directly_inside(path: str, goes: list[tuple[str, _Node]]) -> tuple[Inside, ...]:
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


def _move(walk: _Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    return _transfer(walk, params, moves=True)


def _copy(walk: _Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    return _transfer(walk, params, moves=False)


def _transfer(walk: _Walk, params: Mapping[str, Any], *, moves: bool) -> Iterator[Consequence]:
    source, path, overwrite = _path(walk, params), _path(walk, params, "to"), params.get("overwrite") is True
    node, old = walk.nodes.get(source), walk.nodes.get(path)
    never = _never(source, path)
    if never or (not walk.unsure and _hindrance(walk, source, path, overwrite)):
        yield _failing(walk, never or _hindrance(walk, source, path, overwrite))
        return
    if old is not None and overwrite and not walk.autonomous:
        yield _failing(walk, f"replacing {shown(path)} needs autonomous mode, which is off at this step")
    goes = [] if node is None else [(source, node), *walk.below(source)]
    today = [one for _, one in goes if one.of_today and one.kind != "dir"]
    yield Transfer(
        **_where(walk),
        source=source,
        path=path,
        kind=node.kind if node else "missing",
        files=len(today),
        size_bytes=sum(one.size_bytes for one in today),
        moves=moves,
        may_replace=overwrite and walk.unsure,
    )
    if old is not None and old.kind == "file" and overwrite:
        comes = Content(node.origin, node.text) if node else Content()
        yield Overwriting(**_where(walk), path=path, source=source, lost=Content(old.origin, old.text), comes=comes)
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


def _hindrance(walk: _Walk, source: str, path: str, overwrite: bool) -> str:
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


def _make_environment(walk: _Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    path = _path(walk, params, "venv_name")
    walk.nodes.setdefault(path, _Node("dir", of_today=False))
    yield Environment(**_where(walk), path=path)


def _use_environment(walk: _Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    walk.environment = _path(walk, params, "venv_name")
    yield from ()


def _leave_environment(walk: _Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    walk.environment = ""
    yield from ()


def _run(walk: _Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    line = str(params.get("command_line", ""))
    if not walk.environment and needs_environment(line):
        yield _failing(walk, "no virtual environment is active, and the system's Python takes no packages")
    yield Program(
        **_where(walk),
        command_line=line,
        folder=walk.folder,
        environment=walk.environment,
        hosts=walk.hosts,
        installs=installs_packages(line),
        lacks_index=fetches_packages(line) and PACKAGES not in walk.hosts,
    )
    walk.unsure = True


def _start(walk: _Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    for one in _run(walk, params):
        if isinstance(one, Program):
            one = replace(one, name=str(params.get("name", "")), stopped=walk.where.position not in walk.unstopped)
        yield one


def _program(_walk: _Walk, _params: Mapping[str, Any]) -> Iterator[Consequence]:
    """Looking at a started program, or ending it, changes nothing by itself."""
    yield from ()


def _tool(walk: _Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    """The work of a tool: one that only reads meets nothing but what it looks at."""
    reads_only = params["reads_only"] is True
    if reads_only:
        for path in params["paths"].values():
            yield from _look(walk, {"path": path})
    if walk.hosts or not reads_only:
        yield ToolWork(**_where(walk), folder=walk.folder, hosts=walk.hosts, changes_files=not reads_only)
    walk.unsure = walk.unsure or not reads_only


def _set_variable(walk: _Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    check_variable(str(params.get("name", "")))
    yield from ()


def _switch_mode(walk: _Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    walk.autonomous = params.get("on") is True
    yield AutonomousMode(**_where(walk), on=walk.autonomous)


_MEETS = {
    "ls": _look,
    "find": _look,
    "grep": _look,
    "read": _look,
    "cd": _enter,
    "mkdir": _make_folder,
    "write": _write,
    "rm": _remove,
    "mv": _move,
    "cp": _copy,
    "create_venv": _make_environment,
    "activate_venv": _use_environment,
    "deactivate_venv": _leave_environment,
    "run": _run,
    "start": _start,
    "process_log": _program,
    "stop": _program,
    "tool": _tool,
    "set_env": _set_variable,
    "unset_env": _set_variable,
    "toggle_autonomous_mode": _switch_mode,
}
