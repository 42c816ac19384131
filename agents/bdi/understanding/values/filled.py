"""A value as it was found, and what it was looked for: the two ends of filling a slot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.bdi.understanding.names.paths import Candidate, Tree
from agents.bdi.understanding.words.tokens import Token
from agents.toolkit.saying import Place


@dataclass(frozen=True)
class Filled:
    """A value for a parameter. `value` None with a `problem`: something is said, but nobody can tell what is meant.

    `original` is what was said where the value is another; `is_folder`: the words call it a folder.
    """

    value: Any
    span: tuple[int, int] | None = None
    original: Any = None
    confidence: float = 1.0
    why: str = ""
    problem: str = ""
    choices: tuple[Candidate, ...] = ()
    literals: int = 0
    penalty: float = 0.0
    is_folder: bool = False


@dataclass(frozen=True)
class Asked:
    """What a value is filled for: shape, place, the nouns around it, and what was spoken of."""

    raw: str
    shape: str
    tree: Tree
    place: Place | None = None
    about: frozenset[str] = frozenset()
    tool: str = ""
    parameter: str = ""
    enum: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    # The value that this parameter had last in the same text, for “it”.
    before: str = ""
    # Whether a word, as it is spelt, begins a command: then it is no slip of a name.
    is_verb: Callable[[Token], bool] = field(default=lambda token: False, compare=False)
    # Whether it stands without a little word before it.
    is_loose: bool = False
    # What the tools are called, as words, with their names.
    tools: Mapping[tuple[str, ...], str] = field(default_factory=dict, compare=False)
    # Whether the parameter takes several lines.
    of_lines: bool = False
    # Whether a noun says which command is meant.
    is_key: Callable[[str], bool] = field(default=lambda word: False, compare=False)
