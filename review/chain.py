"""The chain of decisions: each row is signed together with the signature of the row before it.

A row that is changed, moved or removed breaks every later link. Removing the newest rows leaves a shorter chain that
still holds, so `manage.py verify_decisions` prints length and last hash: kept elsewhere, they show that as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from review import canonical

LABEL = "mindx decision 1"


@dataclass(frozen=True)
class Entry:
    """The content of one decision."""

    plan_id: int
    digest: str
    verdict: str
    by_id: int
    via: str
    comment: str
    at: datetime


@dataclass(frozen=True)
class Link:
    """An entry as it is stored: its row, what it claims to follow, and its own signature."""

    row: int
    entry: Entry
    previous_hash: str
    hash: str


@dataclass(frozen=True)
class Break:
    """The first row at which the chain no longer holds, and what is wrong there."""

    row: int
    reason: str


def hash_of(entry: Entry, previous_hash: str, key: str) -> str:
    """The signature of an entry that follows `previous_hash` (empty for the first one)."""
    content = {
        "plan": entry.plan_id,
        "digest": entry.digest,
        "verdict": entry.verdict,
        "by": entry.by_id,
        "via": entry.via,
        "comment": entry.comment,
        "at": canonical.moment(entry.at),
        "previous": previous_hash,
    }
    return canonical.signature(LABEL, content, key)


def first_break(links: Iterable[Link], key: str) -> Break | None:
    """Walk the links from the oldest on; None when all of them hold."""
    previous = ""
    for link in links:
        if not canonical.same(link.previous_hash, previous):
            return Break(link.row, "it does not follow the row before it: a decision was removed, moved or added")
        if not canonical.same(link.hash, hash_of(link.entry, link.previous_hash, key)):
            return Break(link.row, "its content is not what was signed")
        previous = link.hash
    return None
