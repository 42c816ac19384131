"""File contents by their SHA-256, in a folder that no jail ever sees."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import hashlib
import os
import tempfile
from collections.abc import Container, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

from sandbox.contract import SandboxError

_BLOCK_BYTES = 1 << 20
_FICLONE = 0x40049409
_FEW = 4
_libc = ctypes.CDLL(None, use_errno=True)


class DamagedStore(SandboxError):
    """A stored content is missing or does not match its name."""


class Takes(Protocol):
    """Where contents go while a folder is read."""

    def add(self, source: BinaryIO) -> tuple[str, int]:
        """Takes a content from a stream; its SHA-256 and size in bytes."""


class Hashed:
    """Stores nothing: only the digests are wanted."""

    def add(self, source: BinaryIO) -> tuple[str, int]:
        """The SHA-256 and the size in bytes of a stream."""
        digest, size_bytes = hashlib.sha256(), 0
        while block := source.read(_BLOCK_BYTES):
            digest.update(block)
            size_bytes += len(block)
        return digest.hexdigest(), size_bytes


class Blobs:
    """A content-addressed store. Adding has two steps: `stage` any number, then `commit` makes them durable."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._staging = folder / "staging"
        self._staging.mkdir(parents=True, exist_ok=True)
        self._can_clone = True

    def has(self, sha256: str) -> bool:
        return self._path(sha256).exists()

    def open(self, sha256: str) -> BinaryIO:
        """The content, checked against its name before any byte is returned. Raises DamagedStore."""
        try:
            file = open(self._path(sha256), "rb")  # noqa: SIM115 - the caller closes it
        except FileNotFoundError as error:
            raise DamagedStore(f"the content {sha256} is missing from the snapshot store") from error
        found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != sha256:
            file.close()
            raise DamagedStore(f"the content {sha256} is damaged in the snapshot store")
        file.seek(0)
        return file

    def copy_to(self, sha256: str, target: int) -> None:
        """Fills the empty file `target` with a content, sharing its blocks if the file system can."""
        with self.open(sha256) as file:
            if self._clone(file.fileno(), target):
                return
            while block := file.read(_BLOCK_BYTES):
                view = memoryview(block)
                while view:
                    view = view[os.write(target, view) :]

    def _clone(self, source: int, target: int) -> bool:
        """Whether the blocks are shared now. A file system that does not support it is asked only once."""
        if not self._can_clone:
            return False
        try:
            fcntl.ioctl(target, _FICLONE, source)
        except OSError as error:
            # EXDEV only means that this target is on another disk; the next one may not be.
            self._can_clone = error.errno not in (errno.EOPNOTSUPP, errno.ENOTTY)
            return False
        return True

    def stored(self) -> Iterator[tuple[str, int, float]]:
        """Name, size in bytes and time of storing (seconds since the epoch) of every content, whole or not."""
        for folder in self._folder.glob("[0-9a-f][0-9a-f]"):
            for each in os.scandir(folder):
                state = each.stat(follow_symlinks=False)
                yield folder.name + each.name, state.st_size, state.st_mtime

    def remove(self, sha256: str) -> None:
        """Removes a content; nothing happens when it is not here."""
        self._path(sha256).unlink(missing_ok=True)

    def put_back(self, source: BinaryIO, wanted: Container[str]) -> str | None:
        """Stores a content under its name, replacing a damaged one, if it is wanted. Durable; the name or None."""
        staged = self.staged()
        try:
            sha256, _, path = staged.keep(source)
            if sha256 not in wanted:
                return None
            sync(path)
            self._path(sha256).parent.mkdir(exist_ok=True)
            path.rename(self._path(sha256))
            sync(self._path(sha256).parent)
            sync(self._folder)
            return sha256
        finally:
            staged.discard()

    def staged(self) -> Staged:
        """A place for new contents; `discard` it in the end."""
        return Staged(self._folder, self._staging)

    def _path(self, sha256: str) -> Path:
        return self._folder / sha256[:2] / sha256[2:]


class Staged:
    """New contents that are not stored yet. They get their names only when their bytes are on the disk, so that after a
    crash every stored content is complete."""

    def __init__(self, folder: Path, staging: Path) -> None:
        self._folder, self._staging = folder, staging
        self._place: Path | None = None  # made for the first content: most reads of a folder find no new one
        self._names: dict[str, Path] = {}

    def add(self, source: BinaryIO) -> tuple[str, int]:
        """Takes a content from a stream; its SHA-256 and size in bytes."""
        sha256, size_bytes, path = self.keep(source)
        if sha256 in self._names or (self._folder / sha256[:2] / sha256[2:]).exists():
            path.unlink()
        else:
            self._names[sha256] = path
        return sha256, size_bytes

    def keep(self, source: BinaryIO) -> tuple[str, int, Path]:
        """Copies a stream to a temporary file: its SHA-256, its size in bytes and its path. `commit` ignores it."""
        if self._place is None:
            self._place = Path(tempfile.mkdtemp(dir=self._staging))
        path = self._place / str(len(self._names))
        digest, size_bytes = hashlib.sha256(), 0
        with open(path, "xb", buffering=0) as file:
            while block := source.read(_BLOCK_BYTES):
                digest.update(block)
                size_bytes += len(block)
                file.write(block)
        return digest.hexdigest(), size_bytes, path

    def commit(self) -> None:
        """Returns when every staged content is durable under its name."""
        if not self._names:
            return
        self._sync(list(self._names.values()))
        folders = set()
        for sha256, path in self._names.items():
            folder = self._folder / sha256[:2]
            folder.mkdir(exist_ok=True)
            path.rename(folder / sha256[2:])
            folders.add(folder)
        self._sync([*folders, self._folder])

    def discard(self) -> None:
        """Removes what was not committed."""
        if self._place is None:
            return
        for path in self._place.iterdir():
            path.unlink()
        self._place.rmdir()

    def _sync(self, paths: list[Path]) -> None:
        """One sync of the file system costs less than many of single files."""
        if len(paths) <= _FEW:
            for path in paths:
                sync(path)
            return
        descriptor = os.open(self._folder, os.O_RDONLY)
        try:
            if _libc.syncfs(descriptor) != 0:
                failure = ctypes.get_errno()
                raise OSError(failure, os.strerror(failure))
        finally:
            os.close(descriptor)


def sync(path: Path) -> None:
    """Returns when a file's bytes, or a folder's names, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
