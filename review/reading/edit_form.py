"""The planned values and the problems beside the fields of an edit form. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from agents.bdi.plans.document import IntentSpec
from agents.bdi.plans.validation import Problem
from agents.presentation import schema_form
from agents.presentation.schema_form import Field
from agents.presentation.values import as_text
from agents.toolkit.command import Command


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


def originals(spec: IntentSpec, command: Command, fields: Sequence[Field]) -> list[tuple[Field, str]]:
    """Each field with its planned value, to compare with what is typed."""
    return [(field, _original(spec, command, field)) for field in fields]


def _original(spec: IntentSpec, command: Command, field: Field) -> str:
    record = next((one for one in spec.parameters if one.name == field.name), None)
    if record is not None and record.original is not None:
        return as_text(record.original)
    return schema_form.shown(command, spec.params).get(field.name, "")
