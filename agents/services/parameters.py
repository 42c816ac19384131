"""Commands without a rule: understood as they were meant, proposed with their evidence, or asked about.

The pure core (agents.bdi.understanding) reads; here files, tables and earlier runs are loaded for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.bdi.dependencies import link
from agents.bdi.parameters import with_defaults
from agents.bdi.types import NoPlan, Param, PlanDraft, Step
from agents.bdi.understanding.paths import Tree
from agents.bdi.understanding.understand import understand
from agents.bdi.understanding.understood import Choice, Meant, Question, Understood
from agents.models import Goal, Plan
from agents.services import base_files
from agents.services.base_files import BaseUnreadable
from agents.toolkit.registry import REGISTRY

SOURCE = Plan.Source.UNDERSTANDING.value
# How the reason of a goal begins that waits for the answer to a question.
QUESTION = "question_open"
_TOGGLE = ("simple_coder", "toggle_autonomous_mode")


def understood(goal: Goal, without: NoPlan) -> PlanDraft | NoPlan:
    """What the goal's text means as commands, where no rule made a plan; else `without`, with what is to be asked."""
    tree = tree_of(goal)
    if tree is None:
        return without
    found = understand(goal.text, tree, REGISTRY)
    if not found.meant and not found.questions:
        return without
    evidence = {**without.evidence, "understood": as_data(found)}
    if found.is_sure:
        return draft_of(found.meant, evidence)
    if not asks(found) or (without.reason != "no_relevant_rule" and not _offers(found)):
        return without
    return NoPlan(f"{QUESTION}: {found.questions[0].text}", evidence)


def asks(found: Understood) -> bool:
    """Whether what is asked says what could be answered: a value of a known command, or one of several readings."""
    return bool(found.questions) and all(question.parameter or question.choices for question in found.questions)


def _offers(found: Understood) -> bool:
    return all(question.choices for question in found.questions)


def tree_of(goal: Goal) -> Tree | None:
    """The files of the goal's workspace as they are now; None when they cannot be read."""
    try:
        entries = base_files.entries_of(goal.workspace.head)
    except BaseUnreadable:
        return None
    return Tree.of((entry.path, entry.kind) for entry in entries)


def draft_of(meant: Sequence[Meant], evidence: Mapping[str, Any]) -> PlanDraft:
    """The commands as steps. What only autonomous mode allows stands between switching it on and off again."""
    steps: list[Step] = []
    is_on = False
    for one in meant:
        command = REGISTRY.command(one.tool, one.command)
        needs = command.destroys(one.values())
        if needs and not is_on:
            steps.append(_switched(on=True))
        elif not needs and is_on and not _is_said(meant):
            steps.append(_switched(on=False))
        is_on = needs or (is_on and _is_said(meant))
        if (one.tool, one.command) == _TOGGLE:
            is_on = bool(one.values().get("on"))
        why = f"“{' '.join(one.text.split())[:200]}” is understood as this."
        if one.superfluous:
            why += f" Of no use here: {', '.join(one.superfluous)}."
        steps.append(Step(one.tool, one.command, with_defaults(command, one.params), why))
    if is_on and not _is_said(meant):
        steps.append(_switched(on=False))
    return PlanDraft(link(tuple(steps), REGISTRY), (), SOURCE, dict(evidence))


def _is_said(meant: Sequence[Meant]) -> bool:
    """Whether the text itself speaks of autonomous mode; then it is switched as said, and no otherwise."""
    return any((one.tool, one.command) == _TOGGLE for one in meant)


def _switched(*, on: bool) -> Step:
    params = {"on": Param(on, "explicit", note="only in autonomous mode can things be removed")}
    why = "Only in autonomous mode can things be removed." if on else "Nothing else is to be removed."
    return Step(*_TOGGLE, params, why)


def in_a_sentence(draft: PlanDraft) -> str:
    """What the log says of a plan that was understood."""
    own = [step for step in draft.steps if (step.tool, step.command) != _TOGGLE] or list(draft.steps)
    return "no rule knows this goal, but it is understood: " + ", ".join(f"{one.tool}.{one.command}" for one in own)


def as_data(found: Understood) -> dict[str, Any]:
    """What was understood as JSON, for the evidence of a plan."""
    return {
        "steps": [_meant_data(one) for one in found.meant],
        "questions": [_question_data(one) for one in found.questions],
        "beliefs": list(found.beliefs),
        "notes": list(found.notes),
        "confidence": found.confidence,
    }


def _meant_data(one: Meant) -> dict[str, Any]:
    return {
        "tool": one.tool,
        "command": one.command,
        "text": one.text,
        "confidence": one.confidence,
        "superfluous": list(one.superfluous),
        "params": {
            name: {
                "value": param.value,
                "origin": param.origin,
                "original": param.original,
                "span": list(param.span) if param.span else None,
                "note": param.note,
                "confidence": param.confidence,
            }
            for name, param in one.params.items()
        },
    }


def _question_data(one: Question) -> dict[str, Any]:
    return {
        "step": one.step,
        "text": one.text,
        "why": one.why,
        "parameter": one.parameter,
        "choices": [
            {
                "label": choice.label,
                "why": choice.why,
                "value": choice.value,
                "meant": [_meant_data(each) for each in choice.meant],
            }
            for choice in one.choices
        ],
    }


def meant_of(raw: Mapping[str, Any]) -> Meant:
    """A command out of the evidence of a plan."""
    params = {
        name: Param(
            value=one["value"],
            origin=one["origin"],
            original=one["original"],
            span=tuple(one["span"]) if one["span"] else None,
            note=one["note"],
            confidence=one["confidence"],
        )
        for name, one in raw["params"].items()
    }
    return Meant(raw["tool"], raw["command"], params, raw["text"], raw["confidence"], tuple(raw["superfluous"]))


def question_of(raw: Mapping[str, Any]) -> Question:
    """A question out of the evidence of a plan."""
    choices = tuple(
        Choice(one["label"], one["why"], one["value"], tuple(meant_of(each) for each in one["meant"]))
        for one in raw["choices"]
    )
    return Question(raw["step"], raw["text"], raw["why"], raw["parameter"], choices)
