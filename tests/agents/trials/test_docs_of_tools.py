"""The tool that docs/tools.md has a reader add works as it stands there."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

from agents.management.commands import tool as tool_command
from agents.rules.grammar import parse
from agents.rules.linter import lint
from agents.toolkit import made
from agents.toolkit.registry import REGISTRY, Registry, with_tool
from agents.trials import checking
from library.prompts import declared

DOCS = Path(__file__).parents[3] / "docs" / "tools.md"


def test_the_tool_of_the_docs_fits_and_its_rule_is_clean(tmp_path: Path) -> None:
    text = DOCS.read_text()
    source = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0]
    (tmp_path / "word_count.py").write_text(source)
    spec = importlib.util.spec_from_file_location("word_count", tmp_path / "word_count.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # Whoever follows the docs to the letter has it registered already.
    registry = Registry([*(tool for tool in REGISTRY.tools if tool.name != module.TOOL.name), module.TOOL])
    rows = [row for command in module.TOOL.commands for row in checking.checked(command, registry)]
    said = "\n".join(tool_command.table(rows))
    assert said in text
    rule = re.findall(r"```\n(RULE .*?)```", text, re.DOTALL)[0]
    assert [found for found in lint(parse(rule), registry) if found.severity != "hint"] == []


def _made_in(text: str) -> str:
    found = re.search(r"^tool: word_count\n.*?^    return \{\"words\".*?\n", text, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[0]


def test_the_made_tools_of_the_docs_and_of_what_a_model_is_told_fit() -> None:
    for text in (DOCS.read_text(), declared.every()["tool"].parts["form"] + "\n"):
        with with_tool(made.read(_made_in(text)).tool) as registry:
            rows = [row for command in registry.tools[-1].commands for row in checking.checked(command, registry)]
        assert [row.faults for row in rows] == [(), ()]
