"""What keeps branches from being independent: files that two of them touch, and what they share with their session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agents.bdi.beliefs.revision import folder_after
from agents.bdi.plans.branches import are_parallel
from agents.bdi.plans.started_programs import START, STARTER, STOP
from agents.bdi.workflows.bound import BoundStep
from agents.bdi.workflows.faults import Fault
from agents.rules.facts import is_below, join
from agents.toolkit.command import Command
from agents.toolkit.registry import Registry, UnknownTool
from agents.toolkit.schemas import PATH_KINDS
from agents.toolkit.types import Step

_ABOVE = "Put it before PARALLEL"


@dataclass(frozen=True)
class _Touched:
    """A path that a step of a branch names. `changes`: whether the step may write there."""

    step: BoundStep
    path: str
    changes: bool


def faults(steps: Sequence[BoundStep], registry: Registry) -> list[Fault]:
    """Why branches are not independent, at the lines of their steps. Which files a program touches nobody can see."""
    found: list[Fault] = []
    touched: list[_Touched] = []
    folder = ""
    for one in steps:
        try:
            command = registry.command(one.step.tool, one.step.command)
        except UnknownTool:
            continue
        if one.step.branch:
            found += _of_session(one, command)
            own = [_Touched(one, path, command.effect != "idempotent") for path in _paths(command, one.step, folder)]
            found += [fault for mine in own for fault in _crossing(mine, touched)]
            touched += own
        elif command.changes_session:
            folder = folder_after(command, one.step.values(), folder)
    return found


def _of_session(one: BoundStep, command: Command) -> Iterator[Fault]:
    name = f"step {one.way}: {command.tool}.{command.name}"
    if command.changes_session:
        yield Fault(one.line, f"{name} changes the session, which all branches share", _ABOVE)
    if command.tool == STARTER and command.name in (START, STOP):
        yield Fault(one.line, f"{name} is about a program that would live beside all branches", _ABOVE)


def _crossing(mine: _Touched, touched: Sequence[_Touched]) -> Iterator[Fault]:
    for other in touched:
        if not (mine.changes or other.changes) or not are_parallel(mine.step.step.branch, other.step.step.branch):
            continue
        if mine.path == other.path or is_below(mine.path, other.path) or is_below(other.path, mine.path):
            does = "changes" if mine.changes else "reads"
            also = "changes" if other.changes else "reads"
            message = f"step {mine.step.way} {does} “{mine.path[:60]}”, which step {other.step.way} {also}"
            yield Fault(
                mine.step.line, f"{message}; branches do not wait for each other", "Use other files, or one branch"
            )
            return


def _paths(command: Command, step: Step, folder: str) -> list[str]:
    """The paths that are known: one that a parameter gives is known when the workflow is processed."""
    return [
        join(folder, str(value))
        for name, value in step.values().items()
        if command.properties.get(name, {}).get("x-kind") in PATH_KINDS and "{{" not in str(value)
    ]
