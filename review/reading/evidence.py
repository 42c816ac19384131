"""Why this plan: the chosen rule, the beliefs that support it, and the rules that were not chosen.

Read from the evidence that planning stored; missing details are left out, never guessed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from agents.rules.trigger_words import Said, in_words

MOST_COLUMNS = 6


@dataclass(frozen=True)
class Held:
    """A belief of the table: `label` is B1, B2 …; `at` is None if its time is unknown."""

    label: str
    sentence: str
    source: str
    confidence: float
    at: datetime | None
    decides: bool


@dataclass(frozen=True)
class Cell:
    """Whether one belief entails one condition: yes, no or unknown; `best` marks the belief that decided."""

    answer: str
    score: str
    best: bool


@dataclass(frozen=True)
class Condition:
    """A context of the rule, with a cell for each column. `holds` without a best cell: nothing contradicts it."""

    text: str
    holds: bool
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Rejected:
    """A rule that was about this goal and was not chosen, and why."""

    name: str
    version: str
    why: str


@dataclass(frozen=True)
class Why:
    """One choice of a rule, for the goal itself or for a sub-goal."""

    goal: str
    first_step: int
    rule: str
    version: str
    version_id: int | None
    trigger: str
    slots: tuple[tuple[str, str], ...]
    beliefs: tuple[Held, ...]
    silent: int
    conditions: tuple[Condition, ...]
    rejected: tuple[Rejected, ...]
    subgoals: tuple[Why, ...] = ()

    @property
    def said(self) -> Said:
        """The trigger as a sentence with its choices."""
        return in_words(self.trigger)


@dataclass(frozen=True)
class Contradicted:
    """A belief behind revision `revision` that a person denied, and what they said is true."""

    denied: str
    holds: str
    by: str
    revision: int


def contradicted(evidence: Any) -> tuple[Contradicted, ...]:
    """What had been denied when this plan was made."""
    if not isinstance(evidence, Mapping):
        return ()
    revision = _number(evidence.get("contradicted_in")) or 0
    told = [one for one in _list(evidence, "contradicted") if isinstance(one, Mapping)]
    return tuple(
        Contradicted(str(one.get("denied", "")), str(one.get("holds", "")), str(one.get("by", "")), revision)
        for one in told
    )


def simplified(evidence: Any) -> tuple[tuple[str, ...], str]:
    """What was left out of a simpler plan, and why; empty for a plan of the whole goal."""
    told = evidence.get("simplified") if isinstance(evidence, Mapping) else None
    if not isinstance(told, Mapping):
        return (), ""
    return tuple(str(one) for one in _list(told, "left_out")), str(told.get("why", ""))


def why(evidence: Mapping[str, Any]) -> Why | None:
    """Read the evidence of a plan made by rules; None when no rule was chosen (a person wrote it)."""
    if not isinstance(evidence.get("rule"), Mapping):
        return None
    beliefs = [one for one in _list(evidence, "beliefs") if isinstance(one, Mapping)]
    subgoals = tuple(_why(one, beliefs) for one in _list(evidence, "subgoals") if isinstance(one, Mapping))
    return _why(evidence, beliefs, subgoals)


def _why(node: Mapping[str, Any], beliefs: Sequence[Mapping[str, Any]], subgoals: tuple[Why, ...] = ()) -> Why:
    rule = _map(node, "rule")
    contexts = [one for one in _list(node, "contexts") if isinstance(one, Mapping)]
    columns, silent = _columns(contexts, len(beliefs))
    deciders = {one.get("decided_by") for one in contexts}
    held = tuple(_held(f"B{at}", beliefs[number], number in deciders) for at, number in enumerate(columns, 1))
    return Why(
        goal=str(node.get("goal", "")),
        first_step=int(node.get("first_step") or 1),
        rule=str(rule.get("name", "")),
        version=str(rule.get("version", "")),
        version_id=_number(rule.get("component_version_id")),
        trigger=str(node.get("trigger", "")),
        slots=tuple((name, str(_value(slot))) for name, slot in _map(node, "slots").items()),
        beliefs=held,
        silent=silent,
        conditions=tuple(_condition(one, columns) for one in contexts),
        rejected=tuple(_rejected(one) for one in _list(node, "rejected") if isinstance(one, Mapping)),
        subgoals=subgoals,
    )


def _columns(contexts: Sequence[Mapping[str, Any]], known: int) -> tuple[list[int], int]:
    """The beliefs with a column, deciding ones first, then others with any answer; and how many have none."""
    order: dict[int, None] = {}
    for context in contexts:
        number = context.get("decided_by")
        if isinstance(number, int) and 0 <= number < known:
            order[number] = None
    seen = set(order)
    for context in contexts:
        for cell in _cells(context):
            number = cell.get("belief")
            if isinstance(number, int) and 0 <= number < known:
                seen.add(number)
                if cell.get("answer") in ("yes", "no"):
                    order.setdefault(number)
    columns = list(order)[:MOST_COLUMNS]
    return columns, len(seen) - len(columns)


def _condition(context: Mapping[str, Any], columns: Sequence[int]) -> Condition:
    by_belief = {cell.get("belief"): cell for cell in _cells(context)}
    best = context.get("decided_by")
    return Condition(
        text=str(context.get("text") or context.get("sentence") or ""),
        holds=context.get("holds") is True,
        cells=tuple(_cell(by_belief.get(number, {}), best == number) for number in columns),
    )


def _cell(cell: Mapping[str, Any], best: bool) -> Cell:
    answer = str(cell.get("answer", "unknown"))
    score = cell.get("score")
    shown = f"{score:.2f}".removeprefix("0") if isinstance(score, int | float) and answer in ("yes", "no") else ""
    return Cell(answer, shown, best)


def _held(label: str, belief: Mapping[str, Any], decides: bool) -> Held:
    try:
        at = datetime.fromisoformat(str(belief.get("at") or ""))
    except ValueError:
        at = None
    confidence = belief.get("confidence")
    return Held(
        label=label,
        sentence=str(belief.get("sentence", "")),
        source=str(belief.get("source", "")),
        confidence=float(confidence) if isinstance(confidence, int | float) else 1.0,
        at=at if at is not None and at.tzinfo is not None else None,
        decides=decides,
    )


def _rejected(one: Mapping[str, Any]) -> Rejected:
    rule = _map(one, "rule")
    return Rejected(str(rule.get("name", "")), str(rule.get("version", "")), str(one.get("why", "")))


def _value(slot: Any) -> Any:
    return slot.get("value", "") if isinstance(slot, Mapping) else slot


def _cells(context: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [cell for cell in _list(context, "cells") if isinstance(cell, Mapping)]


def _list(node: Mapping[str, Any], name: str) -> list[Any]:
    found = node.get(name)
    return found if isinstance(found, list) else []


def _map(node: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = node.get(name)
    return found if isinstance(found, Mapping) else {}


def _number(value: Any) -> int | None:
    """An id, which planning stores as text."""
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
