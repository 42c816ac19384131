"""Snapshots: the real state of a workspace, outside of any jail. A folder is only a checkout of one."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from sandbox.contract import DEFAULT_LIMITS, Limits, SandboxError
from sandbox.store import manifest
from sandbox.store.blobs import Blobs, DamagedStore, Staged, Takes, sync
from sandbox.store.checkout import write_out
from sandbox.store.manifest import EMPTY, BadManifest, Change, Entry
from sandbox.store.read_times import quietly
from sandbox.store.seen import YOUNG_NS, Seen, Stamp
from sandbox.store.store_lock import removing, writing

__all__ = ["EMPTY", "Change", "DamagedStore", "Entry", "Snapshot", "SnapshotRefused", "SnapshotStore"]

_MOST_DEEP = 256
_MOST_NAME_BYTES = 255
_KINDS = {stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket", stat.S_IFBLK: "a device", stat.S_IFCHR: "a device"}


class SnapshotRefused(SandboxError):
    """A workspace, or a change to one, cannot be a snapshot; the message names the path or the limit.

    This is the step's failure, not the store's: the workspace contains something that is not allowed.
    """

    def __init__(self, reason: str, limit: str | None = None) -> None:
        super().__init__(reason)
        self.limit = limit


@dataclass(frozen=True)
class Snapshot:
    """The name of a state: 64 hexadecimal digits, with the number and the bytes of its files."""

    digest: str
    files: int
    size_bytes: int


class SnapshotStore:
    """Snapshots in a folder that only mindX may read. Many processes may use one folder at the same time, and many
    machines one that they all mount; `seen` is then a local folder of this machine.

    Writing methods are durable when they return. Raises DamagedStore if stored data was damaged.
    """

    def __init__(self, folder: Path, limits: Limits = DEFAULT_LIMITS, *, seen: Path | None = None) -> None:
        self.folder = folder
        self._limits = limits
        self._manifests = folder / "manifests"
        self._manifests.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.chmod(0o700)
        self.blobs = Blobs(folder / "blobs")
        self._seen = Seen(seen or folder / "seen")
        self._parsed = lru_cache(maxsize=16)(self.read)

    def take(self, checkout: Path, previous: str | None = None) -> Snapshot:
        """The state of a folder. With `previous`, files that look unchanged since then are not read again.

        Raises SnapshotRefused for special files, unreadable ones, and a workspace over its limits.
        """
        with self._adding() as staged:
            # Stamps of a removed snapshot may name contents that were removed with it.
            known = self._seen.load(previous) if previous and self._is_here(previous) else {}
            looked = Looked(known, self._limits)
            looked.at(checkout, staged)
            staged.commit()
            snapshot = self._store(looked.entries, previous or "")
        if snapshot.digest != previous or looked.stamps != known:
            self._seen.save(snapshot.digest, looked.stamps)
        return snapshot

    def checkout(self, digest: str, target: Path) -> None:
        """Writes the state of `digest` into the folder `target`, which must be missing or empty."""
        target.mkdir(parents=True, exist_ok=True)
        if any(target.iterdir()):
            raise SandboxError(f"{target} is not empty, so nothing is checked out there")
        times = {path: stamp.mtime_ns for path, stamp in self._seen.load(digest).items()}
        entries = self.entries(digest)
        stamps = write_out(entries, target, self.blobs, times)
        if entries:  # an empty state needs no stamps
            self._seen.save(digest, stamps)

    def entries(self, digest: str) -> list[Entry]:
        """Everything in a snapshot, sorted by path. Raises KeyError for a digest that is not here."""
        return list(self._parsed(digest))

    def open(self, digest: str, path: bytes) -> BinaryIO:
        """A file's content. Raises KeyError when there is no regular file of that path (links are not followed)."""
        entry = next((each for each in self._parsed(digest) if each.path == path), None)
        if entry is None or entry.kind != "file" or entry.sha256 is None:
            raise KeyError(path)
        return self.blobs.open(entry.sha256)

    def with_files(self, digest: str, files: Iterable[tuple[bytes, BinaryIO]]) -> Snapshot:
        """The state with these files written, all or none, and the folders above them made."""
        with self._adding() as staged:
            held = {entry.path: entry for entry in self._entries_here(digest)}
            # A running sum, so that too much stops at the file that is too much and not when all is on the disk.
            held_bytes = sum(entry.size for entry in held.values())
            for path, source in files:
                _make_way(held, path)
                sha256, size_bytes = staged.add(source)
                held_bytes += size_bytes - (held[path].size if path in held else 0)
                held[path] = Entry(path, "file", 0o644, sha256, size_bytes)
                _check_within(self._limits, len(held), held_bytes)
            staged.commit()
            return self._store(held.values(), digest)

    def without(self, digest: str, path: bytes) -> Snapshot:
        """The state without a file, a link, or a folder and all in it. Raises KeyError when it is not there."""
        with writing(self.folder):
            held = self._entries_here(digest)
            kept = [each for each in held if each.path != path and not each.path.startswith(path + b"/")]
            if len(kept) == len(held):
                raise KeyError(path)
            return self._store(kept, digest)

    def diff(self, before: str, after: str) -> list[Change]:
        """What changed from one snapshot to another, deletions first."""
        return manifest.compare(self.entries(before), self.entries(after))

    def adopt(self, digest: str, source: SnapshotStore) -> None:
        """Copies a snapshot from another store, contents first. Raises KeyError and DamagedStore."""
        with self._adding() as staged:
            entries = source.read(digest)
            for sha256 in {entry.sha256 for entry in entries if entry.sha256 is not None}:
                if not self.blobs.has(sha256):
                    with source.blobs.open(sha256) as file:
                        staged.add(file)
            staged.commit()
            self._store(entries)

    @contextmanager
    def _adding(self) -> Iterator[Staged]:
        with writing(self.folder):
            staged = self.blobs.staged()
            try:
                yield staged
            finally:
                staged.discard()

    def _is_here(self, digest: str) -> bool:
        return digest == EMPTY or (self._manifests / digest).exists()

    def _entries_here(self, digest: str) -> tuple[Entry, ...]:
        """As `entries`, but without this process's cache, which may have a snapshot that was removed since."""
        if not self._is_here(digest):
            raise KeyError(digest)
        return self._parsed(digest)

    def _store(self, entries: Iterable[Entry], before: str = "") -> Snapshot:
        """Names a state whose contents are stored; `before` is the snapshot that it was made from."""
        ordered = sorted(entries, key=lambda each: each.path)
        text = manifest.render(ordered)
        digest = manifest.digest_of(text)
        if digest != EMPTY:
            self._name(digest, text, ordered, before)
        files = [entry for entry in ordered if entry.kind == "file"]
        return Snapshot(digest, len(files), sum(entry.size for entry in files))

    def _name(self, digest: str, text: bytes, entries: list[Entry], before: str) -> None:
        try:
            # Pruning must see that this state has just been reached again.
            os.utime(self._manifests / digest)
        except FileNotFoundError:
            self.write_manifest(digest, text)

    def write_manifest(self, digest: str, text: bytes) -> None:
        """Stores a manifest's text under its digest, durably, over a damaged one."""
        with tempfile.NamedTemporaryFile(dir=self.folder, prefix=".manifest-", delete=False) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(file.name).rename(self._manifests / digest)
        sync(self._manifests)

    def digests(self) -> list[str]:
        """The names of all snapshots here, readable or not, in any order."""
        return [digest for digest, _ in self.manifests()]

    def manifests(self) -> Iterator[tuple[str, float]]:
        """As `digests`, each with the time when this state was last reached, in seconds since the epoch."""
        for each in os.scandir(self._manifests):
            with suppress(FileNotFoundError):  # another remover was faster
                yield each.name, each.stat().st_mtime

    def removing(self, wait_s: float) -> AbstractContextManager[None]:
        """Held while names are removed. Raises StoreBusy if writers leave no pause within `wait_s` seconds."""
        return removing(self.folder, wait_s)

    def keeping(self) -> AbstractContextManager[None]:
        """Held while nothing may be removed."""
        return writing(self.folder)

    def copy_to(self, target: Path) -> None:
        """Copies manifests and contents into a new folder. Incomplete ones have other names."""
        target.mkdir(mode=0o700)
        for part in ("manifests", "blobs"):
            shutil.copytree(self.folder / part, target / part, ignore=shutil.ignore_patterns(".*", "staging"))

    @contextmanager
    def unread(self) -> Iterator[SnapshotStore]:
        """This store itself, without a cache."""
        yield self

    def check_answers(self) -> None:
        """Writes, reads and removes a few bytes. Raises OSError."""
        probe = self.folder / f".manifest-probe-{os.getpid()}"
        probe.write_bytes(b"mindX")
        probe.unlink()

    def stored_at(self, digest: str) -> float | None:
        """When this state was last reached, in seconds since the epoch; None if it is not here."""
        try:
            return (self._manifests / digest).stat().st_mtime
        except FileNotFoundError:
            return None

    def renew(self, digest: str) -> None:
        """Marks this state as just reached: it is not removed in the next grace period.

        Raises KeyError if it is not here (any more).
        """
        with writing(self.folder):
            if not self._is_here(digest):
                raise KeyError(digest)
            if digest != EMPTY:
                os.utime(self._manifests / digest)

    def forget(self, digest: str, *, unless_since: float) -> bool:
        """Removes a snapshot's name, unless it was reached since then. The caller must hold the store alone."""
        at = self.stored_at(digest)
        if at is None or at >= unless_since:
            return False
        (self._manifests / digest).unlink()
        sync(self._manifests)
        self._seen.forget(digest)
        return True

    def read(self, digest: str) -> tuple[Entry, ...]:
        """As `entries`, but read from the disk each time. Raises KeyError and DamagedStore."""
        if digest == EMPTY:
            return ()
        if len(digest) != 64 or not digest.isalnum():
            raise KeyError(digest)
        return parsed(digest, self._text(digest))

    def _text(self, digest: str) -> bytes:
        try:
            return (self._manifests / digest).read_bytes()
        except FileNotFoundError as error:
            raise KeyError(digest) from error


