"""One workflow on its way to a plan: what its steps may name, and how it was called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agents.bdi.plans.branches import LETTERS
from agents.bdi.workflows.reading import Workflow
from agents.bdi.workflows.values import Names


@dataclass
class Scope:
    """One workflow on its way: its own names, and how it was called."""

    workflow: Workflow
    version: str
    params: Mapping[str, Any]
    outputs: dict[str, Any] = field(default_factory=dict)
    presets: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    returned: Any = None
    # Of the call: its line in the outermost workflow, its place, its condition, and who calls whom.
    line: int = 0
    way: str = ""
    condition: Mapping[str, Any] | None = None
    said: str = ""
    callers: tuple[str, ...] = ()
    # Results of the branches beside this one, which it cannot read, with their branch.
    beside: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> Names:
        return Names(self.params, self.outputs, self.beside)

    @property
    def title(self) -> str:
        return f"the workflow “{self.workflow.name}”" + (f" {self.version}" if self.version else "")

    @property
    def branch(self) -> str:
        """The branch in which its steps stand; "" outside of all."""
        parts = self.way.rstrip(".").split(".")
        last = max((at for at, part in enumerate(parts, 1) if part[-1:] in LETTERS and part), default=0)
        return ".".join(parts[:last])

    def of_branch(self, number: int, letter: str, beside: Mapping[str, str]) -> Scope:
        """A branch of the PARALLEL that is step `number`: what is named in it is not seen beside it."""
        return replace(
            self,
            outputs=dict(self.outputs),
            presets=dict(self.presets),
            way=f"{self.way}{number}{letter}.",
            beside={**self.beside, **beside},
        )
