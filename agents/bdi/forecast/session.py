"""What programs, environments, variables and the mode of the session would do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from agents.bdi.forecast.consequences import AutonomousMode, Consequence, Environment, Program, ToolWork
from agents.bdi.forecast.files import look
from agents.bdi.forecast.walk import Node, Walk
from agents.toolkit.packages import fetches_packages, installs_packages, needs_environment
from sandbox.commands import check_variable
from sandbox.gate.hosts import PACKAGES


def make_environment(walk: Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    path = walk.path(params, "venv_name")
    walk.nodes.setdefault(path, Node("dir", of_today=False))
    yield Environment(**walk.here(), path=path)


def use_environment(walk: Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    walk.environment = walk.path(params, "venv_name")
    yield from ()


def leave_environment(walk: Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    walk.environment = ""
    yield from ()


def run(walk: Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    line = str(params.get("command_line", ""))
    if not walk.environment and needs_environment(line):
        yield walk.failing("no virtual environment is active, and the system's Python takes no packages")
    yield Program(
        **walk.here(),
        command_line=line,
        folder=walk.folder,
        environment=walk.environment,
        hosts=walk.hosts,
        installs=installs_packages(line),
        lacks_index=fetches_packages(line) and PACKAGES not in walk.hosts,
    )
    walk.unsure = True


def start(walk: Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    for one in run(walk, params):
        if isinstance(one, Program):
            one = replace(one, name=str(params.get("name", "")), stopped=walk.where.position not in walk.unstopped)
        yield one


def program(_walk: Walk, _params: Mapping[str, Any]) -> Iterator[Consequence]:
    """Looking at a started program, or ending it, changes nothing by itself."""
    yield from ()


def tool(walk: Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    """The work of a tool: one that only reads meets nothing but what it looks at."""
    reads_only = params["reads_only"] is True
    if reads_only:
        for path in params["paths"].values():
            yield from look(walk, {"path": path})
    if walk.hosts or not reads_only:
        yield ToolWork(**walk.here(), folder=walk.folder, hosts=walk.hosts, changes_files=not reads_only)
    walk.unsure = walk.unsure or not reads_only


def set_variable(walk: Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    check_variable(str(params.get("name", "")))
    yield from ()


def switch_mode(walk: Walk, params: Mapping[str, Any]) -> Iterator[Consequence]:
    walk.autonomous = params.get("on") is True
    yield AutonomousMode(**walk.here(), on=walk.autonomous)
