"""What an agent of any framework is to mindX: made, run until it calls a tool, and resumed with the call's outcome.

A framework never acts by itself. It gets the descriptions of tools and a way to ask a model; where its model calls a
tool, its run ends with that call and a checkpoint, which is all that is needed to go on, in another process and days
later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

# What JSON can say.
Json = Any


class FrameworkFailed(Exception):
    """The framework raised, or did what an adapter cannot follow. The words of the message are untrusted."""


class FrameworkMissing(Exception):
    """The framework is not installed. The message says how it can be."""


class Interrupted(Exception):
    """The run was interrupted from outside; nothing of it counts, and it goes on from its last checkpoint."""


@dataclass(frozen=True)
class Offered:
    """A tool as a framework's model reads it: one command of one of our tools, with the JSON Schema of its values."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True)
class Call:
    """What a model calls: `name` of what was offered, with values that nobody has checked."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Said:
    """One message of a framework's conversation; `role` is system, user, assistant or tool.

    `call_id` of a tool's message: whose answer it is. `failed`: the call came to nothing.
    """

    role: str
    text: str
    calls: tuple[Call, ...] = ()
    call_id: str = ""
    failed: bool = False


@dataclass(frozen=True)
class Question:
    """What a framework asks its model: the whole conversation, and the tools it may call."""

    messages: tuple[Said, ...]
    tools: tuple[Offered, ...]


@dataclass(frozen=True)
class Reply:
    """What the model said, with one call at most: what comes next may depend on what comes of it."""

    text: str
    call: Call | None = None


# Asks the model for a framework, in the thread that runs the provider.
Ask = Callable[[Question], Reply]


@dataclass(frozen=True)
class Brief:
    """What an agent is made for. `most_steps` bounds how often it may ask its model, in frameworks that count."""

    task: str
    tools: tuple[Offered, ...]
    most_steps: int


@dataclass(frozen=True)
class Answered:
    """The outcome of a call, as the framework's model reads it."""

    call: Call
    text: str
    failed: bool = False


@dataclass(frozen=True)
class Waits:
    """The run stands still until its calls are answered, in this order."""

    calls: tuple[Call, ...]
    checkpoint: Json


@dataclass(frozen=True)
class Finished:
    """The framework's agent has ended its work and says this."""

    text: str


Outcome = Waits | Finished


class Provider(Protocol):
    """An agent of a framework at work on one goal. `ask` is called in the thread that calls `run` or `resume`, and
    what it raises comes out there. Both raise FrameworkFailed and Interrupted.
    """

    name: ClassVar[str]

    @classmethod
    def create(cls, brief: Brief, ask: Ask) -> Self:
        """Make the agent. Raises FrameworkMissing."""
        ...

    def run(self) -> Outcome:
        """Begin with the task."""
        ...

    def resume(self, checkpoint: Json, answered: Sequence[Answered]) -> Outcome:
        """Go on where a run waits, with the outcomes of all its calls."""
        ...

    def interrupt(self) -> None:
        """Have `run` or `resume` end soon with Interrupted. May be called in any thread, and more than once."""
        ...

    def close(self) -> None:
        """Let go of everything that the agent holds, such as a process."""
        ...
