"""Findings of the rooms above: strategies that people may change, each read, shown and decided by its own rights."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from agents.evolution.auditing.facts import Proposal
from people.models import User
from people.scopes import Scope


@dataclass(frozen=True)
class Source:
    """What proposes changes of one kind of strategy. `component_kind` marks its proposals.

    `may_read`: who sees them, which are those who may open the page where they are decided; `scope`: that of tokens
    which may read it. `step` finds the words and the address of this person's click to it, by the name of the
    component; both empty where there is none any more.
    """

    component_kind: str
    title: str
    find: Callable[[], Iterable[Proposal]]
    may_read: Callable[[User], bool]
    scope: Scope
    step: Callable[[str, User], tuple[str, str]]


_sources: dict[str, Source] = {}


def register(source: Source) -> None:
    """Let every audit ask this source, too."""
    _sources[source.component_kind] = source


def found() -> list[Proposal]:
    """What all sources propose now."""
    return [one for source in _sources.values() for one in source.find()]


def of(component_kind: str) -> Source | None:
    """The source whose proposals are marked so; None: the audit of goals found it."""
    return _sources.get(component_kind)


def hidden_from(user: User, scopes: Collection[str] | None = None) -> list[str]:
    """The marks of proposals that this person may not read, or not with a token of these scopes."""
    return [
        kind
        for kind, source in _sources.items()
        if not source.may_read(user) or (scopes is not None and source.scope.value not in scopes)
    ]
