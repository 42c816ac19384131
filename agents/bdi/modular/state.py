"""The state of a modular agent: a tree of nodes over messages, where it is in it, and which module comes next.

Nodes never change once they are there. An edit is a copy of a node beside it, so the tree keeps both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from typing_extensions import TypedDict

PROMPTER, GENERATOR, DISCRIMINATOR, ACTOR, TOOLKIT = "prompter", "generator", "discriminator", "actor", "toolkit"
# Those that are steps of the loop. A toolkit lists tools and is none.
STEP_TYPES = (PROMPTER, GENERATOR, DISCRIMINATOR, ACTOR)
MODULE_TYPES = (*STEP_TYPES, TOOLKIT)
ROLES = ("user", "assistant", "function")
# A longer message is cut, and says so: nobody reads it, and no model takes it.
MOST_CHARS = 100_000
_CUT = "\n[cut here: {left:,} more characters]"


@dataclass(frozen=True)
class FunctionCall:
    """A tool that a message calls. `name` is `tool.command`, or a name of its own such as `submit`."""

    __pydantic_config__ = {"extra": "forbid"}
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Message:
    """What is said, in the form that is common to all models. `name`: of the function whose answer it is."""

    __pydantic_config__ = {"extra": "forbid"}
    role: str
    content: str
    function_call: FunctionCall | None = None
    name: str = ""

    def cut(self) -> Message:
        """The message at the length that is kept."""
        if len(self.content) <= MOST_CHARS:
            return self
        kept = self.content[:MOST_CHARS] + _CUT.format(left=len(self.content) - MOST_CHARS)
        return Message(self.role, kept, self.function_call, self.name)


@dataclass(frozen=True)
class Used:
    """What was used: tokens, US dollars, seconds."""

    __pydantic_config__ = {"extra": "forbid"}
    tokens: int = 0
    cost: Decimal = Decimal(0)
    time_s: float = 0.0

    def __add__(self, other: Used) -> Used:
        return Used(self.tokens + other.tokens, self.cost + other.cost, self.time_s + other.time_s)


@dataclass(frozen=True)
class Option:
    """A message that might become a node. `score` from 0 to 1, None: nobody rated it. `source`: who wrote it."""

    __pydantic_config__ = {"extra": "forbid"}
    message: Message
    source: str = ""
    score: float | None = None
    why: str = ""
    used: Used = Used()


@dataclass(frozen=True)
class Node:
    """A message in the tree, with the options it was chosen from.

    `at` is when, in ISO 8601; `source` names the module or the person; `copy_of` is the node that it was edited from.
    `chosen` counts options from 0. `used` holds what all its options and their rating took.
    """

    __pydantic_config__ = {"extra": "forbid"}
    id: int
    parent: int | None
    message: Message
    source: str
    at: str
    options: tuple[Option, ...] = ()
    chosen: int | None = None
    used: Used = Used()
    copy_of: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


class Args(TypedDict, total=False):
    """What one module tells the next. `messages` names nodes and holds what the prompter made itself; `node_ids` are
    the nodes in which an actor looks for calls. Modules of packages may add names of their own.
    """

    __pydantic_config__ = {"extra": "allow"}  # type: ignore[misc]  # read by pydantic at the edge
    messages: list[int | Message]
    options: list[Option]
    node_ids: list[int]


@dataclass
class NextStep:
    """Which module comes next, and what it is told. `module_type` is empty once the run has ended."""

    __pydantic_config__ = {"extra": "forbid"}
    module_type: str = PROMPTER
    args: Args = field(default_factory=Args)


@dataclass(frozen=True)
class Chosen:
    """A module by its name, with its settings."""

    __pydantic_config__ = {"extra": "forbid"}
    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Autosubmit:
    """Near which limit the newest answer is submitted by itself: so many tokens, seconds or dollars are left."""

    __pydantic_config__ = {"extra": "forbid"}
    on: bool = True
    tokens: int = 4_000
    time_s: float = 60.0
    cost: Decimal = Decimal("0.02")


@dataclass(frozen=True)
class Limits:
    """How much a run may use; a step is one module's turn. `submissions`: it has ended with so many of them."""

    __pydantic_config__ = {"extra": "forbid"}
    tokens: int = 200_000
    time_s: float = 3_600.0
    cost: Decimal = Decimal(5)
    submissions: int = 1
    steps: int = 400


@dataclass
class State:
    """Everything a modular agent knows. `at` is the present node; `context` belongs to the modules.

    `tools` are the names that the toolkit offers; `outcome` is empty, `achieved` or `limit`.
    """

    __pydantic_config__ = {"extra": "forbid"}
    task: str
    settings: dict[str, Chosen]
    autosubmit: Autosubmit = Autosubmit()
    limits: Limits = Limits()
    usage: Used = Used()
    steps: int = 0
    submissions: list[str] = field(default_factory=list)
    next_step: NextStep = field(default_factory=NextStep)
    nodes: dict[int, Node] = field(default_factory=dict)
    at: int | None = None
    context: dict[str, Any] = field(default_factory=dict)
    tools: list[str] = field(default_factory=list)
    outcome: str = ""
    reason: str = ""

    def add(
        self,
        message: Message,
        *,
        source: str,
        at: str,
        parent: int | None = None,
        options: Sequence[Option] = (),
        chosen: int | None = None,
        used: Used = Used(),
        copy_of: int | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Node:
        """Put a node under `parent`, by default under the present one, and go there."""
        number = (next(reversed(self.nodes)) if self.nodes else 0) + 1
        under = self.at if parent is None else parent
        node = Node(
            number, under, message.cut(), source, at, tuple(options), chosen, used, copy_of, dict(metadata or {})
        )
        self.nodes[number] = node
        self.at = number
        return node

    def path(self, to: int | None = None) -> list[Node]:
        """The nodes from the root to this one, by default to the present one."""
        found: list[Node] = []
        here = self.at if to is None else to
        while here is not None:
            node = self.nodes[here]
            found.append(node)
            here = node.parent
        return found[::-1]

    def go_on(self, module_type: str, **args: Any) -> None:
        """Say which module comes next, and with what."""
        self.next_step = NextStep(module_type, Args(**args))  # type: ignore[typeddict-item]

    def end(self, outcome: str, reason: str = "") -> None:
        """Say that nothing comes next."""
        self.outcome, self.reason = outcome, reason
        self.next_step = NextStep("", Args())

    def messages(self, entries: Sequence[int | Message]) -> Iterator[Message]:
        """A prompter's list as messages: it names nodes, and holds what it made itself."""
        for entry in entries:
            yield self.nodes[entry].message if isinstance(entry, int) else entry
