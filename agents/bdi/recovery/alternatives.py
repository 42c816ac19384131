"""What may replace a step that failed: declared with the plan, read with it, granted or not. Pure.

An alternative takes values of its step through a *parameter map* ({its parameter: the step's}) beside its own. Both are
resolved when the plan is written, so that every value stands in the document and on the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from agents.bdi.plans.started_programs import LOG, START, STOP
from agents.bdi.plans.validation import Problem, validate
from agents.bdi.recovery.recovery import REPEATABLE_EFFECTS
from agents.toolkit.command import Command
from agents.toolkit.limits import Number
from agents.toolkit.registry import Registry, UnknownTool
from agents.toolkit.types import Param, Step

MOST = 3


def mapped(step: Step, params: Mapping[str, Param], taken: Mapping[str, str]) -> dict[str, Param]:
    """The parameters of an alternative: its own, and those taken from the step. Raises ValueError in words."""
    found = dict(params)
    for name, source in taken.items():
        if name in params:
            raise ValueError(f"{name} has a value of its own and is taken from {source} as well; choose one")
        if source not in step.params:
            raise ValueError(
                f"{name} is to be taken from {source}, which step {step.tool}.{step.command} does not have"
            )
        found[name] = replace(step.params[source], original=None, span=None, note=f"taken from the step's {source}")
    return found


def problems(
    steps: Sequence[Step],
    cleanup: Sequence[Step],
    registry: Registry,
    ceilings: Mapping[str, Mapping[str, Number]] | None = None,
) -> list[Problem]:
    """Everything that is wrong with the alternatives of a plan whose steps are valid.

    The plan is validated with each alternative in the place of its step, one at a time: the rest must hold then too.
    """
    found = [
        Problem(position, "alternatives", "alternative_of_cleanup", "Clean-up is tried once; it has no alternatives.")
        for position, step in enumerate(cleanup, len(steps) + 1)
        if step.alternatives
    ]
    for position, step in enumerate(steps, 1):
        if len(step.alternatives) > MOST:
            message = f"The step has {len(step.alternatives)} alternatives; {MOST} are read."
            found.append(Problem(position, "alternatives", "too_many_alternatives", message))
        for number, other in enumerate(step.alternatives[:MOST], 1):
            found += _of_one(steps, cleanup, position, number, other, registry, ceilings)
    return sorted(set(found))


def _of_one(
    steps: Sequence[Step],
    cleanup: Sequence[Step],
    position: int,
    number: int,
    other: Step,
    registry: Registry,
    ceilings: Mapping[str, Mapping[str, Number]] | None,
) -> Iterator[Problem]:
    step, field = steps[position - 1], f"alternatives.{number}"
    if (other.tool, other.command, other.values()) == (step.tool, step.command, step.values()):
        yield Problem(position, field, "alternative_same", f"Alternative {number} is the step itself.")
    if other.alternatives:
        yield Problem(position, field, "alternative_nested", f"Alternative {number} has alternatives of its own.")
    in_place = [*steps[: position - 1], replace(other, condition=step.condition), *steps[position:]]
    for problem in validate(in_place, cleanup, registry, ceilings=ceilings):
        at = f" (at step {problem.position})" if problem.position != position else ""
        yield Problem(position, field, problem.code, f"Alternative {number}{at}: {problem.message}")
    try:
        commands = [registry.command(step.tool, step.command), registry.command(other.tool, other.command)]
    except UnknownTool:
        return
    if any(command.changes_session or command.name in (START, STOP, LOG) for command in commands):
        message = f"Alternative {number}: what only changes the session, or starts programs, has no alternative."
        yield Problem(position, field, "alternative_session", message)
    yield from _not_repeatable(position, number, commands[1])


def _not_repeatable(position: int, number: int, command: Command) -> Iterator[Problem]:
    if command.effect not in REPEATABLE_EFFECTS:
        message = f"Alternative {number} has the effect {command.effect}, which is never run automatically."
        yield Problem(position, f"alternatives.{number}", "alternative_effect", message)
