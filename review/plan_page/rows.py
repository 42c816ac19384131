"""A step on the plan's page: what is shown, and what is folded because it was approved before."""

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
    """One step on the page, with its checkbox, its anchor, and its comments."""

    step: Step
    tick: Tick | None
    anchor: str
    said: list[Said]
    # The values of the familiar plan that differ, by name; None if the plan is not familiar: then all is shown.
    was: Mapping[str, str] | None = None
    # Its stored `review.risk.assessment.StepRisk`; None until that has been worked out.
    risk: Mapping[str, Any] | None = None

    @property
    def folds(self) -> bool:
        """Whether only its command and differences are shown. Not for a long text that differs, or a long command
        line.
        """
        shown = {*(self.was or ()), "command_line"}
        return self.was is not None and not any(
            argument.is_block for argument in self.step.arguments if argument.parameter.name in shown
        )

    @property
    def shows_risk(self) -> bool:
        """Too few cases are mentioned once for the whole plan, and a low risk is not repeated for a familiar one."""
        if self.risk is None or self.risk.get("lacks_cases"):
            return False
        return not (self.folds and self.risk["level"] == Level.LOW)

    @property
    def shows_history(self) -> bool:
        """Whether there are enough cases of such steps, or one of them failed."""
        if self.risk is None or "about" not in self.risk:
            return False
        failures = self.risk["failures"]
        return failures["percent"] is not None or failures["worked"] > 0 or self.risk.get("failed_in_copy", False)

    @property
    def changed(self) -> list[tuple[Argument, str]]:
        """Each argument that differs from the familiar plan, with its value there."""
        was = self.was or {}
        named = [(argument, argument.parameter.name) for argument in self.step.arguments]
        return [(argument, was[name]) for argument, name in named if name in was]

    @property
    def unchanged(self) -> list[Argument]:
        """The other arguments."""
        return [one for one in self.step.arguments if one.parameter.name not in (self.was or ())]
