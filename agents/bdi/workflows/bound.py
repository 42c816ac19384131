"""What binding a workflow comes to: the steps of a plan, and what it defines, leaves out, calls and returns."""

from __future__ import annotations

from dataclasses import dataclass

from agents.bdi.workflows.faults import Fault
from agents.toolkit.registry import Registry
from agents.toolkit.types import Step


@dataclass(frozen=True)
class Known:
    """A workflow of the library that others may call."""

    name: str
    version: str
    body: str


@dataclass(frozen=True)
class BoundStep:
    """One step of the plan. `line`: where it, or the call that brought it, is written. `way`: its place, as in 2.1."""

    step: Step
    line: int
    way: str
    output_var: str = ""
    workflow: str = ""
    condition: str = ""
    # False where a fault stands in for a value, so that nothing more is said of the step.
    is_whole: bool = True


@dataclass(frozen=True)
class Definition:
    """A tool that the workflow defines. `text`: what the library keeps of it. `is_in_use`: with this very code."""

    line: int
    name: str
    text: str
    is_in_use: bool


@dataclass(frozen=True)
class Returned:
    """What the workflow returns: a text, or what the step at `position` comes to (`key`; all of it without one)."""

    text: str = ""
    position: int = 0
    key: str = ""


@dataclass(frozen=True)
class Bound:
    """A workflow as a plan would have it. `left_out`: steps whose condition on a parameter does not hold, in words."""

    steps: tuple[BoundStep, ...]
    faults: tuple[Fault, ...]
    # The tools in use, and those that the workflow defines.
    registry: Registry
    definitions: tuple[Definition, ...] = ()
    returned: Returned | None = None
    left_out: tuple[str, ...] = ()
    calls: tuple[Known, ...] = ()
