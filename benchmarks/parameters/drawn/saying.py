"""A command of known meaning and words for it: what every subject's file draws with."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.parameters.cases import Step
from benchmarks.parameters.drawn.workspace import World

# Names of what is new, and what is to stand in it, wherever a command makes something.
NEW = ["outbox", "spring2025", "zeta", "proofs", "handover", "releases", "scans", "quarterly", "letters", "mockups"]
TEXTS = (
    "call the plumber",
    "meeting moved to noon",
    "hello from the harbour",
    "needs a second look",
    "version two is out",
    "ask Nadia about the totals",
    "done",
    "remember the milk",
    "prices exclude tax",
    "checked on Friday",
)


@dataclass(frozen=True)
class Said:
    """A command and words for it. `paths` are existing paths as they stand in the words; `lacks` what was left out."""

    text: str
    step: Step
    paths: tuple[str, ...] = ()
    lacks: str = ""


# Draws a command that makes sense in a workspace, and words for it.
Maker = Callable[[random.Random, World], Said]


def pick(rng: random.Random, *wordings: str, **values: Any) -> str:
    """One of the wordings, with the values where their names stand in braces."""
    return rng.choice(wordings).format(**values)


def step(command: str, **params: Any) -> Step:
    """The command and its values; `simple_coder.` may be left out."""
    tool, _, name = command.rpartition(".")
    return tool or "simple_coder", name, params


def quoted(rng: random.Random, text: str) -> str:
    left, right = rng.choice((('"', '"'), ("'", "'"), ("“", "”"), ("`", "`")))
    return f"{left}{text}{right}"
