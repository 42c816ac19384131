"""Everything that must be true of a plan before people look at it, and of its values before they are used.

It runs after parameters were resolved and corrected, so that what is checked is what would run.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.bdi.beliefs.revision import folder_after
from agents.bdi.plans.conditions import condition_problem, reference_of
from agents.bdi.plans.misnamed import misnamed
from agents.bdi.plans.started_programs import STARTER, Lives
from agents.bdi.plans.waits import is_wait
from agents.rules.naming import hidden_character, path_problem
from agents.toolkit.command import Command
from agents.toolkit.hosts import address_problem, host_problem
from agents.toolkit.limits import Number, in_words
from agents.toolkit.references import Reference, embedded, malformed, parse_reference
from agents.toolkit.registry import Registry, UnknownCommand, UnknownTool
from agents.toolkit.schemas import ADDRESS_KIND, HOSTS_KIND, NEVER_REFERENCED, PATH_KINDS, problems
from agents.toolkit.types import ORIGINS, Step
from sandbox.command_line import candidates, split
from sandbox.commands import Refusal
from sandbox.gate.hosts import HostRefused


@dataclass(frozen=True)
class PlanLimits:
    """How large a plan may be. Sizes in bytes of UTF-8."""

    steps: int = 50
    cleanup: int = 50
    value_bytes: int = 1 << 20
    plan_bytes: int = 4 << 20
    justification_chars: int = 4_000


@dataclass(frozen=True, order=True)
class Problem:
    """What is wrong where. `position` counts from 1 through steps and clean-up, 0 is the plan; the message says the way
    out.
    """

    position: int
    field: str
    code: str
    message: str


@dataclass
class _Walk:
    """The plan as read so far: where the session is, whether removing is switched on, what each position answers."""

    registry: Registry
    limits: PlanLimits
    ceilings: Mapping[str, Mapping[str, Number]]
    cleanup: bool
    folder: str = ""
    autonomous: bool = False
    venv: str | None = None
    commands: dict[int, Command] = field(default_factory=dict)
    lives: Lives = field(default_factory=Lives)


def validate(
    steps: Sequence[Step],
    cleanup: Sequence[Step],
    registry: Registry,
    limits: PlanLimits | None = None,
    ceilings: Mapping[str, Mapping[str, Number]] | None = None,
) -> list[Problem]:
    """Return every problem of a plan, by position; none means that it may be proposed.

    `ceilings` are those of each tool's steps, by their names, where it is known what they will be.
    """
    bounds = limits or PlanLimits()
    found = list(_whole(steps, cleanup, bounds))
    if len(steps) <= bounds.steps and len(cleanup) <= bounds.cleanup:
        main = _Walk(registry, bounds, ceilings or {}, cleanup=False)
        for position, step in enumerate(steps, start=1):
            found.extend(_step(position, step, main))
        undo = _Walk(registry, bounds, ceilings or {}, cleanup=True)
        for position, step in enumerate(cleanup, start=len(steps) + 1):
            found.extend(_step(position, step, undo))
    return sorted(set(found))


def _whole(steps: Sequence[Step], cleanup: Sequence[Step], limits: PlanLimits) -> Iterator[Problem]:
    if not steps:
        yield Problem(0, "steps", "no_steps", "The plan has no steps; write at least one.")
    if len(steps) > limits.steps:
        yield Problem(
            0, "steps", "too_many_steps", f"The plan has {len(steps)} steps; part it into goals of {limits.steps}."
        )
    if len(cleanup) > limits.cleanup:
        yield Problem(0, "cleanup", "too_many_steps", f"Clean-up has more than {limits.cleanup} steps; shorten it.")
    size = sum(_size(step.values()) for step in (*steps, *cleanup))
    if size > limits.plan_bytes:
        message = f"All values together have {size} bytes; {limits.plan_bytes} are allowed. Use a file."
        yield Problem(0, "steps", "plan_too_large", message)


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass"))


def _step(position: int, step: Step, walk: _Walk) -> Iterator[Problem]:
    try:
        command = walk.registry.command(step.tool, step.command)
    except UnknownTool as unknown:
        where = "command" if isinstance(unknown, UnknownCommand) else "tool"
        yield Problem(position, where, f"unknown_{where}", _sentence(str(unknown)))
        return
    values = step.values()
    yield from _about_step(position, step, walk)
    yield from _values(position, command, values, walk)
    yield from _autonomous(position, command, values, walk)
    yield from _time(position, step, values.get("timeout_s"), walk)
    yield from _beside(position, step, walk)
    yield from _waits(position, step, walk)
    for name, code, message in walk.lives.problems(step.tool, command.name, values, _reached(command, values)):
        yield Problem(position, name, code, message)
    walk.commands[position] = command
    if not path_problems(command, values, walk.folder):
        walk.folder = folder_after(command, values, walk.folder)
    if command.name in ("activate_venv", "deactivate_venv"):
        walk.venv = str(values["venv_name"]) if values.get("venv_name") else None


def _waits(position: int, step: Step, walk: _Walk) -> Iterator[Problem]:
    """Where a step must not wait."""
    if any(is_wait(one.tool, one.command) for one in step.alternatives):
        yield Problem(position, "alternatives", "wait", "A wait is no alternative to a step; put it before the step.")
    if not is_wait(step.tool, step.command):
        return
    if walk.cleanup:
        yield Problem(position, "command", "wait", "Clean-up waits for nothing: it has to end; take this step out.")
    if walk.lives.living:
        names = ", ".join(walk.lives.living)
        message = f"{names} would end while the plan waits, because no worker is held; stop it before this step."
        yield Problem(position, "command", "wait", message)


def _about_step(position: int, step: Step, walk: _Walk) -> Iterator[Problem]:
    if len(step.justification) > walk.limits.justification_chars:
        yield Problem(
            position, "justification", "too_long", "The justification is too long; say it in a few sentences."
        )
    for name, param in step.params.items():
        if param.origin not in ORIGINS:
            yield Problem(
                position, name, "unknown_origin", f"The origin “{param.origin}” is not one of {', '.join(ORIGINS)}."
            )
    for needed in step.depends_on:
        if not 0 < needed < position:
            message = f"It depends on step {needed}, which is not before it; name an earlier step."
            yield Problem(position, "depends_on", "order", message)
    if step.condition is not None:
        yield from _condition(position, step.condition, walk)


def _condition(position: int, condition: Mapping[str, Any], walk: _Walk) -> Iterator[Problem]:
    wrong = condition_problem(condition)
    if wrong:
        yield Problem(position, "condition", *wrong)
        return
    reference = reference_of(condition)
    if reference is not None:
        yield from _reference(position, "condition", reference, walk)


def _values(position: int, command: Command, values: Mapping[str, Any], walk: _Walk) -> Iterator[Problem]:
    # A reference stands for a value that is not known yet, so the schema judges only what is.
    known = {name: value for name, value in values.items() if parse_reference(value) is None}
    waiting = set(values) - set(known)
    for name, message in problems(command.schema, known):
        if not (name in waiting and message.startswith("is missing")):
            yield Problem(position, name, "schema", _sentence(f"{name or command.name} {message}"))
    for name, value in values.items():
        yield from _value(position, command, name, value, walk)
    for name, code, message in path_problems(command, known, walk.folder):
        yield Problem(position, name, code, message)
    for name, message in unfit(command, known):
        yield Problem(position, name, "unfit", message)


def _reached(command: Command, values: Mapping[str, Any]) -> tuple[str, ...]:
    """The hosts of the step; none where they cannot be let in, which is a problem of its own."""
    try:
        return command.hosts(values)
    except (HostRefused, TypeError):
        return ()


def _value(position: int, command: Command, name: str, value: Any, walk: _Walk) -> Iterator[Problem]:
    if _size(value) > walk.limits.value_bytes:
        message = f"{name} has more than {walk.limits.value_bytes} bytes; put it into a file and read that."
        yield Problem(position, name, "value_too_large", message)
    if lost := unstorable(value):
        message = f"{name} holds {lost}, which cannot be stored; leave it out."
        yield Problem(position, name, "unstorable", message)
    yield from _reference_in(position, command, name, value, walk)
    if name == "command_line" and isinstance(value, str):
        yield from _command_line(position, name, value, walk)
    if command.properties.get(name, {}).get("x-kind") == HOSTS_KIND and isinstance(value, list):
        yield from _hosts(position, name, value)


def _reference_in(position: int, command: Command, name: str, value: Any, walk: _Walk) -> Iterator[Problem]:
    """What is wrong with a value that is a reference to a result, holds one, or looks like one."""
    reference = parse_reference(value)
    inside = embedded(value)
    allowed = command.properties.get(name, {}).get("x-reference") is True
    if reference is not None:
        if name in NEVER_REFERENCED or not allowed:
            takers = [other for other, schema in command.properties.items() if schema.get("x-reference") is True]
            hint = f"; here {' and '.join(takers)} can" if takers else ""
            message = f"{name} may not take its value from a result; write the value itself{hint}."
            yield Problem(position, name, "reference_not_allowed", message)
        else:
            yield from _reference(position, name, reference, walk)
    elif inside is not None and (allowed or name in NEVER_REFERENCED):
        message = f"{inside} stands inside a longer text and would not be filled; a reference is the whole value."
        yield Problem(position, name, "reference_not_whole", message)
    elif malformed(value) is not None:
        message = f"{name} looks like a reference but is none; write {{{{intents.N.result.KEY}}}}."
        yield Problem(position, name, "reference_malformed", message)


def unstorable(value: Any) -> str:
    """The first character in any text of a value that neither Postgres nor UTF-8 can hold, as U+XXXX, or the first
    number that canonical JSON cannot hold; "" for none.
    """
    if isinstance(value, float):
        return "" if math.isfinite(value) else str(value)
    if isinstance(value, int):
        return "" if abs(value) < 2**53 else "a whole number beyond 2^53"
    if isinstance(value, str):
        found = next((char for char in value if char == "\0" or "\ud800" <= char <= "\udfff"), "")
        return f"U+{ord(found):04X}" if found else ""
    if isinstance(value, Mapping):
        return next(filter(None, map(unstorable, (*value.keys(), *value.values()))), "")
    return next(filter(None, map(unstorable, value)), "") if isinstance(value, list | tuple) else ""


def _hosts(position: int, name: str, entries: list[Any]) -> Iterator[Problem]:
    fit = []
    for entry in entries:
        if isinstance(entry, str) and "{{" in entry:
            message = f"{name} may not take an entry from a result; write the host itself."
            yield Problem(position, name, "reference_not_allowed", message)
        elif wrong := host_problem([entry]):
            yield Problem(position, name, "host", _sentence(f"{name}: {wrong}"))
        else:
            fit.append(entry)
    if wrong := host_problem(fit):
        yield Problem(position, name, "host", _sentence(f"{name}: {wrong}"))


def _command_line(position: int, name: str, value: str, walk: _Walk) -> Iterator[Problem]:
    hidden = hidden_character(value.replace("\n", "").replace("\t", ""))
    if hidden:
        message = f"{name} holds the hidden character {hidden}; what runs must be what is seen. Type it without."
        yield Problem(position, name, "hidden_character", message)
    if "\n" in value:
        message = f"{name} is one line and no shell reads it; write a script file and run that."
        yield Problem(position, name, "line_break", message)
        return
    try:
        # The very check that the sandbox makes, so that a reviewer never approves what cannot start.
        candidates(split(value), walk.folder, walk.venv)
    except Refusal as refusal:
        yield Problem(position, name, "not_runnable", _sentence(f"{name}: {refusal}"))


def path_problems(command: Command, values: Mapping[str, Any], folder: str) -> list[tuple[str, str, str]]:
    """Return (parameter, code, message) for paths that name nothing inside the workspace, seen from `folder`."""
    found = []
    for name, value in values.items():
        kind = command.properties.get(name, {}).get("x-kind")
        if kind in PATH_KINDS and isinstance(value, str):
            wrong = path_problem(value, folder, single=kind == "name")
            if wrong:
                found.append((name, wrong[0], _sentence(f"{name} {wrong[1]}")))
    return found


def _reference(position: int, where: str, reference: Reference, walk: _Walk) -> Iterator[Problem]:
    if walk.cleanup:
        message = "Clean-up may not use results: the step that gives one may not have run. Write the value itself."
        yield Problem(position, where, "reference_in_cleanup", message)
        return
    if reference.position >= position:
        message = (
            f"{reference} names step {reference.position}, which is not before this one; refer to an earlier step."
        )
        yield Problem(position, where, "reference_order", message)
        return
    earlier = walk.commands.get(reference.position)
    if earlier is not None and reference.key not in earlier.result_keys:
        keys = " or ".join(earlier.result_keys)
        message = f"Step {reference.position} ({earlier.name}) gives no “{reference.key}”; it gives {keys}."
        yield Problem(position, where, "reference_key", message)


def _autonomous(position: int, command: Command, values: Mapping[str, Any], walk: _Walk) -> Iterator[Problem]:
    if command.destroys(values) and not walk.autonomous:
        what = command.name if command.needs_autonomous else f"{command.name} with {command.autonomous_with}"
        message = (
            f"{what} works only in autonomous mode, and only a step of the plan may switch it on: "
            "put “turn autonomous mode on” before it, and “turn autonomous mode off” after it."
        )
        yield Problem(position, "command", "needs_autonomous_mode", message)
    if command.name == "toggle_autonomous_mode" and isinstance(values.get("on"), bool):
        walk.autonomous = bool(values["on"])


def _time(position: int, step: Step, wanted_s: Any, walk: _Walk) -> Iterator[Problem]:
    longest_s = walk.ceilings.get(step.tool, {}).get("hard_s")
    if longest_s is None or isinstance(wanted_s, bool) or not isinstance(wanted_s, int | float):
        return
    if wanted_s > longest_s:
        message = (
            f"It asks for {in_words('soft_s', wanted_s)}, and a step of {step.tool} may ask for "
            f"{in_words('hard_s', longest_s)} at most; ask for less, or for a longer time from the administration."
        )
        yield Problem(position, "timeout_s", "above_limit", message)


def _beside(position: int, step: Step, walk: _Walk) -> Iterator[Problem]:
    """A jail's ceilings are fixed when it starts, and programs that were started end with theirs."""
    own, theirs = walk.ceilings.get(step.tool), walk.ceilings.get(STARTER)
    if walk.lives.living and own is not None and theirs is not None and own != theirs:
        name = walk.lives.living[0]
        message = (
            f"The administration gives {step.tool} other limits than {name}, which is running here, so it would need "
            f"another jail; stop {name} before this step, or have both given the same."
        )
        yield Problem(position, "limits", "other_limits", message)


def validate_values(command: Command, values: Mapping[str, Any], folder: str = "") -> list[tuple[str, str]]:
    """Return (parameter, message) for filled values: results are untrusted output, so all is checked again."""
    found = [
        (name, _sentence(f"{name or command.name} {message}")) for name, message in problems(command.schema, values)
    ]
    found += [(name, message) for name, _, message in path_problems(command, values, folder)]
    return found + unfit(command, values)


def unfit(command: Command, values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (parameter, message) for addresses that are none, for files of another kind, and for what the command
    itself finds.
    """
    found = []
    for name, value in values.items():
        is_address = command.properties.get(name, {}).get("x-kind") == ADDRESS_KIND and isinstance(value, str)
        if is_address and (wrong := address_problem(value)):
            found.append((name, _sentence(f"{name}: {wrong}")))
    faults = [*misnamed(command, values), *command.faults(values)]
    return found + [(name, _sentence(f"{name}: {message}")) for name, message in faults]


def _sentence(text: str) -> str:
    clean = text.strip()
    return clean if clean.endswith((".", "?")) else f"{clean}."
