"""Verifies a snapshot store: whether each part matches its name, and which states need the damaged parts.

Reads the disk, never a cache. Damage is reported, not repaired: see `sandbox.store.repair`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sandbox.store.blobs import DamagedStore
from sandbox.store.manifest import EMPTY
from sandbox.store.snapshots import SnapshotStore
from sandbox.store.store_lock import writing


@dataclass(frozen=True)
class Damage:
    """A part that is missing or does not match its name, with the states that need it.

    `part` is "manifest" or "content", `what` "missing", "damaged" or "of another size". `paths` are the files of a
    content. A content without snapshots is one that no manifest names: nothing is lost with it.
    """

    part: str
    name: str
    what: str
    snapshots: tuple[str, ...]
    paths: tuple[bytes, ...] = ()
    size_bytes: int = 0


@dataclass(frozen=True)
class Verified:
    """How much was checked, and what is wrong."""

    manifests: int
    contents: int
    size_bytes: int
    damages: tuple[Damage, ...]


def verify(store: SnapshotStore, digest: str) -> list[Damage]:
    """The missing or damaged parts of one snapshot; empty if it is complete."""
    with store.unread() as plain:
        return list(_verify(plain, [digest], ()).damages)


def verify_all(store: SnapshotStore, wanted: Iterable[str] = ()) -> Verified:
    """Every manifest and every content in the store; `wanted` are digests that must be there as well."""
    with writing(store.folder), store.unread() as plain:
        digests = sorted({*plain.digests(), *wanted} - {EMPTY, ""})
        return _verify(plain, digests, [name for name, _, _ in plain.blobs.stored()])


def _verify(store: SnapshotStore, digests: list[str], contents: Iterable[str]) -> Verified:
    damages: list[Damage] = []
    said: dict[str, set[int]] = {name: set() for name in contents}
    readable: list[str] = []
    for digest in digests:
        try:
            entries = store.read(digest)
        except KeyError:
            damages.append(Damage("manifest", digest, "missing", (digest,)))
        except DamagedStore:
            damages.append(Damage("manifest", digest, "damaged", (digest,)))
        else:
            readable.append(digest)
            for entry in entries:
                if entry.sha256 is not None:
                    said.setdefault(entry.sha256, set()).add(entry.size)
    total, bad = 0, {}
    for name, sizes in said.items():
        what, size_bytes = _content(store, name, sizes)
        total += size_bytes
        if what:
            bad[name] = what
    return Verified(len(digests), len(said), total, (*damages, *_named(store, readable, bad, said)))


def _content(store: SnapshotStore, name: str, sizes: set[int]) -> tuple[str, int]:
    """What is wrong with a content ("" for nothing), and its stored size in bytes."""
    try:
        with store.blobs.open(name) as file:
            size_bytes = file.seek(0, 2)
    except DamagedStore:
        return ("damaged" if store.blobs.has(name) else "missing"), 0
    return ("of another size" if sizes - {size_bytes} else ""), size_bytes


def _named(store: SnapshotStore, digests: list[str], bad: dict[str, str], said: dict[str, set[int]]) -> list[Damage]:
    """Reads the manifests again: this is rarely needed, and storing it for all would cost memory."""
    needed: dict[str, tuple[set[str], set[bytes]]] = {name: (set(), set()) for name in bad}
    for digest in digests if bad else ():
        for entry in store.read(digest):
            if entry.sha256 in needed:
                needed[entry.sha256][0].add(digest)
                needed[entry.sha256][1].add(entry.path)
    return [
        Damage("content", name, bad[name], tuple(sorted(snapshots)), tuple(sorted(paths)), max(said[name], default=0))
        for name, (snapshots, paths) in sorted(needed.items())
    ]
