"""What a goal is given besides its text: priority, deadline, parent, and the goals that it waits for. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

Edges = Mapping[int, Collection[int]]


@dataclass(frozen=True)
class Terms:
    """`deadline` is an ISO text, "" for none; `parent` None for a goal of its own; `depends_on` in order of ids."""

    priority: int
    deadline: str = ""
    parent: int | None = None
    depends_on: tuple[int, ...] = ()


@dataclass(frozen=True)
class Knot:
    """Terms that could never come true: which of them, and why in one sentence."""

    field: str
    why: str


def changes(before: Terms, after: Terms) -> dict[str, tuple[object, object]]:
    """By name what each changed term was and becomes."""
    pairs = {name: (getattr(before, name), getattr(after, name)) for name in before.__dataclass_fields__}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def in_words(changed: Mapping[str, tuple[object, object]]) -> str:
    """The changes as one clause: "priority from 3 to 1, deadline from none to …"."""
    return ", ".join(
        f"{_NAMES[name]} from {_said(name, old)} to {_said(name, new)}" for name, (old, new) in changed.items()
    )


_NAMES = {"priority": "priority", "deadline": "deadline", "parent": "parent goal", "depends_on": "waits for"}


def _said(name: str, value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(f"goal {each}" for each in value) or "no goal"
    if value is None or value == "":
        return "none"
    if name == "deadline":
        return f"{datetime.fromisoformat(str(value)).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    return f"goal {value}" if name == "parent" else str(value)


def knot(goal: int, terms: Terms, parents: Edges, waits: Edges) -> Knot | None:
    """Why a goal with these terms could never begin or end; None when nothing speaks against them.

    `parents` and `waits` say of other goals what they are a part of and what they wait for, as far as that leads on
    from here. A whole may wait for its parts; a part that waited for its whole would be dropped before it began.
    """
    above = _reached({terms.parent} if terms.parent is not None else set(), parents)
    if goal in above:
        return Knot("parent", f"Goal {terms.parent} is itself a part of goal {goal}.")
    before = _reached(set(terms.depends_on), waits)
    if goal in before:
        named = next((each for each in terms.depends_on if goal in _reached({each}, waits)), goal)
        said = "A goal cannot wait for itself." if named == goal else f"Goal {named} waits for goal {goal} already."
        return Knot("depends_on", said)
    if stuck := sorted(before & above):
        why = f"It would wait for goal {stuck[0]}, which it is a part of, and be dropped when that has ended."
        return Knot("depends_on", why)
    return None


def _reached(start: set[int], edges: Edges) -> set[int]:
    """All goals that the edges lead to, those at the start among them."""
    found: set[int] = set()
    waiting = list(start)
    while waiting:
        goal = waiting.pop()
        if goal not in found:
            found.add(goal)
            waiting.extend(edges.get(goal, ()))
    return found
