"""What a plan does, in one line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from agents.bdi.forecast.requests import requests_of
from agents.bdi.plans.document import Document, IntentSpec
from agents.toolkit.registry import Registry
from review.reading import texts


@dataclass(frozen=True)
class Gist:
    """The steps as a row of commands, and the most important facts: what is deleted and what runs."""

    steps: str
    commands: str
    removes: tuple[str, ...]
    removes_on_failure: tuple[str, ...]
    runs: tuple[str, ...]
    makes_autonomous: bool
    hosts: tuple[str, ...]
    models: tuple[str, ...]
    sends_text: bool


def gist(document: Document, registry: Registry) -> Gist:
    """Read the document's main and clean-up steps."""
    main = list(_asked(document.intents, registry))
    undo = list(_asked(document.cleanup, registry))
    return Gist(
        steps=texts.counted(len(document.intents), "step"),
        commands=", ".join(_grouped(spec.command for spec in document.intents)),
        removes=_values(main, "rm", "path"),
        removes_on_failure=_values(undo, "rm", "path"),
        runs=_values(main, "run", "command_line") + _values(main, "start", "command_line"),
        makes_autonomous=any(name == "toggle_autonomous_mode" and params.get("on") is True for name, params in main),
        hosts=document.hosts,
        models=document.models,
        sends_text=document.sends_text,
    )


def removing(registry: Registry) -> list[tuple[str, str]]:
    """Tool and command of everything that needs autonomous mode, because it removes something."""
    return [(command.tool, command.name) for command in registry.commands if command.needs_autonomous]


def _asked(specs: tuple[IntentSpec, ...], registry: Registry) -> Iterator[tuple[str, dict[str, object]]]:
    for spec in specs:
        for request in requests_of(spec, registry):
            yield request.command, dict(request.params)


def _values(asked: list[tuple[str, dict[str, object]]], command: str, parameter: str) -> tuple[str, ...]:
    return tuple(str(params.get(parameter, "")) for name, params in asked if name == command)


def _grouped(commands: Iterator[str]) -> Iterator[str]:
    for command, run in groupby(commands):
        times = len(list(run))
        yield command if times == 1 else f"{command} × {times}"
