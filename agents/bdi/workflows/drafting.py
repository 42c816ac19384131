"""What a model is asked for a workflow, and how its answer is read. Pure.

The instructions come in as a text. The wish and the names of workflows go along as material; what there is to use is
said by the registry.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from agents.bdi.workflows.bound import Known
from agents.bdi.workflows.reading import read as read_workflow
from agents.toolkit.command import Command
from agents.toolkit.registry import Registry
from agents.toolkit.schemas import NEVER_REFERENCED

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"workflow": {"type": "string"}, "cannot": {"type": "string"}},
    "additionalProperties": False,
}


def messages(
    instructions: str, wish: str, most_chars: int, registry: Registry, known: Mapping[str, Known]
) -> tuple[tuple[str, str], ...]:
    """Role and text of what is asked, of at most about `most_chars` characters: workflows are left out first, from the
    end, then commands.
    """
    commands, workflows = [_command(one) for one in registry.commands], [_workflow(one) for one in known.values()]
    while True:
        material = {"wish": wish, "commands": commands, "workflows": workflows}
        text = json.dumps(material, ensure_ascii=False)
        shortened = workflows or commands
        if len(instructions) + len(text) <= most_chars or not shortened:
            return ("system", f"{instructions}\n"), ("user", text)
        shortened.pop()


def read(answer: str) -> tuple[str, str]:
    """The text of the workflow, or why there is none; ValueError with what is wrong with the answer."""
    try:
        said = dict(json.loads(answer))
    except (TypeError, ValueError) as error:
        raise ValueError("The answer is not one JSON object.") from error
    workflow, cannot = said.get("workflow"), said.get("cannot")
    if isinstance(cannot, str) and cannot.strip() and not workflow:
        return "", cannot.strip()
    if not isinstance(workflow, str) or not workflow.strip():
        raise ValueError('The answer has neither "workflow" nor "cannot".')
    return workflow, ""


def _command(command: Command) -> str:
    marked = (
        name + ("*" if name in command.required else "") + ("+" if _may_refer(name, described) else "")
        for name, described in command.properties.items()
    )
    given = f" -> {', '.join(command.result_keys)}" if command.result_keys else ""
    return f"{command.tool}.{command.name}({', '.join(marked)}){given}: {command.summary}"


def _may_refer(name: str, described: Mapping[str, Any]) -> bool:
    return described.get("x-reference") is True and name not in NEVER_REFERENCED


def _workflow(known: Known) -> str:
    workflow = read_workflow(known.body).workflow
    if workflow is None:
        return known.name
    params = ", ".join(name + ("*" if default is None else "") for name, default in workflow.params.items())
    return f"{known.name}({params}): {workflow.description}"
