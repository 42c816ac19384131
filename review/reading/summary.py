"""What a plan does, in one line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from agents.bdi.plans.document import Document
from agents.toolkit.registry import Registry
from review.reading import texts


@dataclass(frozen=True)
class Gist:
    """The steps as a row of commands. What is dangerous about them is another sentence (`review.reading.danger`)."""

    steps: str
    commands: str


def gist(document: Document) -> Gist:
    """Read the document's main steps."""
    steps = texts.counted(len(document.intents), "step")
    return Gist(steps, ", ".join(_grouped(spec.command for spec in document.intents)))


def removing(registry: Registry) -> list[tuple[str, str]]:
    """Tool and command of everything that needs autonomous mode, because it removes something."""
    return [(command.tool, command.name) for command in registry.commands if command.needs_autonomous]


def _grouped(commands: Iterator[str]) -> Iterator[str]:
    for command, run in groupby(commands):
        times = len(list(run))
        yield command if times == 1 else f"{command} × {times}"
