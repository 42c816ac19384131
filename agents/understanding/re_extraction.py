"""Re-extraction of parameters: what the goal's own words say about a step that failed, read again from the start.

By the understanding of commands, which knows the files as they are now (earlier steps may have made some); where it
makes nothing of the command, clauses are read as phrases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agents.bdi.plans.document import IntentSpec
from agents.bdi.plans.validation import validate_values
from agents.bdi.recovery import simplifying
from agents.bdi.recovery.failures import Failure
from agents.bdi.understanding.understand import understand
from agents.bdi.understanding.understood import Meant
from agents.models import Goal
from agents.toolkit import phrases
from agents.toolkit.registry import UnknownTool, tools_in_use
from agents.toolkit.types import Param
from agents.understanding import in_force, parameters

_CLAUSES = re.compile(r"\s*(?:[,;.]\s+|\bthen\b|\band\b)\s*", re.IGNORECASE)


def other_values(
    goal: Goal, step: IntentSpec, failure: Failure, others: Sequence[IntentSpec] = ()
) -> IntentSpec | None:
    """The step with the values that the goal names for it, when these are others and fit the command; else None.

    Where the goal says exactly what was tried, or another step (`others`) does what it says, there is nothing to take.
    """
    try:
        command = tools_in_use().command(step.tool, step.command)
    except UnknownTool:
        return None
    named = (step.tool, step.command)
    read = [one for one in _understood(goal) if (one.tool, one.command) == named]
    # Phrases are taken literally: beside what was understood they would say what was tried once more.
    read = read or [one for one in _phrases(goal) if (one.tool, one.command) == named]
    if any(_says(one, step) for one in read):
        return None
    for one in read:
        taken = any(_says(one, other) for other in others if other.position != step.position)
        if taken or validate_values(command, {**step.params, **one.values()}, ""):
            continue
        made = step
        for name, param in one.params.items():
            note = "; ".join(filter(None, (param.note, f"read again, because it failed: {failure.reason[:200]}")))
            made = simplifying.fixed(made, {name: param.value}, param.origin, note)
        return made
    return None


def _says(one: Meant, step: IntentSpec) -> bool:
    """Whether the reading is this very step."""
    same = (one.tool, one.command) == (step.tool, step.command)
    return same and all(step.params.get(name) == value for name, value in one.values().items())


def _understood(goal: Goal) -> Iterator[Meant]:
    """The commands of the goal that are understood surely, and that nothing is asked about."""
    switches = in_force.switches()
    tree = parameters.tree_of(goal, in_force.mapped(goal.submitted_by_id)) if switches.enable_understanding else None
    if tree is None:
        return
    found = understand(goal.text, tree, tools_in_use())
    asked = {question.step for question in found.questions}
    for at, one in enumerate(found.meant, 1):
        if at not in asked and one.confidence >= switches.least_confidence:
            yield one if switches.enable_path_correction else _as_said(one)


def _phrases(goal: Goal) -> Iterator[Meant]:
    for clause in [goal.text, *_CLAUSES.split(goal.text)]:
        try:
            command, values = phrases.read(clause.strip().rstrip(".;,"), tools_in_use())
        except phrases.PhraseError:
            continue
        params = {name: Param(value, "explicit") for name, value in values.items()}
        yield Meant(command.tool, command.name, params, clause, 1.0)


def _as_said(one: Meant) -> Meant:
    """With each value as it stood in the text: correction of paths is switched off."""
    said = {
        name: Param(param.original, "explicit", span=param.span) if param.origin == "mapping" else param
        for name, param in one.params.items()
    }
    return replace(one, params=said)
