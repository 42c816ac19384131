"""Chains of what people did: each row is signed together with the signature of the row before it.

There are three: decisions on plans, which the gate reads, what happened to commands typed by hand, and the journal of
everything people did, in which every decision of a person stands (`review.audit.decided`).

Changing, moving or removing a row breaks every later link. Removing the newest rows leaves a shorter valid chain, so
`manage.py audit anchor` stores length and last hash elsewhere, and `audit verify --anchors` compares them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Protocol

from review.audit import canonical

LABEL = "mindx decision 1"


class Signed(Protocol):
    """The content of a row. `label` names the chain, so that a row of one chain is not valid in another."""

    label: ClassVar[str]

    def content(self) -> Mapping[str, Any]:
        """Everything that is signed, except the previous hash."""


@dataclass(frozen=True)
class Entry:
    """The content of one decision."""

    label: ClassVar[str] = LABEL

    plan_id: int
    digest: str
    verdict: str
    by_id: int
    via: str
    comment: str
    at: datetime
    edits: Mapping[str, Any] = field(default_factory=dict)
    # The version of the policy that decided.
    policy_id: int | None = None

    def content(self) -> Mapping[str, Any]:
        """In the format of the first version; edits and policy only if there are any, so that older rows stay
        valid.
        """
        signed = {
            "plan": self.plan_id,
            "digest": self.digest,
            "verdict": self.verdict,
            "by": self.by_id,
            "via": self.via,
            "comment": self.comment,
            "at": canonical.moment(self.at),
            **({} if self.edits == {} else {"edits": self.edits}),
        }
        return signed if self.policy_id is None else {**signed, "policy": self.policy_id}


@dataclass(frozen=True)
class TypedEntry:
    """One thing that happened to a typed command; `command_id` is 0 for one that was refused and never stored."""

    label: ClassVar[str] = "mindx typed command 1"

    what: str
    goal_id: int
    command_id: int
    by_id: int
    text: str
    before: str
    after: str
    why: str
    at: datetime

    def content(self) -> Mapping[str, Any]:
        """Every column of the row."""
        return {
            "what": self.what,
            "goal": self.goal_id,
            "command": self.command_id,
            "by": self.by_id,
            "text": self.text,
            "before": self.before,
            "after": self.after,
            "why": self.why,
            "at": canonical.moment(self.at),
        }


@dataclass(frozen=True)
class JournalEntry:
    """One entry of the journal; `by_id` is 0 for nobody. `version` names the fields that are signed."""

    label: ClassVar[str] = "mindx journal"
    newest: ClassVar[int] = 1

    event: str
    by_id: int
    name: str
    subject: str
    data: Mapping[str, Any]
    at: datetime
    version: int = newest

    def content(self) -> Mapping[str, Any]:
        """Every column of the row, including its version."""
        return {
            "version": self.version,
            "event": self.event,
            "by": self.by_id,
            "name": self.name,
            "subject": self.subject,
            "data": self.data,
            "at": canonical.moment(self.at),
        }


@dataclass(frozen=True)
class Walk:
    """The result of checking a chain: `broken` is None if every row is valid."""

    rows: int
    last_hash: str
    broken: Break | None


@dataclass(frozen=True)
class Link:
    """A stored entry: its row, the hash that it claims to follow, and its own signature."""

    row: int
    entry: Signed
    previous_hash: str
    hash: str


@dataclass(frozen=True)
class Break:
    """The first row at which the chain is broken, and why."""

    row: int
    reason: str


def hash_of(entry: Signed, previous_hash: str, key: str) -> str:
    """The signature of an entry that follows `previous_hash` (empty for the first one)."""
    return canonical.signature(entry.label, {**entry.content(), "previous": previous_hash}, key)


def first_break(links: Iterable[Link], key: str) -> Break | None:
    """Check the links, oldest first; None if all are valid."""
    previous = ""
    for link in links:
        if not canonical.same(link.previous_hash, previous):
            return Break(link.row, "it does not follow the row before it: a row was removed, moved or added")
        if not canonical.same(link.hash, _signed(link, key)):
            return Break(link.row, "its content is not what was signed")
        previous = link.hash
    return None


def _signed(link: Link, key: str) -> str:
    """The signature that the row should have; empty for content that cannot be signed."""
    try:
        return hash_of(link.entry, link.previous_hash, key)
    except ValueError:
        return ""
