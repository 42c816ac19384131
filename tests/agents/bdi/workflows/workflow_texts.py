"""Texts of workflows that tests make."""

from __future__ import annotations

GREET = """scenario_name: Greet
description: Writes a greeting and shows it.
params: {name: world}
steps:
  - type: EXECUTE
    item_type: TOOL
    name: simple_coder.write
    input: {path: hello.txt, content: "Hello {{params.name}}"}
  - type: EXECUTE
    item_type: TOOL
    name: simple_coder.read
    input: {path: hello.txt}
    output_var: greeting
  - type: EXECUTE
    item_type: TOOL
    name: simple_coder.run
    input: {command_line: "grep -c {{params.name}} hello.txt"}
    output_var: found
  - type: EXECUTE
    item_type: TOOL
    name: simple_coder.write
    input: {path: copy.txt, content: "{{greeting.content}}"}
    condition: "{{found.return_code}} == 0"
  - type: RETURN
    value: "{{greeting.content}}"
"""


def text(steps: str, *, name: str = "Test", params: str = "") -> str:
    """A workflow of these steps, which begin on line 3."""
    return f"scenario_name: {name}{f' {params}' if params else ''}\nsteps:\n{steps}"


def execute(name: str, *lines: str, item: str = "TOOL") -> str:
    """One EXECUTE with further lines below it; its name stands on its third line."""
    below = "".join(f"    {line}\n" for line in lines)
    return f"  - type: EXECUTE\n    item_type: {item}\n    name: {name}\n{below}"


def define(name: str, code: str) -> str:
    """A DEFINE of a tool with this code."""
    block = "".join(f"      {line}\n" for line in code.splitlines())
    return f"  - type: DEFINE\n    item_type: TOOL\n    name: {name}\n    code_snippet: |\n{block}"


def parallel(*branches: str) -> str:
    """A PARALLEL of these branches, each the text of its steps."""
    listed = ""
    for branch in branches:
        first, *rest = branch.splitlines()
        listed += "\n".join([f"      - {first.strip()}", *(f"      {line}" for line in rest)]) + "\n"
    return f"  - type: PARALLEL\n    branches:\n{listed}"
