"""A workspace of files, and what texts mean in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from agents.bdi.understanding.paths import Tree
from agents.bdi.understanding.understand import by_name, understand
from agents.toolkit.registry import REGISTRY


@dataclass(frozen=True)
class Workspace:
    """Files by their paths, with every tool there is."""

    tree: Tree

    @classmethod
    def of(cls, paths: Iterable[str]) -> Workspace:
        return cls(Tree.of((path, "file") for path in paths))

    def steps(self, text: str) -> list[tuple[str, dict[str, Any]]]:
        """Commands and their values of a text that is understood without a question."""
        found = understand(text, self.tree, REGISTRY)
        assert found.is_sure, found.questions
        return [(command, dict(values)) for _, command, values in by_name(found)]

    def is_asked(self, text: str) -> bool:
        """Whether something is asked instead of being done."""
        return bool(understand(text, self.tree, REGISTRY).questions)

    def offered(self, text: str) -> list[tuple[str, dict[str, Any]]]:
        """Commands and their values of everything that a question offers as an answer."""
        choices = [
            choice for question in understand(text, self.tree, REGISTRY).questions for choice in question.choices
        ]
        return [(one.command, dict(one.values())) for choice in choices for one in choice.meant]
