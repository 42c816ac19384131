"""The origins of a plan's values, over all its steps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from agents.bdi.plans import lessons
from agents.bdi.plans.document import Parameter
from agents.bdi.plans.parameters import is_written_in_rule
from review.reading.steps import Step


@dataclass(frozen=True)
class Source:
    """The values of one origin; `like` is an example, for its badge, and `places` are step and name of each."""

    like: Parameter
    places: tuple[tuple[int, str], ...]


def gathered(steps: Iterable[Step]) -> list[Source]:
    """Each origin with its values, in the order of their first place in the plan."""
    found: dict[tuple[str, bool, bool, str], list[tuple[int, str]]] = {}
    first: dict[tuple[str, bool, bool, str], Parameter] = {}
    for step in steps:
        for argument in step.arguments:
            one = argument.parameter
            # Each rule is a source of its own; any other note is about one value.
            note = one.note if is_written_in_rule(one.origin, one.note) else ""
            key = (one.origin, one.span is not None, one.original is not None, note)
            first.setdefault(key, Parameter(one.name, None, one.origin, one.original, one.span, note))
            found.setdefault(key, []).append((step.spec.position, one.name))
    return [Source(first[key], tuple(places)) for key, places in found.items()]


def of_lessons(steps: Iterable[Step]) -> list[tuple[int, str, int]]:
    """The values from lessons: step, name, and the number of the lesson."""
    return [
        (step.spec.position, argument.parameter.name, number)
        for step in steps
        for argument in step.arguments
        if (number := lessons.named_in(argument.parameter.origin, argument.parameter.note)) is not None
    ]
