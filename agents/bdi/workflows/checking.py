"""A workflow's text with everything that is wrong with it: its form, its values, and the plan it would make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from agents.bdi.plans.validation import validate
from agents.bdi.workflows import placeholders
from agents.bdi.workflows.binding import bind
from agents.bdi.workflows.bound import Bound, Known
from agents.bdi.workflows.faults import Fault
from agents.bdi.workflows.reading import MAX_CHARS, Workflow, read
from agents.rules.naming import hidden_character
from agents.toolkit.registry import Registry

# Each fault names one line; a text of nothing else is not listed to its end.
_MOST_HIDDEN = 20


@dataclass(frozen=True)
class Checked:
    """`workflow` and `bound` are None where the text cannot be read that far."""

    workflow: Workflow | None
    bound: Bound | None
    faults: tuple[Fault, ...]

    @property
    def errors(self) -> tuple[Fault, ...]:
        """What keeps it from being saved or processed."""
        return tuple(fault for fault in self.faults if not fault.is_warning)


def check(
    text: str,
    registry: Registry,
    known: Mapping[str, Known],
    *,
    version: str = "",
    given: Mapping[str, Any] | None = None,
) -> Checked:
    """Read and bind a text. `given`: values of its parameters; None leaves those open that have no default."""
    reading = read(text)
    faults = {*reading.faults}
    if len(text) <= MAX_CHARS:  # of what is too long nothing more is looked at
        faults |= set(islice(_hidden_characters(text), _MOST_HIDDEN))
    if reading.workflow is None:
        return Checked(None, None, tuple(sorted(faults)))
    bound = bind(reading.workflow, given, registry, known, version)
    faults |= set(bound.faults)
    if bound.steps or all(fault.is_warning for fault in faults):  # else its steps are only not read
        faults |= set(of_plan(bound))
    return Checked(reading.workflow, bound, tuple(sorted(faults)))


def of_plan(bound: Bound) -> Iterator[Fault]:
    """What validation says of the plan, at the lines of the workflow. Of a value that is open it says nothing yet."""
    if not bound.steps:
        if not bound.left_out:
            yield Fault(1, "no step of this does anything", "EXECUTE a tool or a workflow")
        return
    for problem in validate([one.step for one in bound.steps], (), bound.registry):
        step = bound.steps[problem.position - 1] if problem.position else bound.steps[0]
        param = step.step.params.get(problem.field)
        if step.is_whole and (param is None or next(placeholders.parameters_in(param.value), None) is None):
            yield Fault(step.line, f"step {step.way}: {problem.message.rstrip('.')}")


def _hidden_characters(text: str) -> Iterator[Fault]:
    """People read a workflow before it is used: nothing in it may be invisible or turn the reading direction."""
    for number, line in enumerate(text.splitlines(), start=1):
        if character := hidden_character(line.replace("\t", " ")):
            yield Fault(number, f"this contains the hidden character {character}", "Write it as an escape")
