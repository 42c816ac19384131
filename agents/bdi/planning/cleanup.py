"""Clean-up steps: collected from the rules of a plan, innermost first, and adapted to run from the root."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from agents.bdi.beliefs.revision import folder_after
from agents.rules.facts import join
from agents.toolkit.registry import Registry, UnknownTool
from agents.toolkit.schemas import PATH_KINDS
from agents.toolkit.types import Param, Step

SWITCH = "toggle_autonomous_mode"


@dataclass(frozen=True)
class CleanupBlock:
    """The clean-up steps of one rule, meant for the folder in which that rule began."""

    folder: str
    steps: tuple[Step, ...]


def gather(blocks: Iterable[CleanupBlock], registry: Registry) -> tuple[Step, ...]:
    """Return all clean-up steps for a fresh session at the root.

    Paths are rewritten from the folder of their rule, with the original kept. Steps that need autonomous mode get the
    two switching steps around them, written into the plan so that the reviewer sees them.
    """
    steps: list[Step] = []
    session = ""
    for block in blocks:
        meant = block.folder
        for step in block.steps:
            moved, meant, session = _moved(step, meant, session, registry)
            steps.append(moved)
    return _switched(steps, registry)


def _moved(step: Step, meant: str, session: str, registry: Registry) -> tuple[Step, str, str]:
    command = registry.command(step.tool, step.command)
    params = {}
    for name, param in step.params.items():
        is_path = command.properties.get(name, {}).get("x-kind") in PATH_KINDS and isinstance(param.value, str)
        params[name] = _rebased(param, meant, session) if is_path else param
    moved = replace(step, params=params)
    return moved, folder_after(command, step.values(), meant), folder_after(command, moved.values(), session)


def _rebased(param: Param, meant: str, session: str) -> Param:
    if meant == session:
        return param
    target = join(meant, str(param.value))
    path = posixpath.relpath(target or ".", session or ".")
    note = f"{param.note}; seen from the folder the clean-up runs in".lstrip("; ")
    return replace(param, value=path, original=param.value, note=note)


def _switched(steps: Sequence[Step], registry: Registry) -> tuple[Step, ...]:
    needing = [n for n, step in enumerate(steps) if registry.command(step.tool, step.command).destroys(step.values())]
    if not needing or any(step.command == SWITCH for step in steps):
        return tuple(steps)
    first, last = needing[0], needing[-1]
    try:
        registry.command(steps[first].tool, SWITCH)
    except UnknownTool:
        return tuple(steps)
    on, off = (_switch(steps[first], value) for value in (True, False))
    return (*steps[:first], on, *steps[first : last + 1], off, *steps[last + 1 :])


def _switch(beside: Step, on: bool) -> Step:
    why = "Removing and overwriting need autonomous mode." if on else "Nothing else needs to be removed."
    params = {"on": Param(on, "default", note="clean-up that removes needs it" if on else "switched off again")}
    return Step(beside.tool, SWITCH, params, why, beside.rule)
