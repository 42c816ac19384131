"""`manage.py tool check [NAME]`: whether tools do what they say, seen in a real jail."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agents.components import made_tools
from agents.presentation import hidden
from agents.toolkit import made, registry
from agents.toolkit.command import Command as ToolCommand
from agents.toolkit.made import MadeToolFault
from agents.toolkit.registry import Registry, UnknownTool, tools_in_use
from agents.toolkit.schemas import SchemaFault
from agents.trials.checking import COLUMNS, Row, checked
from sandbox.contract import SandboxError

_HEAD = (*COLUMNS, "")


class Command(BaseCommand):
    """Exit code 1 says that something does not fit, 3 that there is no jail to try it in."""

    help = "Run tools in the sandbox and compare what they do with what they declare."
    requires_system_checks: tuple[str, ...] = ()

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        check = actions.add_parser("check", help="Run the trials of one tool, or of all.")
        check.add_argument("name", nargs="?", help="the name of a tool, or tool.command")
        check.add_argument("--file", help="a file with the text of a tool made by a person (docs/tools.md)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            rows = _of_file(options["file"]) if options["file"] else _of_named(options["name"] or "")
        except (UnknownTool, MadeToolFault, SchemaFault, OSError, UnicodeDecodeError) as wrong:
            raise CommandError(str(wrong)) from wrong
        except SandboxError as error:
            raise CommandError(f"There is no sandbox to try tools in: {error}", returncode=3) from error
        for line in table(rows):
            self.stdout.write(hidden.visible_text(line))
        if any(row.faults for row in rows):
            sys.exit(1)


def _of_file(path: str) -> list[Row]:
    with registry.with_tool(made.read(Path(path).read_text(encoding="utf-8")).tool) as tools:
        tool = tools.tools[-1]
        return [row for command in tool.commands for row in checked(command, tools)]


def _of_named(name: str) -> list[Row]:
    tool = name.partition(".")[0]
    # Those that ship need no database.
    if tool and not made_tools.is_shipped(tool) and tool not in {one.name for one in tools_in_use().tools}:
        made_tools.refresh()
    return [row for command in chosen(name, tools_in_use()) for row in checked(command, tools_in_use())]


def chosen(name: str, registry: Registry) -> list[ToolCommand]:
    """The commands of a tool, one command, or all. Raises UnknownTool."""
    if not name:
        return list(registry.commands)
    tool, _, command = name.partition(".")
    return [registry.command(tool, command)] if command else list(registry.tool(tool).commands)


def table(rows: Sequence[Row]) -> Iterator[str]:
    """The rows under one another, what does not fit below each, and what it comes to."""
    lines = [_HEAD, *((*row.cells, "does not fit" if row.faults else "fits") for row in rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(_HEAD))]
    for number, line in enumerate(lines):
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        if number:
            yield from (f"    {fault}" for fault in rows[number - 1].faults)
    wrong = sum(bool(row.faults) for row in rows)
    yield f"{len(rows)} trials, {f'and {wrong} of them do not match' if wrong else 'and all of them match'}"
