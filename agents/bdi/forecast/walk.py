"""The files and the session as they would be at some step of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.bdi.forecast.consequences import Consequence, WouldFail
from sandbox.commands import place


@dataclass(frozen=True)
class BaseEntry:
    """A path of the base snapshot. `kind` is file, dir or link; a name that is not UTF-8 has surrogate escapes."""

    path: str
    kind: str
    size_bytes: int = 0


@dataclass(frozen=True)
class Node:
    """What lies at a path at that step. `text` is what it holds, where a step of the plan wrote all of it."""

    kind: str
    size_bytes: int = 0
    of_today: bool = True
    text: str | None = None
    origin: str = ""  # the path of the base snapshot where its content lies, as long as that is what it holds


@dataclass
class Walk:
    """The files as they would be at some step, and the session's state there."""

    nodes: dict[str, Node]
    folder: str = ""
    environment: str = ""
    autonomous: bool = False
    unsure: bool = False
    hosts: tuple[str, ...] = ()
    unstopped: frozenset[int] = frozenset()
    where: Consequence = field(default_factory=lambda: Consequence(0))

    def below(self, path: str) -> Iterator[tuple[str, Node]]:
        """What lies in a folder, at any depth."""
        start = f"{path}/" if path else ""
        return ((name, node) for name, node in self.nodes.items() if name.startswith(start) and name != path)

    def here(self) -> dict[str, Any]:
        """Where a consequence is met, as every one of them says it."""
        at = self.where
        return {"position": at.position, "cleanup": at.cleanup, "unsure": at.unsure, "conditional": at.conditional}

    def failing(self, reason: str) -> WouldFail:
        """The step would be refused here, or fail."""
        return WouldFail(**self.here(), reason=reason)

    def path(self, params: Mapping[str, Any], name: str = "path") -> str:
        """The place from the workspace's root that a parameter names; without it the folder one is in."""
        return place(self.folder, str(params.get(name) or "."))
