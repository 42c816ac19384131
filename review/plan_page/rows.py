"""A step as the plan's page lists it: what of it stands open, and what is folded because it was approved before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from review.reading.steps import Argument, Step
from review.reading.ticks import Tick
from review.risk.assessment import Level
from review.talk.threads import Said


@dataclass(frozen=True)
class Row:
    """One step as the page lists it: with its box, its anchor, and what was said about it."""

    step: Step
    tick: Tick | None
    anchor: str
    said: list[Said]
    # The values of the familiar plan that differ, by name; None: the plan is not familiar, and all of it is shown.
    was: Mapping[str, str] | None = None
    # What `review.risk.assessment.StepRisk` says of it, as it was stored; None until that is worked out.
    risk: Mapping[str, Any] | None = None

    @property
    def folds(self) -> bool:
        """Whether only its command and what differs stand open. A long text that differs, or a long command line, does
        not fit into that.
        """
        shown = {*(self.was or ()), "command_line"}
        return self.was is not None and not any(
            argument.is_block for argument in self.step.arguments if argument.parameter.name in shown
        )

    @property
    def shows_risk(self) -> bool:
        """Too few cases are said once for the whole plan, and of a familiar one a low risk is not said again."""
        if self.risk is None or self.risk.get("lacks_cases"):
            return False
        return not (self.folds and self.risk["level"] == Level.LOW)

    @property
    def shows_history(self) -> bool:
        """Whether the outcomes of steps like it say anything: there are enough of them, or one failed."""
        if self.risk is None or "about" not in self.risk:
            return False
        failures = self.risk["failures"]
        return failures["percent"] is not None or failures["worked"] > 0 or self.risk.get("failed_in_copy", False)

    @property
    def changed(self) -> list[tuple[Argument, str]]:
        """Each argument that differs from the familiar plan, with what it was there."""
        was = self.was or {}
        named = [(argument, argument.parameter.name) for argument in self.step.arguments]
        return [(argument, was[name]) for argument, name in named if name in was]

    @property
    def unchanged(self) -> list[Argument]:
        """The other arguments."""
        return [one for one in self.step.arguments if one.parameter.name not in (self.was or ())]
