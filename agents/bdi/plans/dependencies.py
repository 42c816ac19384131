"""Which earlier steps a step depends on, so that approving a part of a plan includes what the part needs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from agents.bdi.beliefs.revision import folder_after
from agents.bdi.plans.branches import are_parallel
from agents.bdi.plans.started_programs import LOG, START, STOP
from agents.bdi.plans.waits import is_wait
from agents.rules.facts import is_below, join
from agents.toolkit.command import Command
from agents.toolkit.references import parse_reference, references
from agents.toolkit.registry import Registry, UnknownTool
from agents.toolkit.schemas import PATH_KINDS
from agents.toolkit.types import Step


@dataclass
class _Seen:
    """What the steps so far left behind: who last changed each part of the session, who touched which path."""

    session: dict[str, int] = field(default_factory=dict)
    paths: list[tuple[str, int]] = field(default_factory=list)
    changing: list[int] = field(default_factory=list)
    programs: dict[object, int] = field(default_factory=dict)
    folder: str = ""


def link(steps: Sequence[Step], registry: Registry) -> tuple[Step, ...]:
    """Return the steps with `depends_on` set.

    A step depends on the results and conditions it reads, on the last change of each part of the session (folder,
    environment, autonomous mode), and on earlier steps that wrote at, above or below its paths. A program may read
    anything, and so may what ends a wait: both depend on every earlier step that changes the workspace. Every step
    behind a wait depends on it. Steps in branches beside each other depend on each other only where one reads the
    other's result. Unknown commands are left for validation to name.
    """
    seen = _Seen()
    linked = []
    for position, step in enumerate(steps, start=1):
        try:
            command = registry.command(step.tool, step.command)
        except UnknownTool:
            linked.append(step)
            continue
        needs = _needs(step, command, seen, position)
        for other in step.alternatives:
            with suppress(UnknownTool):
                needs |= _needs(other, registry.command(other.tool, other.command), seen, position)
        if step.branch:
            read = _reads(step).union(*map(_reads, step.alternatives))
            needs = {at for at in needs if at in read or not are_parallel(steps[at - 1].branch, step.branch)}
        linked.append(replace(step, depends_on=tuple(sorted(needs))))
        _note(step, command, seen, position)
    return tuple(linked)


def _needs(step: Step, command: Command, seen: _Seen, position: int) -> set[int]:
    values = step.values()
    needs = _reads(step) | set(seen.session.values())
    touched = _paths(command, values, seen.folder)
    if _is_program(command) or is_wait(step.tool, step.command):
        needs |= set(seen.changing)
    if command.name in (LOG, STOP) and values.get("name") in seen.programs:
        needs.add(seen.programs[values.get("name")])
    for path, at in seen.paths:
        if any(path == own or is_below(own, path) or is_below(path, own) for own in touched):
            needs.add(at)
    return {at for at in needs if at < position}


def _reads(step: Step) -> set[int]:
    """The steps whose results it reads, or decides by."""
    condition = parse_reference((step.condition or {}).get("left"))
    of_values = {reference.position for _, reference in references(step.values())}
    return of_values | ({condition.position} if condition is not None else set())


def _note(step: Step, command: Command, seen: _Seen, position: int) -> None:
    values = step.values()
    if is_wait(step.tool, step.command):
        seen.session["wait"] = position
    elif command.changes_session:
        part = "environment" if "venv" in command.name else command.name
        seen.session[part] = position
        seen.folder = folder_after(command, values, seen.folder)
    elif command.effect != "idempotent":
        if command.name in (START, STOP):
            seen.programs[values.get("name")] = position
        seen.changing.append(position)
        seen.paths.extend((path, position) for path in _paths(command, values, seen.folder))


def _is_program(command: Command) -> bool:
    return "command_line" in command.properties


def _paths(command: Command, values: dict[str, object], folder: str) -> list[str]:
    return [
        join(folder, str(value))
        for name, value in values.items()
        if command.properties.get(name, {}).get("x-kind") in PATH_KINDS
    ]
