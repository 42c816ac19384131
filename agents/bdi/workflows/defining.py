"""The tool that a DEFINE describes, read from its code without running any of it."""

from __future__ import annotations

from agents.bdi.workflows.reading import StepText
from agents.toolkit import made, snippets
from agents.toolkit.command import Tool
from agents.toolkit.made import MadeToolFault


class DefinitionFault(ValueError):
    """The code is not the tool that the step names; the message says why."""


def tool_of(step: StepText) -> tuple[Tool, str]:
    """The tool, and the text that the library keeps of it. Raises DefinitionFault."""
    code = step.keys["code_snippet"]
    try:
        text = code if made.is_made(code) else _named(snippets.from_code(code), step.name)
        tool = made.read(text).tool
    except MadeToolFault as fault:
        raise DefinitionFault(
            f"the code of “{step.name}” is no tool: line {fault.line} of it: {fault.message}"
        ) from fault
    if tool.name != step.name:
        raise DefinitionFault(f"the code defines “{tool.name}”, not “{step.name}”; give both the same name")
    return tool, text


def code_of(tool: Tool) -> str:
    """The code that a made tool runs, to compare; empty for one that ships."""
    return tool.commands[0].source.strip() if tool.commands else ""


def _named(text: str, name: str) -> str:
    """The tool read off plain Python, by the name that the step gives it."""
    _, _, rest = text.partition("\n")
    return f"tool: {name}\n{rest}"
