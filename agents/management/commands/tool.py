"""`manage.py tool check [NAME]`: whether tools do what they say, seen in a real jail."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agents.presentation import hidden
from agents.toolkit.command import Command as ToolCommand
from agents.toolkit.registry import REGISTRY, Registry, UnknownTool
from agents.trials import judging, running
from sandbox.contract import SandboxError

_HEAD = ("command", "effect", "read", "changed", "network", "processes", "")


@dataclass(frozen=True)
class Row:
    """One trial, or a command that has none: what the table says, and what does not fit."""

    cells: tuple[str, ...]
    faults: tuple[str, ...]


class Command(BaseCommand):
    """Exit code 1 says that something does not fit, 3 that there is no jail to try it in."""

    help = "Run tools in the sandbox and compare what they do with what they declare."
    requires_system_checks: tuple[str, ...] = ()

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        check = actions.add_parser("check", help="Run the trials of one tool, or of all.")
        check.add_argument("name", nargs="?", help="the name of a tool, or tool.command")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            commands = chosen(options["name"] or "", REGISTRY)
            rows = [row for command in commands for row in checked(command, REGISTRY)]
        except UnknownTool as unknown:
            raise CommandError(str(unknown)) from unknown
        except SandboxError as error:
            raise CommandError(f"There is no sandbox to try tools in: {error}", returncode=3) from error
        for line in table(rows):
            self.stdout.write(hidden.visible_text(line))
        if any(row.faults for row in rows):
            sys.exit(1)


def chosen(name: str, registry: Registry) -> list[ToolCommand]:
    """The commands of a tool, one command, or all. Raises UnknownTool."""
    if not name:
        return list(registry.commands)
    tool, _, command = name.partition(".")
    return [registry.command(tool, command)] if command else list(registry.tool(tool).commands)


def checked(command: ToolCommand, registry: Registry) -> Iterator[Row]:
    """A row for each trial; what holds for the command as a whole stands with the last."""
    rows: list[Row] = []
    seen: list[judging.Observed] = []
    for trial in command.trials:
        try:
            observed = running.run(command, trial, registry)
        except ValueError as error:
            rows.append(Row(_cells(command, None), (str(error),)))
            continue
        seen.append(observed)
        rows.append(Row(_cells(command, observed), tuple(judging.of_trial(command, trial, observed))))
    whole = tuple(judging.of_command(command, seen))
    last = rows.pop() if rows else Row(_cells(command, None), ())
    yield from [*rows, Row(last.cells, (*last.faults, *whole))]


def _cells(command: ToolCommand, observed: judging.Observed | None) -> tuple[str, ...]:
    named = (f"{command.tool}.{command.name}", command.effect)
    if observed is None:
        return (*named, "–", "–", "–", "–")
    seen = observed.seen
    counts = (("+", seen.added), ("~", seen.changed), ("-", seen.removed))
    changed = " ".join(f"{sign}{len(paths)}" for sign, paths in counts if paths) or "–"
    network = ", ".join([*observed.hosts, *(f"refused {name}" for name in observed.refused)]) or "–"
    return (*named, str(len(seen.read) or "–"), changed, network, str(observed.processes or "–"))


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
