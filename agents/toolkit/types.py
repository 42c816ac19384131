"""The values that perception, planning and validation hand to each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

ORIGINS = ("explicit", "rule_slot", "belief", "mapping", "default", "experience", "model", "person", "reference")

# Puts secrets back into the values of a model's answer, where it wrote the marks that it saw of them.
Restored = Callable[[Any], Any]


def as_it_is(value: Any) -> Any:
    """Where nothing was hidden from the model."""
    return value


@dataclass(frozen=True)
class Belief:
    """A sentence the agent holds true. `confidence` is 0 to 1, `at` an ISO time or empty when unknown."""

    sentence: str
    source: str = "perception"
    confidence: float = 1.0
    at: str = ""


@dataclass(frozen=True)
class Param:
    """One bound parameter: its value, where it came from, and what it was before a correction.

    `span` gives start and end of the words in the goal text that the value was taken from.
    """

    value: Any
    origin: str
    original: Any = None
    span: tuple[int, int] | None = None
    note: str = ""
    # How sure it is, 0 to 1: what was said or decided is 1.
    confidence: float = 1.0


@dataclass(frozen=True)
class Step:
    """One command with all its parameters, and why it is in the plan. Positions in `depends_on` start at 1."""

    tool: str
    command: str
    params: Mapping[str, Param]
    justification: str
    rule: str = ""
    depends_on: tuple[int, ...] = ()
    condition: Mapping[str, Any] | None = None
    # What may be done in its place when it fails, first choice first, if the reviewer grants it.
    alternatives: tuple[Step, ...] = ()
    # The branch in which it stands (`agents/bdi/plans/branches.py`), and how often it may be tried again; None: as
    # granted.
    branch: str = ""
    retries: int | None = None

    def values(self) -> dict[str, Any]:
        """Return the plain parameter values, as a schema checks them and a tool takes them."""
        return {name: param.value for name, param in self.params.items()}


@dataclass(frozen=True)
class PlanDraft:
    """Steps as proposed. `cleanup` runs after a failure, in a fresh session at the workspace's root, best effort."""

    steps: tuple[Step, ...]
    cleanup: tuple[Step, ...]
    source: str
    evidence: Mapping[str, Any]


@dataclass(frozen=True)
class NoPlan:
    """No rule could plan the goal; the reason is one word, the evidence names every rule that was tried and why not."""

    reason: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