def parsed(digest: str, text: bytes) -> tuple[Entry, ...]:
    """The entries of a manifest, if it matches its name. Raises DamagedStore."""
    if manifest.digest_of(text) != digest:
        raise DamagedStore(f"the manifest {digest} is damaged in the snapshot store")
    try:
        return tuple(manifest.parse(text))
    except BadManifest as error:
        raise DamagedStore(f"the manifest {digest} cannot be read: {error}") from error


class Looked:
    """One reading of a folder: its entries, and the stamps by which the next one recognises unchanged files."""

    def __init__(self, known: dict[bytes, Stamp], limits: Limits) -> None:
        self.entries: list[Entry] = []
        self.stamps: dict[bytes, Stamp] = {}
        self._known = known
        self._limits = limits
        self._size_bytes = 0
        self._old_ns = time.time_ns() - YOUNG_NS

    def at(self, folder: Path, staged: Takes) -> None:
        descriptor = quietly(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self._folder(descriptor, b"", staged, 1)
        finally:
            os.close(descriptor)

    def _folder(self, descriptor: int, above: bytes, staged: Takes, depth: int) -> None:
        if depth > _MOST_DEEP:
            raise SnapshotRefused(f"the workspace has folders more than {_MOST_DEEP} deep", "workspace")
        with os.scandir(descriptor) as found:
            names = [(os.fsencode(entry.name), entry.stat(follow_symlinks=False)) for entry in found]
        for name, state in names:
            path = above + name
            kind = stat.S_IFMT(state.st_mode)
            if kind == stat.S_IFREG:
                self._file(descriptor, name, path, state, staged)
            elif kind == stat.S_IFDIR:
                self._add(Entry(path, "dir", stat.S_IMODE(state.st_mode) & 0o777))
                deeper = _open(descriptor, name, path, os.O_DIRECTORY)
                try:
                    self._folder(deeper, path + b"/", staged, depth + 1)
                finally:
                    os.close(deeper)
            elif kind == stat.S_IFLNK:
                self._add(Entry(path, "link", 0o777, target=os.readlink(name, dir_fd=descriptor)))
            else:
                raise SnapshotRefused(f"{_shown(path)} is {_KINDS.get(kind, 'special')}, which a workspace cannot keep")

    def _file(self, folder: int, name: bytes, path: bytes, state: os.stat_result, staged: Takes) -> None:
        self._size_bytes += state.st_size
        if self._size_bytes > self._limits.workspace_bytes:
            raise SnapshotRefused(f"the workspace holds more than {self._limits.workspace_bytes:,} bytes", "workspace")
        stamp = self._known.get(path)
        # A trusted stamp that still matches stays trusted.
        if stamp is None or not stamp.is_of(state):
            with open(_open(folder, name, path, os.O_NONBLOCK), "rb", buffering=0) as file:
                sha256, _ = staged.add(file)
            stamp = replace(Stamp.of(state), sha256=sha256)
            if stamp.ctime_ns >= self._old_ns:
                stamp = stamp.untrusted()
        self.stamps[path] = stamp
        self._add(Entry(path, "file", stat.S_IMODE(state.st_mode) & 0o777, stamp.sha256, state.st_size))

    def _add(self, entry: Entry) -> None:
        if len(self.entries) >= self._limits.workspace_files:
            raise SnapshotRefused(
                f"the workspace holds more than {self._limits.workspace_files:,} files and folders", "workspace"
            )
        self.entries.append(entry)


def _open(folder: int, name: bytes, path: bytes, flags: int) -> int:
    try:
        return quietly(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | flags, folder)
    except PermissionError as error:
        raise SnapshotRefused(f"{_shown(path)} cannot be read: its permissions forbid it") from error


def _make_way(held: dict[bytes, Entry], path: bytes) -> None:
    """Adds the folders above `path`. Raises SnapshotRefused if the path is not plain, or not free for a file."""
    parts = path.split(b"/")
    if any(part in (b"", b".", b"..") or b"\0" in part or len(part) > _MOST_NAME_BYTES for part in parts):
        raise SnapshotRefused(f"{_shown(path)} is no plain path within a workspace")
    if len(parts) > _MOST_DEEP:
        raise SnapshotRefused(f"{_shown(path)[:80]} lies more than {_MOST_DEEP} folders deep")
    for depth in range(1, len(parts)):
        folder = b"/".join(parts[:depth])
        found = held.setdefault(folder, Entry(folder, "dir", 0o755))
        if found.kind != "dir":
            raise SnapshotRefused(f"{_shown(folder)} is a {found.kind}, so nothing can lie in it")
    there = held.get(path)
    if there is not None and there.kind != "file":
        raise SnapshotRefused(f"{_shown(path)} is a {there.kind}, not a file")


def _check_within(limits: Limits, entries: int, size_bytes: int) -> None:
    if entries > limits.workspace_files or size_bytes > limits.workspace_bytes:
        raise SnapshotRefused("the workspace would grow over its limit of files or bytes", "workspace")


def _shown(path: bytes) -> str:
    return path.decode("utf-8", "backslashreplace")
