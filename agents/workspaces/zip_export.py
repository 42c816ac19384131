"""A workspace as a zip file, written while it is read: nothing of it is ever whole in memory."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Iterator
from datetime import datetime
from io import RawIOBase
from typing import Protocol

from agents.workspaces import file_paths
from sandbox.store.snapshots import Entry, SnapshotStore

CHUNK_BYTES = 256 << 10


class Buffer(Protocol):
    """What RawIOBase hands to `write`."""

    def __len__(self) -> int: ...


class _Outbox(RawIOBase):
    """Where zipfile writes to; what has gathered is taken away between two chunks."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer) -> int:  # type: ignore[override]  # bytes are all that is written here
        self._parts.append(bytes(data))  # type: ignore[call-overload]  # any buffer becomes bytes
        return len(data)

    def take(self) -> bytes:
        taken = b"".join(self._parts)
        self._parts.clear()
        return taken


def stream(snapshots: SnapshotStore, digest: str, at: datetime) -> Iterator[bytes]:
    """The zip's bytes, piece by piece. Symbolic links are stored as links; names that are not UTF-8 get `%XX`."""
    outbox = _Outbox()
    when = (max(at.year, 1980), at.month, at.day, at.hour, at.minute, at.second)
    with zipfile.ZipFile(outbox, "w", zipfile.ZIP_DEFLATED) as zipped:
        for entry in snapshots.entries(digest):
            yield from _entry(zipped, outbox, snapshots, digest, entry, when)
    yield outbox.take()


def _entry(
    zipped: zipfile.ZipFile,
    outbox: _Outbox,
    snapshots: SnapshotStore,
    digest: str,
    entry: Entry,
    when: tuple[int, int, int, int, int, int],
) -> Iterator[bytes]:
    info = zipfile.ZipInfo(_name(entry.path) + "/" * (entry.kind == "dir"), when)
    info.create_system = 3  # Unix, so that mode and links mean something
    info.compress_type = zipfile.ZIP_DEFLATED
    if entry.kind == "dir":
        info.external_attr = (stat.S_IFDIR | 0o755) << 16 | 0x10
        zipped.writestr(info, b"")
    elif entry.kind == "link":
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        zipped.writestr(info, entry.target or b"")
    else:
        info.external_attr = (stat.S_IFREG | stat.S_IMODE(entry.mode)) << 16
        info.file_size = entry.size
        with snapshots.open(digest, entry.path) as source, zipped.open(info, "w") as target:
            while chunk := source.read(CHUNK_BYTES):
                target.write(chunk)
                yield outbox.take()
    yield outbox.take()


def _name(path: bytes) -> str:
    try:
        return path.decode()
    except UnicodeDecodeError:
        return file_paths.to_address(path)
