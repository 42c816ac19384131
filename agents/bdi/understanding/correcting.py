"""Correcting paths of steps before the whole plan is validated: narrow, recorded with the original, reversible.

Only what a goal or a model said is mended, never what a rule or a person wrote; only a path that must be there and is
not; only towards what is there, and only where one thing is clearly meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.bdi.understanding import effects
from agents.bdi.understanding.names.paths import NEW, Tree, find, is_in_table
from agents.toolkit.registry import Registry, UnknownTool
from agents.toolkit.types import Param, Step

# Said by the goal or by a model. What a person put into an edit, or wrote in a rule, stands.
MENDED = frozenset({"rule_slot", "model"})
# After a program ran anything may be there, so nothing is known to be missing.
_UNKNOWN_AFTER = frozenset({"run", "start", "download", "switch_branch"})
# What a parameter wants that need not be there, so that nothing is missing when it is not.
_NOT_THERE = frozenset({NEW, "note"})


def may_mend(steps: Sequence[Step], registry: Registry) -> bool:
    """Whether any path of these steps could be mended; False: whatever files there are, they stay as they are."""
    return _last_to_mend(steps, registry) > 0


def _last_to_mend(steps: Sequence[Step], registry: Registry) -> int:
    """The position of the last step with a path that could be mended, 0 for none."""
    last = 0
    for position, step in enumerate(steps, 1):
        try:
            places = registry.said(registry.command(step.tool, step.command)).places
        except UnknownTool:
            break
        if any(
            name in step.params and place.wanted not in _NOT_THERE and _is_open(step.params[name])
            for name, place in places.items()
        ):
            last = position
        if step.command in _UNKNOWN_AFTER:
            break
    return last


def mended(steps: Sequence[Step], tree: Tree, registry: Registry, least: float) -> tuple[Step, ...]:
    """The steps with the paths that are clearly meant; each is looked for among what is there when its step begins."""
    last = _last_to_mend(steps, registry)
    return (*_mended_steps(steps[:last], tree, registry, least), *steps[last:])


def _mended_steps(steps: Sequence[Step], tree: Tree, registry: Registry, least: float) -> list[Step]:
    found, known = [], True
    for step in steps:
        try:
            command = registry.command(step.tool, step.command)
        except UnknownTool:
            # Validation says so, and what the step would leave behind nobody knows.
            found.append(step)
            known = False
            continue
        said = registry.said(command)
        params = dict(step.params)
        # What would be lost keeps the name that was said: one that only resembles another is no reason to delete that.
        destroys = command.destroys(step.values())
        if known:
            for name, place in said.places.items():
                if (
                    name in params
                    and place.wanted not in _NOT_THERE
                    and not (destroys and _is_guess(params[name], tree))
                ):
                    params[name] = _mended(params[name], name, step, place.wanted, tree, least)
        changed = step if params == dict(step.params) else replace(step, params=params)
        found.append(changed)
        tree = effects.after(tree, command, said, changed.values())
        known = known and step.command not in _UNKNOWN_AFTER
    return found


def _mended(param: Param, name: str, step: Step, wanted: str, tree: Tree, least: float) -> Param:
    said = param.value
    if not _is_open(param) or tree.kind(said):
        return param
    meant = find(said, tree, wanted, tool=step.tool, parameter=name)
    if meant.value is None or meant.value == said or meant.confidence < least:
        return param
    return Param(meant.value, "mapping", said, param.span, meant.why, meant.confidence)


def _is_guess(param: Param, tree: Tree) -> bool:
    """Whether only likeness would say what a name means, and no person has."""
    return not is_in_table(param.value, tree)


def _is_open(param: Param) -> bool:
    """Whether the value may be a path that somebody said, and not a result to come."""
    return param.origin in MENDED and isinstance(param.value, str) and "{{" not in param.value
