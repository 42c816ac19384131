"""All trials of a command, one row each: what it did, and what of that does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agents.toolkit.command import Command
from agents.toolkit.registry import Registry
from agents.trials import judging, running

# What the cells of a row say.
COLUMNS = ("command", "effect", "read", "changed", "network", "processes")


@dataclass(frozen=True)
class Row:
    """One trial, or a command that has none: what the table says, and what does not fit."""

    cells: tuple[str, ...]
    faults: tuple[str, ...]


def checked(command: Command, registry: Registry) -> Iterator[Row]:
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


def _cells(command: Command, observed: judging.Observed | None) -> tuple[str, ...]:
    named = (f"{command.tool}.{command.name}", command.effect)
    if observed is None:
        return (*named, "–", "–", "–", "–")
    seen = observed.seen
    counts = (("+", seen.added), ("~", seen.changed), ("-", seen.removed))
    changed = " ".join(f"{sign}{len(paths)}" for sign, paths in counts if paths) or "–"
    network = ", ".join([*observed.hosts, *(f"refused {name}" for name in observed.refused)]) or "–"
    return (*named, str(len(seen.read) or "–"), changed, network, str(observed.processes or "–"))
