"""A workspace of files, and what texts mean in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.understand import by_name, understand
from agents.toolkit.registry import REGISTRY

_BOUNDS = ("No step of it does anything about", "was not given as a command line", "is not exactly the name of")


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

    def steps_or_first_answer(self, text: str) -> list[tuple[str, dict[str, Any]]]:
        """The same, or those of the first answer where only a bound keeps what is understood from being taken: words
        that no step carries, a line that was not typed, something lost by another name than its own.
        """
        found = understand(text, self.tree, REGISTRY)
        if found.is_sure:
            return self.steps(text)
        (question,) = found.questions
        assert any(words in question.why for words in _BOUNDS), question.why
        return [(one.command, dict(one.values())) for one in question.choices[0].meant]

    def is_asked(self, text: str) -> bool:
        """Whether something is asked instead of being done."""
        return bool(understand(text, self.tree, REGISTRY).questions)

    def offered(self, text: str) -> list[tuple[str, dict[str, Any]]]:
        """Commands and their values of everything that a question offers as an answer."""
        choices = [
            choice for question in understand(text, self.tree, REGISTRY).questions for choice in question.choices
        ]
        return [(one.command, dict(one.values())) for choice in choices for one in choice.meant]
