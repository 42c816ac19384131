"""`coord_query`: what is known that is near to a question: components, experiences and rules, with their places."""

from __future__ import annotations

from typing import Any

from agents.components import known_components, rules
from agents.mastermind import components
from agents.mastermind.components import Component
from library.memory import selectors as memory
from people.models import User

_MOST = 5
_LISTED = 200
# How like a rule must be to the question to be named.
_NEAR = 0.25


def answer(question: str, *, by: User) -> tuple[list[str], dict[str, Any]]:
    """What is known, in lines, and the same for programs. A word such as “components” lists all of them."""
    known = known_components.known()
    wanted = question.strip().casefold().strip(" ?.")
    if wanted in ("components", "tools", "agents", "rules", "firmware"):
        return _all_of("" if wanted == "components" else wanted.removesuffix("s"), known)
    named = _named(question, known)
    found = memory.nearest_to(question, user=by, limit=_MOST)
    near = [(rule, likeness) for rule, likeness in rules.nearest_rules(question, _MOST) if likeness >= _NEAR]
    said = [f"component: {one}" for one in named]
    said += [
        f"experience of goal {row.goal_ref} ({row.final_outcome.replace('_', ' ')}{_percent(likeness)}): "
        f"{_short(row.primary_goal_description)}" + (f" | {_short(row.output_summary)}" if row.output_summary else "")
        for row, likeness in found
    ]
    said += [f"rule ({round(100 * likeness)} %): {rule.name}" for rule, likeness in near]
    data = {
        "components": [_component(one) for one in named],
        "experiences": [
            {
                "goal": row.goal_ref,
                "outcome": row.final_outcome,
                "text": row.primary_goal_description,
                "came_of_it": row.output_summary,
                "likeness": likeness,
            }
            for row, likeness in found
        ],
        "rules": [{"name": rule.name, "likeness": likeness} for rule, likeness in near],
    }
    return said or ["Nothing known matches this."], data


def _all_of(kind: str, known: list[Component]) -> tuple[list[str], dict[str, Any]]:
    """All components of a kind; of every kind for ""."""
    listed = [one for one in known if kind in ("", one.kind)][:_LISTED]
    said = [f"{one.kind} {one.name}" for one in listed] or [f"There is no {kind}."]
    return said, {"components": [_component(one) for one in listed]}


def _named(question: str, known: list[Component]) -> list[Component]:
    words = question.replace("?", " ").split()
    found = {}
    for length in (3, 2, 1):
        for first in range(len(words) - length + 1):
            match = components.find(" ".join(words[first : first + length]), known)
            if match.component is not None and match.is_whole:
                found[match.component.key] = match.component
    return list(found.values())[:_MOST]


def _component(one: Component) -> dict[str, str]:
    return {"kind": one.kind, "name": one.name}


def _percent(likeness: float | None) -> str:
    return f", {round(100 * likeness)} %" if likeness is not None else ""


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 160 else f"{flat[:160]}…"
