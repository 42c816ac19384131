"""What happens to the files of a folder while something works in it: which are read, and what differs afterwards.

Reading leaves no trace in a file, so the kernel is asked to tell of it (inotify, by the C library: Python has no words
for it). What happens in folders that come to be meanwhile is seen by the comparison alone.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

_ACCESS, _MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x1, 0x40, 0x80, 0x100, 0x200
_IS_FOLDER = 0x40000000
_COMES, _GOES = _CREATE | _MOVED_TO, _DELETE | _MOVED_FROM
_HEAD = struct.Struct("iIII")
_MOST_BYTES = 1 << 20

State = dict[str, tuple[str, int, str]]


@dataclass(frozen=True)
class Seen:
    """Paths from the folder. `passing`: what came and went again, of which the comparison knows nothing."""

    read: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()

    @property
    def differs(self) -> tuple[str, ...]:
        """Every path that is not as it was."""
        return tuple(sorted({*self.added, *self.changed, *self.removed}))


@dataclass
class Watch:
    """Fills with what was seen when the block is left."""

    seen: Seen = field(default_factory=Seen)


@contextmanager
def watched(root: Path) -> Iterator[Watch]:
    """Watch a folder while the block runs. Raises OSError where the kernel gives no watches."""
    watch, before = Watch(), state_of(root)
    folders = ["", *(path for path, (kind, _, _) in before.items() if kind == "folder")]
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "no file can be watched")
    try:
        names = {}
        for folder in folders:
            number = libc.inotify_add_watch(descriptor, os.fsencode(root / folder), _ACCESS | _COMES | _GOES)
            if number < 0:
                raise OSError(ctypes.get_errno(), f"{folder or root} cannot be watched")
            names[number] = folder
        yield watch
        events = list(_events(descriptor, names))
    finally:
        os.close(descriptor)
    watch.seen = _compared(before, state_of(root), events)


def _events(descriptor: int, names: dict[int, str]) -> Iterator[tuple[int, str]]:
    while True:
        try:
            data = os.read(descriptor, _MOST_BYTES)
        except BlockingIOError:
            return
        at = 0
        while at < len(data):
            number, mask, _, length = _HEAD.unpack_from(data, at)
            name = os.fsdecode(data[at + _HEAD.size : at + _HEAD.size + length].rstrip(b"\0"))
            at += _HEAD.size + length
            if name and number in names:
                yield mask, f"{names[number]}/{name}".lstrip("/")


def state_of(root: Path) -> State:
    """Kind, mode, and digest or target of everything below a folder, by path."""
    found: State = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder, name)
            mode = path.lstat().st_mode & 0o7777
            if path.is_symlink():
                found[str(path.relative_to(root))] = ("link", 0, str(path.readlink()))
            elif path.is_dir():
                found[str(path.relative_to(root))] = ("folder", mode, "")
            else:
                digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
                found[str(path.relative_to(root))] = ("file", mode, digest)
    return found


def _compared(before: State, after: State, events: list[tuple[int, str]]) -> Seen:
    came = {path for mask, path in events if mask & _COMES}
    return Seen(
        read=tuple(sorted({path for mask, path in events if mask & _ACCESS and not mask & _IS_FOLDER})),
        added=tuple(sorted(after.keys() - before.keys())),
        changed=tuple(sorted(path for path in before.keys() & after.keys() if before[path] != after[path])),
        removed=tuple(sorted(before.keys() - after.keys())),
        passing=tuple(sorted(came - before.keys() - after.keys())),
    )
