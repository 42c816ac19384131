"""The ends of all chains, stored outside the database so that nobody can cut a chain short unnoticed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from django.db.models import Model
from django.utils import timezone

from review.audit import canonical, command_chain, decision_chain, journal
from review.audit.chain import Walk
from review.models import AuditEntry, Decision, TypedEvent

_CHAINS: dict[str, type[Model]] = {
    "decisions": Decision,
    "typed commands": TypedEvent,
    "journal": AuditEntry,
}
# It has no new rows since 0.1.0: what it held stands in the journal, too, and new decisions only there.
_ENDED = frozenset({"level decisions"})


class AnchorBroken(Exception):
    """A chain is not the one that was anchored, or the file has no anchors."""


def walk_all() -> Iterator[tuple[str, Walk]]:
    """Each chain's name and the result of checking it."""
    yield "decisions", decision_chain.walk()
    yield "typed commands", command_chain.walk()
    yield "journal", journal.walk()


def ends() -> list[str]:
    """One line of JSON for each chain: its name, its length, its last hash, and when that was."""
    return [_end(name, model) for name, model in _CHAINS.items()]


def append(file: Path, lines: Sequence[str]) -> None:
    """Add the lines to the file and sync it to the disk. Only its owner can read the file."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "a", encoding="utf-8") as out:
        out.writelines(f"{line}\n" for line in lines)
        out.flush()
        os.fsync(out.fileno())


def compare(file: Path) -> int:
    """How many anchors of the file match the chains now. Raises AnchorBroken for the first that does not.

    Anchors of a chain that an upgrade ended are passed over.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
        kept = [json.loads(line) for line in lines if line.strip()]
        wanted = [(str(one["chain"]), int(one["rows"]), str(one["last_hash"])) for one in kept]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AnchorBroken(f"{file} cannot be read as a file of anchors: {error}") from error
    standing = [(number, one) for number, one in enumerate(wanted, 1) if one[0] not in _ENDED]
    for number, (name, rows, last) in standing:
        if name not in _CHAINS or rows < 0:
            raise AnchorBroken(f"Line {number} of {file} names no chain that mindX has.")
        if not canonical.same(_hash_at(_CHAINS[name], rows), last):
            raise AnchorBroken(f"Line {number} of {file} does not fit: the first {rows} rows of the {name} are others.")
    return len(standing)


def _end(name: str, model: type[Model]) -> str:
    # Up to the last row that was read: rows added meanwhile belong to the next anchor.
    last = model._default_manager.order_by("-pk").values_list("pk", "hash").first()
    rows = model._default_manager.filter(pk__lte=last[0]).count() if last else 0
    at = timezone.now().isoformat(timespec="seconds")
    return json.dumps({"chain": name, "rows": rows, "last_hash": last[1] if last else "", "at": at})


def _hash_at(model: type[Model], rows: int) -> str:
    """The hash of the row at this place in the chain, from 1; empty for 0 and beyond the end."""
    if rows == 0:
        return ""
    return model._default_manager.order_by("pk").values_list("hash", flat=True)[rows - 1 : rows].first() or ""
