"""Writes a snapshot's entries as files. The target is a new folder that only its maker can write to yet."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from sandbox.places import owner
from sandbox.store.blobs import Blobs
from sandbox.store.manifest import Entry
from sandbox.store.seen import Stamp

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write_out(entries: list[Entry], target: Path, blobs: Blobs, times: dict[bytes, int]) -> dict[bytes, Stamp]:
    """Makes every entry below `target`; `times` has known mtimes (ns). Returns stamps of those files.

    A manifest lists each entry's folder as a folder, so no path leads through a link.
    """
    writer = _Writer(target, blobs, times)
    try:
        for entry in sorted(entries, key=lambda each: each.path.split(b"/")):
            writer.write(entry)
    finally:
        writer.close()
    return writer.stamps


class _Writer:
    """Walks the tree in order, with a descriptor for each folder on the way down."""

    def __init__(self, target: Path, blobs: Blobs, times: dict[bytes, int]) -> None:
        self.stamps: dict[bytes, Stamp] = {}
        self._blobs = blobs
        self._times = times
        self._owner = owner()
        self._trail: list[tuple[bytes, int, int]] = [(b"", os.open(target, _FOLDER), 0o755)]
        if self._owner:
            os.fchown(self._trail[0][1], *self._owner)

    def write(self, entry: Entry) -> None:
        above, _, name = entry.path.rpartition(b"/")
        while self._trail[-1][0] != above:
            self._leave()
        folder = self._trail[-1][1]
        if entry.kind == "dir":
            os.mkdir(name, 0o700, dir_fd=folder)
            deeper = os.open(name, _FOLDER, dir_fd=folder)
            if self._owner:
                os.fchown(deeper, *self._owner)
            self._trail.append((entry.path, deeper, entry.mode))
        elif entry.kind == "link":
            os.symlink(entry.target or b"", name, dir_fd=folder)
            if self._owner:
                os.chown(name, *self._owner, dir_fd=folder, follow_symlinks=False)
        else:
            self._write_file(entry, name, folder)

    def close(self) -> None:
        while self._trail:
            self._leave()

    def _write_file(self, entry: Entry, name: bytes, folder: int) -> None:
        descriptor = os.open(name, _NEW_FILE, 0o600, dir_fd=folder)
        try:
            self._blobs.copy_to(entry.sha256 or "", descriptor)
            if self._owner:
                os.fchown(descriptor, *self._owner)
            os.fchmod(descriptor, entry.mode)
            mtime_ns = self._times.get(entry.path)
            if mtime_ns is not None:
                # A later write changes the mtime, so this stamp can be trusted although it is young.
                os.utime(descriptor, ns=(mtime_ns, mtime_ns))
                self.stamps[entry.path] = replace(Stamp.of(os.fstat(descriptor)), sha256=entry.sha256 or "")
        finally:
            os.close(descriptor)

    def _leave(self) -> None:
        _, descriptor, mode = self._trail.pop()
        if self._trail:
            # Only now, because a folder may be one that its owner cannot write to.
            os.fchmod(descriptor, mode)
        os.close(descriptor)
