"""What planning would make of a goal that is still being typed; nothing is stored and nothing runs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.bdi.understanding.drafting import QUESTION
from agents.components import rules
from agents.models import Agent, Goal, Workspace
from agents.rules.grammar import Trigger
from agents.rules.selection import KnownRule
from agents.toolkit.phrases import say
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import PlanDraft, Step
from agents.toolkit.wording.slots import render
from agents.understanding import command_goals, parameters
from library.models import ComponentVersion
from people.models import User
from sandbox.store.snapshots import EMPTY

NEAREST = 3
# Below this similarity a rule is not "near" but only the least far.
NEAR_ENOUGH = 0.25
_SLOT = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_BARE_VALUE = re.compile(r"[\w./@+-]+")
# Pairs of quotes that the reader of goals knows, the usual one first.
_QUOTES = (('"', '"'), ("“", "”"), ("«", "»"), ("'", "'"))


@dataclass(frozen=True)
class Piece:
    """A part of a rule's sentence: words, or a slot with the value it has so far."""

    words: str
    slot: str = ""
    value: str = ""


@dataclass(frozen=True)
class Fires:
    """The rule that would plan the goal, as it reads it."""

    rule: str
    component_id: int
    version: str
    version_id: str
    slots: Mapping[str, str]
    missing: tuple[str, ...]
    steps: tuple[str, ...]
    removes: bool


@dataclass(frozen=True)
class DoesNot:
    """A rule that knows the task but does not apply, and why."""

    rule: str
    component_id: int
    why: str


@dataclass(frozen=True)
class RuleForm:
    """A rule made into a form: its sentence with a field for each slot."""

    rule: str
    version_id: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Preview:
    """What the page shows beside the goal: one rule fires; or some do not and the text is understood as these steps, or
    asked about; or these rules are the nearest, and a model (if there is one) or a person plans it.
    """

    fires: Fires | None = None
    does_not: tuple[DoesNot, ...] = ()
    understood: tuple[str, ...] = ()
    asked: str = ""
    has_model: bool = False
    nearest: tuple[RuleForm, ...] = ()
    # The line of mastermind that it is, where it is none for a goal.
    command: str = ""


def preview(text: str, *, by: User, workspace: Workspace | None = None) -> Preview:
    """Plan the text over what is true of the workspace now (an empty one by default), without keeping anything."""
    workspace = workspace or Workspace(name="new", owner=by, head=EMPTY)
    trial = rules.try_out(text, workspace)
    if isinstance(trial.outcome, PlanDraft):
        return Preview(fires=_fires(trial.outcome))
    if command := command_goals.command_in(text, workspace):
        return Preview(command=command)
    does_not = _rejected(trial.evidence)
    # The agent may still be chosen; the one that a goal has by default stands for it.
    goal = Goal(text=text, submitted_by=by, workspace=workspace, agent=Agent())
    found = parameters.as_typed(goal, trial.outcome)
    if isinstance(found, PlanDraft):
        return Preview(does_not=does_not, understood=tuple(_said(step) for step in found.steps))
    nearest = [known for known, similarity in rules.nearest_rules(text, NEAREST) if similarity >= NEAR_ENOUGH]
    return Preview(
        does_not=does_not,
        asked=found.reason.partition(": ")[2] if found.reason.startswith(QUESTION) else "",
        has_model=parameters.has_model(goal),
        nearest=tuple(_form(known) for known in nearest),
    )


def goal_text(version_id: str, values: Mapping[str, str]) -> str | None:
    """The sentence of an active rule with these values in its slots; None when there is no such rule.

    A slot without a value stays open as `{slot}`, so that the person sees what is missing.
    """
    known = next((rule for rule in rules.known_rules() if rule.version_id == version_id), None)
    if known is None:
        return None
    filled = {slot: _as_value(values[slot]) for slot in known.rule.slots if values.get(slot, "").strip()}
    said = render(_fullest(known, filled).text, filled)
    return said[:1].upper() + said[1:]


def _rejected(evidence: Mapping[str, Any]) -> tuple[DoesNot, ...]:
    rejected = evidence.get("rejected", ())
    components = _components([found["rule"]["component_version_id"] for found in rejected])
    return tuple(
        DoesNot(found["rule"]["name"], components[found["rule"]["component_version_id"]], found["why"])
        for found in rejected
    )


def _components(version_ids: Sequence[str]) -> dict[str, int]:
    """The component, whose page people know, of each version."""
    rows = ComponentVersion.objects.filter(pk__in=[int(number) for number in version_ids])
    return {str(pk): component for pk, component in rows.values_list("pk", "component_id")}


def _fires(draft: PlanDraft) -> Fires:
    version_id = draft.evidence["rule"]["component_version_id"]
    slots = {name: slot["value"] for name, slot in draft.evidence["slots"].items()}
    known = next((rule for rule in rules.known_rules() if rule.version_id == version_id), None)
    return Fires(
        rule=draft.evidence["rule"]["name"],
        component_id=_components([version_id])[version_id],
        version=draft.evidence["rule"]["version"],
        version_id=version_id,
        slots=slots,
        missing=tuple(slot for slot in (known.rule.slots if known else ()) if slot not in slots),
        steps=tuple(_said(step) for step in draft.steps),
        removes=any(step.command == "rm" for step in draft.steps),
    )


def _said(step: Step) -> str:
    return say(tools_in_use().command(step.tool, step.command), step.values())


def _form(known: KnownRule) -> RuleForm:
    """The first wording as a form: what is optional in it is left out."""
    said = render(known.rule.triggers[0].text, {})
    pieces: list[Piece] = []
    at = 0
    for found in _SLOT.finditer(said):
        if words := said[at : found.start()].strip():
            pieces.append(Piece(words))
        pieces.append(Piece(found[1].replace("_", " "), slot=found[1]))
        at = found.end()
    if words := said[at:].strip():
        pieces.append(Piece(words))
    return RuleForm(known.name, known.version_id, tuple(pieces))


def _fullest(known: KnownRule, values: Mapping[str, str]) -> Trigger:
    """The wording that has room for most of the values, the first of several."""
    return max(known.rule.triggers, key=lambda trigger: sum(slot in values for slot in trigger.template.slots))


def _as_value(value: str) -> str:
    """A value as it stands in a goal: bare when it is one plain word, else in quotes that it does not hold itself."""
    value = " ".join(value.split())
    if _BARE_VALUE.fullmatch(value):
        return value
    opening, closing = next((pair for pair in _QUOTES if not set(pair) & set(value)), _QUOTES[0])
    return f"{opening}{value}{closing}"
