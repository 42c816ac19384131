"""Which plans have the same steps, and what cannot be undone in a plan, from its document alone. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator

from agents.bdi.plans.document import Document, IntentSpec
from agents.toolkit.registry import Registry
from review.reading import summary
from review.reading.danger import Danger

_HEX = 32


def shape_of(document: Document) -> str:
    """The key of a plan's shape: the same phases, tools, commands and names of parameters in the same order, the
    declared alternatives of each step included.

    Values are not included, so plans of one shape differ only in the values of their steps.
    """
    steps = [[_form(spec), *map(_form, spec.alternatives)] for spec in document.all_intents]
    return hashlib.sha256(json.dumps(steps).encode()).hexdigest()[:_HEX]


def _form(spec: IntentSpec) -> list[str]:
    return [spec.phase, spec.tool, spec.command, *sorted(spec.params)]


def does(document: Document) -> list[str]:
    """`tool.command` of everything that may run, each once."""
    return sorted(
        {f"{spec.tool}.{spec.command}" for step in document.all_intents for spec in (step, *step.alternatives)}
    )


def deletes(document: Document, registry: Registry) -> bool:
    """Whether a main step needs autonomous mode. Steps that only follow a failure do not count."""
    removing = set(summary.removing(registry))
    return any((spec.tool, spec.command) in removing for spec in _main(document))


def cannot_be_repeated(document: Document) -> bool:
    """Whether a main step has an effect outside that cannot be repeated."""
    return any(spec.effect == "once" for spec in _main(document))


def _main(document: Document) -> Iterator[IntentSpec]:
    """The main steps, each with its alternatives, because an approval may cover these too."""
    for spec in document.intents:
        yield spec
        yield from spec.alternatives


def danger_at_first(document: Document, registry: Registry, replaces: Collection[str]) -> Danger:
    """The danger by the names of the steps alone, until it has been worked out (`review.entries.dangers`).

    `replaces` are the files that it overwrites.
    """
    if deletes(document, registry):
        return Danger.DELETES
    if replaces:
        return Danger.OVERWRITES
    return Danger.REACHES_OUT if cannot_be_repeated(document) else Danger.UNKNOWN
