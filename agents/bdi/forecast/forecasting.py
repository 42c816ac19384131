"""What a plan would do to the files of its workspace, read from its steps alone: nothing is run.

Each step is taken apart into the requests the sandbox will get, and these are walked over the paths of the base
snapshot. What only a run can show (what a program does) is said to be unknown, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from agents.bdi.forecast import files, moving, session
from agents.bdi.forecast.consequences import Consequence, Forecast, ToModel, Unread
from agents.bdi.forecast.requests import asks_model, requests_of
from agents.bdi.forecast.walk import BaseEntry, Node, Walk
from agents.bdi.plans.document import Document
from agents.bdi.plans.started_programs import unstopped
from agents.bdi.plans.waits import is_wait
from agents.toolkit.finishing import INSIDE
from agents.toolkit.registry import Registry
from sandbox.commands import Refusal
from sandbox.contract import Request


def forecast(document: Document, base: Iterable[BaseEntry], registry: Registry) -> Forecast:
    """Read what the document's steps would do to a workspace that holds `base`.

    Clean-up steps are read after all main steps, in a fresh session at the root: they run after a failure somewhere
    before, so what they meet is never certain.
    """
    lasting = unstopped(document.all_intents)
    nodes = {entry.path: Node(entry.kind, entry.size_bytes, origin=entry.path) for entry in base}
    walk = Walk(nodes, unstopped=lasting)
    found: list[Consequence] = []
    looks: list[int] = []
    for spec in document.all_intents:
        cleanup = spec.phase == "cleanup"
        if cleanup and not walk.where.cleanup:
            walk = Walk(walk.nodes, unsure=True, unstopped=lasting)
        walk.where = Consequence(spec.position, cleanup, walk.unsure, spec.condition is not None)
        walk.hosts = spec.hosts
        consequences = [one for request in requests_of(spec, registry) for one in _meet(walk, request)]
        if asks_model(spec, registry):
            consequences.append(ToModel(**walk.here(), path=str(spec.params.get("path", "")), asked=spec.asks))
        if is_wait(spec.tool, spec.command):
            walk.unsure = True  # people change the files meanwhile: that is what is waited for
        found += consequences
        if not consequences and spec.effect in INSIDE:
            looks.append(spec.position)
    return Forecast(tuple(found), tuple(looks))


def _meet(walk: Walk, request: Request) -> Iterator[Consequence]:
    """What one request to the sandbox does to the walk."""
    meet = _MEETS.get(request.command)
    if meet is None:
        yield Unread(**walk.here(), command=request.command)
        walk.unsure = True
        return
    try:
        yield from meet(walk, request.params)
    except Refusal as refusal:
        yield walk.failing(str(refusal))


_MEETS: Mapping[str, Callable[[Walk, Mapping[str, Any]], Iterator[Consequence]]] = {
    "ls": files.look,
    "find": files.look,
    "grep": files.look,
    "read": files.look,
    "cd": files.enter,
    "mkdir": files.make_folder,
    "write": files.write,
    "rm": files.remove,
    "mv": moving.move,
    "cp": moving.copy,
    "create_venv": session.make_environment,
    "activate_venv": session.use_environment,
    "deactivate_venv": session.leave_environment,
    "run": session.run,
    "start": session.start,
    "process_log": session.program,
    "stop": session.program,
    "tool": session.tool,
    "set_env": session.set_variable,
    "unset_env": session.set_variable,
    "toggle_autonomous_mode": session.switch_mode,
}
