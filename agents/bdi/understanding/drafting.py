"""From understood commands to the draft of a plan."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agents.bdi.plans.dependencies import link
from agents.bdi.plans.parameters import with_defaults
from agents.bdi.understanding import effects
from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.understood import Meant
from agents.toolkit.command import Command
from agents.toolkit.registry import Registry
from agents.toolkit.types import Param, PlanDraft, Step

# The source of such a plan, as its row says it.
SOURCE = "understanding"
# How the reason of a goal begins that waits for the answer to a question.
QUESTION = "question_open"
MKDIR = ("simple_coder", "mkdir")
TOGGLE = ("simple_coder", "toggle_autonomous_mode")


def draft_of(meant: Sequence[Meant], evidence: Mapping[str, Any], registry: Registry, tree: Tree | None) -> PlanDraft:
    """The commands as steps. What only autonomous mode allows stands between switching it on and off again, and a
    folder into which something is moved or copied is made before, where `tree` tells that it is missing.
    """
    steps: list[Step] = []
    is_on = False
    for one in meant:
        command = registry.command(one.tool, one.command)
        if tree is not None:
            steps += [_made(folder, registry) for folder in _missing_folders(one, command, registry, tree)]
            tree = effects.after(tree, command, registry.said(command), one.values())
        needs = command.destroys(one.values())
        if needs and not is_on:
            steps.append(_switched(on=True))
        elif not needs and is_on and not _is_said(meant):
            steps.append(_switched(on=False))
        is_on = needs or (is_on and _is_said(meant))
        if (one.tool, one.command) == TOGGLE:
            is_on = bool(one.values().get("on"))
        why = f"“{' '.join(one.text.split())[:200]}” is understood as this."
        if one.superfluous:
            why += f" Of no use here: {', '.join(one.superfluous)}."
        steps.append(Step(one.tool, one.command, with_defaults(command, one.params), why))
    if is_on and not _is_said(meant):
        steps.append(_switched(on=False))
    return PlanDraft(link(tuple(steps), registry), (), SOURCE, dict(evidence))


def _missing_folders(one: Meant, command: Command, registry: Registry, tree: Tree) -> Iterator[str]:
    """The folders that a command needs and does not make: what moves and copies makes none."""
    for name, place in registry.said(command).places.items():
        value = one.values().get(name)
        if place.makes != "same" or not isinstance(value, str):
            continue
        folder = posixpath.dirname(value.rstrip("/"))
        if folder and "{{" not in folder and not tree.kind(folder):
            yield folder


def _made(folder: str, registry: Registry) -> Step:
    params = {"path": Param(folder, "explicit", note="the goal names a place in this folder")}
    return Step(*MKDIR, with_defaults(registry.command(*MKDIR), params), f"The folder {folder} is not there.")


def _is_said(meant: Sequence[Meant]) -> bool:
    """Whether the text itself speaks of autonomous mode; then it is switched as said, and no otherwise."""
    return any((one.tool, one.command) == TOGGLE for one in meant)


def _switched(*, on: bool) -> Step:
    params = {"on": Param(on, "explicit", note="only in autonomous mode can things be removed")}
    why = "Only in autonomous mode can things be removed." if on else "Nothing else is to be removed."
    return Step(*TOGGLE, params, why)


def in_a_sentence(draft: PlanDraft) -> str:
    """What the log says of a plan that was understood."""
    own = [step for step in draft.steps if (step.tool, step.command) != TOGGLE] or list(draft.steps)
    return "no rule knows this goal, but it is understood: " + ", ".join(f"{one.tool}.{one.command}" for one in own)
