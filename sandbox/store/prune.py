"""Removes snapshots that nobody needs, and the contents that only they named, while others write.

Nothing younger than the grace period is removed, because its maker may not have recorded it yet. Manifests are removed
first and durably, contents after them, so a crash in between leaves too many contents, never too few.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from sandbox.store.snapshots import SnapshotStore

DAY_S = 86_400.0
# Writers wait while names are removed, so this is done in batches.
_PORTION = 500


@dataclass(frozen=True)
class Policy:
    """How long history is kept (seconds), how many bytes of contents at most (None: any number), and the grace."""

    older_than_s: float = 90 * DAY_S
    keep_bytes: int | None = None
    grace_s: float = DAY_S


@dataclass(frozen=True)
class Pruned:
    """What was or would be removed: snapshots, contents and bytes, leftovers of dead processes; and what stays."""

    snapshots: tuple[str, ...]
    contents: int
    freed_bytes: int
    kept_bytes: int
    leftovers: int


def prune(
    store: SnapshotStore,
    uses: Mapping[str, float | None],
    policy: Policy,
    now: float,
    *,
    dry_run: bool = False,
    wait_s: float = 30.0,
) -> Pruned:
    """Removes what `policy` allows. `uses` says when history last needed a digest (seconds since the epoch), or None if
    it is needed now; a digest that it does not contain is unused, and removed after the grace period.

    Raises DamagedStore, with no content removed, if a manifest cannot be read, because its contents are then unknown.
    Raises StoreBusy when writers leave no pause within `wait_s`.
    """
    young = now - policy.grace_s
    doomed = _doomed(store, uses, policy, now)
    if not dry_run:
        with store.removing(wait_s):
            doomed = {digest for digest in doomed if store.forget(digest, unless_since=young)}
    read = set(store.digests()) - doomed
    named = _named(store, read)
    stored = {name: (size, at) for name, size, at in store.blobs.stored()}
    gone = {name: size for name, (size, at) in stored.items() if name not in named and at < young}
    leftovers = _leftovers(store.folder, young)
    if not dry_run:
        for portion in _portions(sorted(gone)):
            with store.removing(wait_s):
                # A manifest stored since may rely on one of these contents.
                late = set(store.digests()) - read
                saved = _named(store, late)
                read |= late
                gone = {name: size for name, size in gone.items() if name not in saved}
                for name in portion:
                    if name in gone:
                        store.blobs.remove(name)
        with store.removing(wait_s):
            for path in leftovers:
                _remove(path)
    freed = sum(gone.values())
    kept = sum(size for size, _ in stored.values()) - freed
    return Pruned(tuple(sorted(doomed)), len(gone), freed, kept, len(leftovers))


def _doomed(store: SnapshotStore, uses: Mapping[str, float | None], policy: Policy, now: float) -> set[str]:
    here = dict(store.manifests())
    old = {digest for digest, at in here.items() if at < now - policy.grace_s}
    doomed = old - uses.keys()
    history = sorted((last, digest) for digest in old if (last := uses.get(digest)) is not None)
    doomed |= {digest for last, digest in history if last < now - policy.older_than_s}
    if policy.keep_bytes is not None:
        rest = [digest for _, digest in history if digest not in doomed]
        doomed |= _oldest(store, here.keys() - doomed, rest, policy.keep_bytes)
    return doomed


def _oldest(store: SnapshotStore, kept: Set[str], history: Iterable[str], keep_bytes: int) -> set[str]:
    """The first of `history` to remove so that the others fit into `keep_bytes`."""
    sizes: dict[str, int] = {}
    counts: Counter[str] = Counter()
    for digest in kept:
        contents = _contents(store, digest)
        sizes |= contents
        counts.update(contents.keys())
    total, doomed = sum(sizes.values()), set()
    for digest in history:
        if total <= keep_bytes:
            break
        doomed.add(digest)
        for name in _contents(store, digest):
            counts[name] -= 1
            total -= 0 if counts[name] else sizes[name]
    return doomed


def _named(store: SnapshotStore, digests: Iterable[str]) -> set[str]:
    return {name for digest in digests for name in _contents(store, digest)}


def _contents(store: SnapshotStore, digest: str) -> dict[str, int]:
    try:
        return {entry.sha256: entry.size for entry in store.read(digest) if entry.sha256 is not None}
    except KeyError:
        return {}  # another remover was faster


def _leftovers(folder: Path, young: float) -> list[Path]:
    """Leftovers of dead processes: staging folders and temporary files."""
    found = [*(folder / "blobs" / "staging").iterdir(), *folder.glob(".manifest-*"), *(folder / "seen").glob(".new-*")]
    return [path for path in found if _changed_at(path) < young]


def _changed_at(path: Path) -> float:
    try:
        return path.stat(follow_symlinks=False).st_mtime
    except FileNotFoundError:
        return float("inf")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _portions(names: list[str]) -> Iterator[list[str]]:
    return (names[start : start + _PORTION] for start in range(0, len(names), _PORTION))
