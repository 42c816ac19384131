"""What the steps of a plan depend on, whoever planned them: what they act on is there, what they make is not. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from agents.bdi.forecast.touched_paths import touched
from agents.bdi.plans.document import Document
from agents.rules.facts import Thing
from agents.toolkit.registry import Registry

_THINGS = {"file": "file", "dir": "folder"}


@dataclass(frozen=True)
class Precondition:
    """A sentence that held when the plan was made and must hold until the step at `position`.

    `context` says the same as a rule would, "NOT …" of what must be false.
    """

    sentence: str
    context: str
    position: int


def preconditions(document: Document, registry: Registry, kinds: Mapping[str, str]) -> Iterator[Precondition]:
    """Those of the main steps. `kinds` has what lay at each path before the plan: file or dir. What an earlier step
    makes is none.
    """
    made: set[str] = set()
    named = touched(document, registry)
    for spec in document.intents:
        touch = named[spec.position]
        for path in dict.fromkeys(touch.paths):
            if not path or any(path == one or path.startswith(f"{one}/") for one in made):
                continue
            there = _THINGS.get(kinds.get(path, ""))
            kind = there or ("folder" if path in touch.makes else "file")
            sentence = Thing(kind, path, there is not None).sentence()
            context = sentence if there else f"NOT {Thing(kind, path, exists=True).sentence()}"
            yield Precondition(sentence, context, spec.position)
            if there is None:
                made.add(path)
