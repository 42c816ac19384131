"""What planning was told from messages, memory and library, and what was left out, from the plan's evidence. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Entry:
    """A message, experience or component: its cost, and why it was included or not. `id` 0: it has no number of its
    own; `name` identifies it.
    """

    kind: str
    id: int
    name: str
    tokens: int
    why: str

    @property
    def is_experience(self) -> bool:
        return self.kind == "experience"


@dataclass(frozen=True)
class Remembered:
    """All of it. `is_off`: the agent planned without memory."""

    is_off: bool
    budget: int
    tokens: int
    taken: tuple[Entry, ...]
    left_out: tuple[Entry, ...]


def read(evidence: Mapping[str, Any]) -> Remembered | None:
    """The context in the evidence of a plan by a model; None if there is none, as in older plans."""
    model = evidence.get("model")
    memory = model.get("memory") if isinstance(model, Mapping) else None
    if not isinstance(memory, Mapping):
        return None
    return Remembered(
        bool(memory.get("off")),
        int(memory.get("budget") or 0),
        int(memory.get("tokens") or 0),
        tuple(_entry(one) for one in memory.get("taken") or ()),
        tuple(_entry(one) for one in memory.get("left_out") or ()),
    )


def _entry(one: Mapping[str, Any]) -> Entry:
    named = str(one.get("id", ""))
    number = int(named) if named.isascii() and named.isdigit() and len(named) < 19 else 0
    return Entry(str(one.get("kind", "")), number, named, int(one.get("tokens") or 0), str(one.get("why", "")))
