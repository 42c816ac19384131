"""A plan as a person writes it: one step a line, as a phrase, or as `tool.command {"name": "value"}`.

The second form says what no phrase can (long texts, optional values); the page writes it out of filled forms.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.presentation.values import as_text
from agents.toolkit import phrases
from agents.toolkit.command import Command
from agents.toolkit.registry import Registry, UnknownTool
from agents.toolkit.schemas import JsonError, loads_strict, problems

LINES_MAX = 200
_EXACT = re.compile(r"\s*(?P<tool>[a-z_][a-z0-9_]*)\.(?P<command>[a-z_][a-z0-9_]*)\s*(?P<json>\{.*\})?\s*\Z", re.DOTALL)

Step = dict[str, Any]


@dataclass(frozen=True)
class HandLine:
    """One written line with what was read: a step and its sentence, or the problem. `number` counts from 1."""

    number: int
    text: str
    step: Step | None = None
    sentence: str = ""
    problem: str = ""

    @property
    def arguments(self) -> list[tuple[str, str]]:
        """(name, value as text) of every parameter."""
        return [(name, as_text(value)) for name, value in self.step["params"].items()] if self.step else []


def read_lines(text: str, registry: Registry) -> list[HandLine]:
    """Every line that is not blank, read. Lines beyond LINES_MAX become one problem."""
    written = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    found = [_read(number, line, registry) for number, line in written[:LINES_MAX]]
    if len(written) > LINES_MAX:
        number, line = written[LINES_MAX]
        found.append(HandLine(number, line, problem=f"More than {LINES_MAX} steps; split it into several goals."))
    return found


def steps_of(lines: Sequence[HandLine]) -> list[Step]:
    """The steps of lines that could all be read."""
    return [line.step for line in lines if line.step is not None]


def write_line(command: Command, params: Mapping[str, Any], registry: Registry) -> str:
    """The step as one line: the phrase when it reads back as exactly this step, else the exact form."""
    phrase = phrases.say(command, params)
    if "\n" not in phrase:
        try:
            if phrases.read(phrase, registry) == (command, dict(params)):
                return phrase
        except phrases.PhraseError:
            pass
    return f"{command.tool}.{command.name} {json.dumps(dict(params), ensure_ascii=False)}"


def _read(number: int, line: str, registry: Registry) -> HandLine:
    try:
        exact = _EXACT.match(line)
        command, params = _read_exact(exact, registry) if exact else phrases.read(line, registry)
    except (phrases.PhraseError, UnknownTool, JsonError) as error:
        return HandLine(number, line, problem=_sentence(str(error)))
    step = {"tool": command.tool, "command": command.name, "params": params}
    return HandLine(number, line, step, phrases.say(command, params))


def _read_exact(exact: re.Match[str], registry: Registry) -> tuple[Command, dict[str, Any]]:
    command = registry.command(exact["tool"], exact["command"])
    params = loads_strict(exact["json"] or "{}")
    wrong = problems(command.schema, params)
    if wrong:
        raise JsonError(f"{wrong[0][0]} {wrong[0][1]}")
    return command, params


def _sentence(text: str) -> str:
    text = text.strip()
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "?")) else ".")
