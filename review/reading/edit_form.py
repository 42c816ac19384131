"""A step's values as a form shows them, and read back without changing what nobody touched. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.bdi.document import IntentSpec
from agents.bdi.validation import Problem
from agents.presentation import schema_form
from agents.presentation.schema_form import Field
from agents.presentation.values import as_text
from agents.toolkit.command import Command
from agents.toolkit.schemas import HOSTS_KIND


def shown(spec: IntentSpec, command: Command) -> dict[str, str]:
    """The values of a step as text, by parameter."""
    return {name: _text(command.properties.get(name, {}), value) for name, value in spec.params.items()}


def _text(described: Mapping[str, Any], value: Any) -> str:
    if described.get("x-kind") == HOSTS_KIND and isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(str, value))
    return schema_form.as_text(value)


def read(command: Command, spec: IntentSpec, filled: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """The values that were typed and the errors by parameter.

    A browser writes line ends its own way, so a text that differs in nothing else is the one that the step had.
    """
    values, errors = schema_form.read(command, filled)
    before = shown(spec, command)
    for name, text in before.items():
        if name in command.properties and _lines(filled.get(name, "")) == _lines(text):
            values[name] = spec.params[name]
            errors.pop(name, None)
    return values, errors


def placed(problems: Sequence[Problem], spec: IntentSpec, command: Command) -> tuple[dict[str, str], list[str]]:
    """The problems of a whole plan: those of this step's parameters by parameter, the others in words."""
    errors: dict[str, str] = {}
    others: list[str] = []
    for problem in problems:
        if problem.position == spec.position and problem.field in command.properties:
            errors.setdefault(problem.field, problem.message)
        else:
            where = f"Step {problem.position}: " if problem.position else ""
            others.append(f"{where}{problem.message}")
    return errors, others


def originals(spec: IntentSpec, command: Command, fields: Sequence[Field]) -> list[tuple[Field, str | None]]:
    """Each field with the value that was planned, when that is not the one the field shows."""
    return [(field, _original(spec, command, field)) for field in fields]


def _original(spec: IntentSpec, command: Command, field: Field) -> str | None:
    record = next((one for one in spec.parameters if one.name == field.name), None)
    if record is not None and record.original is not None:
        return as_text(record.original)
    now = shown(spec, command).get(field.name, "")
    return now if _lines(now) != _lines(field.value) else None


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
