"""The limits of steps; steps with the same limits are grouped. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from agents.bdi.plans.document import Document, IntentSpec
from agents.toolkit.limits import Ceiling, ceilings


@dataclass(frozen=True)
class Limited:
    """The limits of some steps; `steps` names them, `hosts` are all that they may reach."""

    steps: str
    ceilings: tuple[Ceiling, ...]
    hosts: tuple[str, ...]


def limits_of(document: Document) -> list[Limited]:
    """The limits of every step and alternative, in the order of their first place in the plan."""
    found: dict[tuple[tuple[Ceiling, ...], tuple[str, ...]], tuple[list[int], list[str]]]
    found = defaultdict(lambda: ([], []))
    for spec in document.all_intents:
        found[_limits(spec)][0].append(spec.position)
        for number, other in enumerate(spec.alternatives, 1):
            found[_limits(other)][1].append(f"alternative {number} of step {spec.position}")
    if len(found) == 1:
        return [Limited("every step", *limits) for limits in found]
    return [Limited(_named(*places), *limits) for limits, places in found.items()]


def _limits(spec: IntentSpec) -> tuple[tuple[Ceiling, ...], tuple[str, ...]]:
    return tuple(ceilings(spec.limits)), tuple(spec.hosts)


def _named(positions: Sequence[int], others: Sequence[str]) -> str:
    steps = f"step{'' if len(positions) == 1 else 's'} {', '.join(map(str, positions))}"
    return ", ".join([steps, *others] if positions else others)
