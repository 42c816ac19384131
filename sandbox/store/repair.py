"""Repairs a snapshot store from folders that may contain what it has lost: checkouts, backups.

A folder may belong to a jail, so it is not trusted: links are not followed, FIFOs not waited for, and a file counts
only if its copied bytes have the wanted SHA-256.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from sandbox.contract import Limits
from sandbox.store import manifest
from sandbox.store.blobs import Hashed
from sandbox.store.remote import RemoteStore
from sandbox.store.snapshots import Looked, SnapshotRefused, SnapshotStore
from sandbox.store.store_lock import writing
from sandbox.store.verify import Damage


def repair_from_copies(store: RemoteStore, damages: Iterable[Damage]) -> list[Damage]:
    """Sends manifests again of which this machine has a complete copy. Returns what was repaired."""
    texts = store.cached_texts()
    found = [each for each in damages if each.part == "manifest" and each.name in texts]
    with writing(store.folder):
        for each in found:
            store.write_manifest(each.name, texts[each.name])
    return found


def repair(store: SnapshotStore, damages: Iterable[Damage], folders: Iterable[Path]) -> list[Damage]:
    """Restores what is found below the folders. Returns what was repaired; other damages remain."""
    manifests = {each.name: each for each in damages if each.part == "manifest"}
    contents = {each.name: each for each in damages if each.part == "content" and each.what != "of another size"}
    mended = []
    with writing(store.folder):
        for folder in folders:
            mended += _manifest(store, manifests, folder)
            mended += _contents(store, contents, folder)
    return mended


def _manifest(store: SnapshotStore, wanted: dict[str, Damage], folder: Path) -> list[Damage]:
    """Restores a manifest from a folder in that state."""
    if not wanted:
        return []
    looked = Looked({}, Limits())
    try:
        looked.at(folder, Hashed())
    except (SnapshotRefused, OSError):
        return []
    text = manifest.render(looked.entries)
    found = wanted.pop(manifest.digest_of(text), None)
    if found is None:
        return []
    store.write_manifest(found.name, text)
    return [found]


def _contents(store: SnapshotStore, wanted: dict[str, Damage], folder: Path) -> list[Damage]:
    mended = []
    for _, _, names, descriptor in os.fwalk(folder, follow_symlinks=False):
        for name in names:
            sizes = {each.size_bytes for each in wanted.values()}
            state = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            if stat.S_ISREG(state.st_mode) and state.st_size in sizes:
                mended += _content(store, wanted, descriptor, name)
        if not wanted:
            break
    return mended


def _content(store: SnapshotStore, wanted: dict[str, Damage], folder: int, name: str) -> list[Damage]:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        with open(os.open(name, flags, dir_fd=folder), "rb", buffering=0) as file:
            sha256 = store.blobs.put_back(file, wanted)
    except OSError:
        return []  # it is gone or unreadable, so it is of no use
    found = wanted.pop(sha256, None) if sha256 else None
    return [found] if found else []
