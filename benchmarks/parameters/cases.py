"""Commands of known meaning, as written down: `said => tool.command name=value | next command || other good meaning`.

A `?` instead of a meaning says that only a question is right. `simple_coder.` may be left out.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.toolkit.registry import REGISTRY

Step = tuple[str, str, dict[str, Any]]


@dataclass(frozen=True)
class Case:
    """A command, its kind (or voice), the files of its workspace, every meaning that is right; none: to be asked."""

    text: str
    kind: str
    entries: tuple[tuple[str, str], ...]
    meanings: tuple[tuple[Step, ...], ...]


def read_file(path: Path, entries: tuple[tuple[str, str], ...]) -> list[Case]:
    """The cases of a file, a line each; a line without an arrow goes on in the next one."""
    cases, pending = [], ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        pending = f"{pending}\n{line}" if pending else line
        if " => " in line:
            said, _, meaning = pending.rpartition(" => ")
            cases.append(Case(said, path.stem, entries, _meanings(meaning)))
            pending = ""
    return cases


def entries_of(path: Path) -> tuple[tuple[str, str], ...]:
    """The files of a workspace, a path a line; folders end with a slash."""
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return tuple((line, "dir" if line.endswith("/") else "file") for line in lines)


def _meanings(text: str) -> tuple[tuple[Step, ...], ...]:
    if text.strip() == "?":
        return ()
    return tuple(
        tuple(_step(one) for one in meaning.split(" | ")) for meaning in text.split(" || ") if meaning.strip() != "?"
    )


def _step(text: str) -> Step:
    name, *values = shlex.split(text.strip())
    tool, _, command = name.rpartition(".")
    found = REGISTRY.command(tool or "simple_coder", command)
    params: dict[str, Any] = {}
    for value in values:
        key, _, raw = value.partition("=")
        kind = found.properties[key]["type"]
        params[key] = raw if kind == "string" else json.loads(raw) if kind != "array" else raw.split(",")
    return found.tool, found.name, params


def plain(step: Step) -> tuple[str, str, str]:
    """A step so that equal meanings are equal: without what every run of it has anyway."""
    tool, command, params = step
    defaults = REGISTRY.command(tool, command).defaults()
    kept = {name: value for name, value in params.items() if defaults.get(name) != value}
    return tool, command, json.dumps(kept, sort_keys=True)
