"""What an audit knows: earlier goals and the components that served them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

Vector = Sequence[float]


@dataclass(frozen=True)
class Past:
    """One earlier goal that has ended or waits for a person.

    `rules` planned it (those of its sub-goals too), `rivals` would have applied as well. `is_served`: planned without
    a model or a person, by rules or because it is a command in other words. `worked` is None where nothing ran. `marks`
    are what its steps touched, as "host example.org" or "program git". `failure` is why its last failed step failed,
    empty when none did; `failed_marks` are those of that step.
    """

    goal: int
    text: str
    at: datetime
    rules: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    is_served: bool = False
    worked: bool | None = None
    marks: frozenset[str] = frozenset()
    failure: str = ""
    failed_marks: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Part:
    """A component in use. `recent` are its latest ends, newest first."""

    kind: str
    name: str
    since: datetime
    uses: int = 0
    successes: int = 0
    failures: int = 0
    recent: tuple[bool, ...] = ()
    last_used: datetime | None = None
    owner_is_gone: bool = False
    is_starter: bool = False


@dataclass(frozen=True)
class Tried:
    """How often a recovery strategy was tried against a class of failures of a tool ("" is every tool), and helped."""

    failure_class: str
    tool: str
    strategy: str
    words: str
    cases: int
    helped: int


@dataclass(frozen=True)
class Facts:
    """Everything that an audit stands on. `vectors` of texts as `plain` has them; empty: sentences cannot be embedded.
    `tried` are the strategies that no policy bans already.

    `same_steps` says of two rules and a goal whether each alone makes the same steps; pairs are in order of name.
    """

    now: datetime
    pasts: tuple[Past, ...]
    parts: tuple[Part, ...]
    vectors: Mapping[str, Vector] = field(default_factory=dict)
    tried: tuple[Tried, ...] = ()
    same_steps: Mapping[tuple[str, str], Mapping[int, bool]] = field(default_factory=dict)


@dataclass(frozen=True)
class Proposal:
    """Something that a person may want to do, why, and the goals that show it.

    `weight` ranks within all proposals: about how many goals a year it concerns, or less. `subject` names the
    component or the cause; kind and subject together are what a dismissal is kept by.
    """

    kind: str
    subject: str
    says: str
    why: str
    goals: tuple[int, ...] = ()
    weight: float = 0.0
    component: tuple[str, str] | None = None
