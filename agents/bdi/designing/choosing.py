"""Whether a need is met by what there is: reuse, evolve or create, by the scores of the library's two-stage search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.bdi.designing.workflow_values import Chosen

REUSE, EVOLVE, CREATE = "reuse", "evolve", "create"


@dataclass(frozen=True)
class Thresholds:
    """From which score a component is taken as it is, and from which one it is developed further.

    Measured with the sentence model and the rules and tools that ship, on 12 needs that these meet and 12 that nothing
    meets: 7 and 0 of them scored 0.60 or more, 11 and 1 scored 0.50 or more.
    """

    reuse: float = 0.6
    evolve: float = 0.5

    def fault(self) -> str:
        """What is wrong with them, as a sentence; empty when nothing is."""
        if not 0 <= self.evolve <= self.reuse <= 1:
            return "Both are numbers from 0 to 1, and a component is reused from no lower score than it is evolved."
        return ""


@dataclass(frozen=True)
class Match:
    """A component of the library with its scores; `task` and `content` None where meaning was not compared."""

    kind: str
    name: str
    version: str
    task: float | None
    content: float | None
    total: float

    @property
    def is_compared(self) -> bool:
        """Whether its meaning was compared, and not its words only."""
        return self.task is not None or self.content is not None


@dataclass(frozen=True)
class Decided:
    """`match`: the best there is, also where something new is created. `because`: in words, with the figures.
    `values`: of the parameters of a workflow that is reused.
    """

    choice: str
    because: str
    match: Match | None = None
    values: tuple[Chosen, ...] = ()


def decide(matches: Sequence[Match], thresholds: Thresholds, *, not_compared: str = "") -> Decided:
    """Decide by the best match. `not_compared` says why meaning could not be compared, empty when it was.

    Found by words only, a component has every word of the need; people see that it was no score that decided.
    """
    if not matches:
        why = f"; meaning could not be compared: {not_compared}" if not_compared else ""
        return Decided(CREATE, f"nothing in the library is like it{why}")
    best = max(matches, key=lambda one: (one.is_compared, one.total))
    if not best.is_compared:
        return Decided(REUSE, f"all of its words stand there; meaning could not be compared: {not_compared}", best)
    said = f"score {best.total:.2f} (task {_figure(best.task)}, content {_figure(best.content)})"
    if best.total >= thresholds.reuse:
        return Decided(REUSE, f"{said}, reused from {thresholds.reuse:.2f}", best)
    if best.total >= thresholds.evolve:
        return Decided(
            EVOLVE, f"{said}, evolved from {thresholds.evolve:.2f}, reused from {thresholds.reuse:.2f}", best
        )
    nearest = f"the nearest is the {best.kind} “{best.name}” with {said}"
    return Decided(CREATE, f"{nearest}, evolved from {thresholds.evolve:.2f}", best)


def _figure(value: float | None) -> str:
    return "not compared" if value is None else f"{value:.2f}"
