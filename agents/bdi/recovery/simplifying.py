"""The simplified approach: the rest of a plan with its failed step split, asking for less, or left out.

Pure. What comes out is a proposal: it changes what was approved, so people look at it before it runs.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.bdi.plans.document import Document, IntentSpec, Parameter
from agents.bdi.recovery.failures import FailureClass
from agents.toolkit.packages import fetches_packages
from agents.toolkit.registry import Registry, UnknownTool

# More pieces than this are no simpler plan.
MOST_PIECES = 8
# Values that nobody gave: what the planner, an example or a mapping put there may be what is wrong.
_GUESSED = frozenset({"model", "experience", "mapping", "default"})


@dataclass(frozen=True)
class Simpler:
    """What comes in the place of the failed step (nothing: it is left out), and which later steps go with it."""

    instead: tuple[IntentSpec, ...]
    left_out: tuple[int, ...]
    why: str


def simpler(
    document: Document,
    position: int,
    failure_class: FailureClass,
    registry: Registry,
    *,
    leave_out: bool = True,
    done: Collection[int] = (),
) -> Simpler | None:
    """A simpler rest of the plan, or None when there is none. `leave_out`: the step itself may be done without.

    With wrong parameters less is asked for; else the step is cut into pieces; else it is left out with whatever stands
    on it, when something of the plan is left then. `done`: later steps that have ended, in branches beside it.
    """
    spec = document.at(position)
    for found in (_less(spec, registry) if failure_class is FailureClass.INVALID_PARAMETERS else None, pieces(spec)):
        if found is not None:
            return found
    return without(document, position, done) if leave_out else None


def pieces(spec: IntentSpec) -> Simpler | None:
    """The step cut into several that do the same together: packages one by one, files one by one."""
    cut = _packages(spec) or _listed(spec)
    if not cut or not 1 < len(cut) <= MOST_PIECES:
        return None
    made = tuple(_with(spec, name, value, "one piece of the step that failed") for name, value in cut)
    return Simpler(made, (), f"step {spec.position} is done in {len(made)} smaller steps")


def _packages(spec: IntentSpec) -> list[tuple[str, Any]]:
    line = spec.params.get("command_line")
    if not isinstance(line, str) or not fetches_packages(line):
        return []
    try:
        words = shlex.split(line)
    except ValueError:
        return []
    if "install" not in words:
        return []
    at = words.index("install") + 1
    head, named = words[:at], words[at:]
    # With an option that takes a value nobody knows which words are packages.
    if any(word.startswith("-") for word in named):
        return []
    return [("command_line", shlex.join([*head, one])) for one in dict.fromkeys(named)]


def _listed(spec: IntentSpec) -> list[tuple[str, Any]]:
    """A list of paths is done path by path; with two such lists nobody knows which belong together."""
    lists = [
        (name, value)
        for name, value in spec.params.items()
        if name in ("paths", "files") and isinstance(value, list | tuple) and len(value) > 1
    ]
    return [(lists[0][0], [one]) for one in lists[0][1]] if len(lists) == 1 else []


def _less(spec: IntentSpec, registry: Registry) -> Simpler | None:
    """The step with the usual values in place of optional ones that nobody had asked for."""
    try:
        command = registry.command(spec.tool, spec.command)
    except UnknownTool:
        return None
    usual = command.defaults()
    guessed = {one.name for one in spec.parameters if one.origin in _GUESSED}
    asked = {
        name
        for name, value in spec.params.items()
        if name not in command.required and name in guessed and value != usual.get(name)
    }
    if not asked:
        return None
    made = spec
    for name in sorted(asked):
        made = _with(made, name, usual.get(name), "the usual value: what was there before failed")
    return Simpler((made,), (), f"step {spec.position} asks for less: {', '.join(sorted(asked))} as usual")


def without(document: Document, position: int, done: Collection[int] = ()) -> Simpler | None:
    """The rest without this step and without every later one that stands on it; None when nothing would be left."""
    gone = {position}
    for spec in document.intents:
        if spec.position > position and gone & set(spec.depends_on):
            gone.add(spec.position)
    left = [spec for spec in document.intents if spec.position > position and spec.position not in {*gone, *done}]
    if not left:
        return None
    more = sorted(gone - {position})
    also = f" and what depends on it ({', '.join(map(str, more))})" if more else ""
    return Simpler((), tuple(more), f"step {position} is left out{also}; {_are_left(len(left))}")


def _are_left(number: int) -> str:
    return "one of the plan's steps is left" if number == 1 else f"{number} of the plan's steps are left"


def fixed(spec: IntentSpec, values: Mapping[str, Any], origin: str, note: str) -> IntentSpec:
    """The step with these values in place of its own, each with what stood there."""
    made = spec
    for name, value in values.items():
        if name not in made.params or made.params[name] != value:
            made = _with(made, name, value, note, origin)
    return made


def _with(spec: IntentSpec, name: str, value: Any, note: str, origin: str = "default") -> IntentSpec:
    params = {**spec.params, name: value} if value is not None else _less_one(spec.params, name)
    before = next((one for one in spec.parameters if one.name == name), None)
    record = Parameter(name, value, origin, spec.params.get(name), before.span if before else None, note)
    others: Sequence[Parameter] = [one for one in spec.parameters if one.name != name]
    kept = (*others, record) if value is not None else tuple(others)
    return replace(spec, params=params, parameters=kept)


def _less_one(params: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in params.items() if key != name}
