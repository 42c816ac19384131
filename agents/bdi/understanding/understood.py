"""The result of reading a command: steps that are sure, or the questions that would settle it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.toolkit.types import Param


@dataclass(frozen=True)
class Meant:
    """One command as it is meant. What is not said is not here; defaults come later."""

    tool: str
    command: str
    params: Mapping[str, Param]
    text: str
    confidence: float
    superfluous: tuple[str, ...] = ()

    def values(self) -> dict[str, Any]:
        return {name: param.value for name, param in self.params.items()}


@dataclass(frozen=True)
class Choice:
    """One answer to a question: a label for people, and either a value or a whole command."""

    label: str
    why: str = ""
    value: Any = None
    meant: tuple[Meant, ...] = ()


@dataclass(frozen=True)
class Question:
    """What would settle it. `parameter` empty: the question is which command is meant.

    `step` is the position from 1 of the command it is about. Choices are the likely answers; another one may be typed
    where a parameter is asked for. `said`: the words of the text that name no value that there is.
    """

    step: int
    text: str
    why: str
    parameter: str = ""
    choices: tuple[Choice, ...] = ()
    said: str = ""


@dataclass(frozen=True)
class Understood:
    """The commands of a text in their order, with what is still to be asked. Neither: nothing was recognised.

    `aside`: clauses that were read as told and not as asked. `nearest`: what comes near and is not offered, with what
    it leaves out, a sentence each.
    """

    meant: tuple[Meant, ...] = ()
    questions: tuple[Question, ...] = ()
    beliefs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    confidence: float = 0.0
    details: Mapping[str, Any] = field(default_factory=dict)
    aside: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()

    @property
    def is_sure(self) -> bool:
        return bool(self.meant) and not self.questions
