"""Moving and copying, whole folders included: no link is followed, and nothing is overwritten unless that was asked."""

# Descriptors, not paths.
from __future__ import annotations

import errno
import os
import stat

from . import libc
from .files import discard, need_writable
from .survey import MOST_DEEP
from .tree import Refused, Tree, kind_of, refusal, shown

TYPE_CHECKING = False  # importing typing costs a session's start 3 ms
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .survey import Survey

    Answer = tuple[dict[str, Any], bytes]

_RENAME_NOREPLACE = 1
_BLOCK_BYTES = 1 << 20
_renameat2 = libc.function("renameat2")


class _Held:
    """What a file, link or folder is and holds."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.paths = 0
        self.files = 0
        self.size_bytes = 0
        self.depth = 0
        self.special = b""


def move(tree: Tree, path: bytes, to: bytes, overwrite: bool, may_destroy: bool) -> Answer:
    """Gives `path` the name `to`. A file that is there already goes only with `overwrite` and `may_destroy`."""
    _keep_apart(path, to)

    def rename(folder: int, name: bytes, target: int, new_name: bytes) -> Answer:
        held = _weigh(folder, name, path, to)
        replaces = _replaces(target, new_name, to, held, overwrite, may_destroy)
        _rename(folder, name, target, new_name, replaces)
        return _told(held, replaces)

    return _in_both_folders(tree, path, to, rename)


def copy(
    tree: Tree,
    path: bytes,
    to: bytes,
    overwrite: bool,
    may_destroy: bool,
    limits: dict[str, Any],
    look_over: Callable[[], Survey],
) -> Answer:
    """Copies `path` beside its new name `to` and renames, so that a copy is there whole or not at all.

    A link is copied as the link it is. `look_over` counts the workspace; refused when that would grow over its limits.
    """
    _keep_apart(path, to)

    def copy_whole(folder: int, name: bytes, target: int, new_name: bytes) -> Answer:
        held = _weigh(folder, name, path, to)
        if held.special:
            raise Refused("PERMISSION_ERROR", f"{shown(held.special)}: is no file, folder or link to be copied")
        replaces = _replaces(target, new_name, to, held, overwrite, may_destroy)
        _need_room(held, limits, look_over())
        _copy_whole(folder, name, target, new_name, replaces)
        return _told(held, replaces)

    return _in_both_folders(tree, path, to, copy_whole)


def _in_both_folders(tree: Tree, path: bytes, to: bytes, act: Callable[[int, bytes, int, bytes], Answer]) -> Answer:
    """Act on the open folder of each place and the name in it."""
    folder, name = tree.open_parent(path)
    try:
        target, new_name = tree.open_parent(to)
        try:
            return act(folder, name, target, new_name)
        finally:
            os.close(target)
    except OSError as error:
        raise refusal(path, error) from error
    finally:
        os.close(folder)


def _told(held: _Held, replaces: bool) -> Answer:
    return {"kind": held.kind, "files": held.files, "size_bytes": held.size_bytes, "replaced": replaces}, b""


def _keep_apart(path: bytes, to: bytes) -> None:
    if path == to:
        raise Refused("INVALID_PARAMETERS", f"{shown(to)}: is the same place")
    if path and to.startswith(path + b"/"):
        raise Refused("INVALID_PARAMETERS", f"{shown(path)}: cannot be put into itself")


def _weigh(folder: int, name: bytes, path: bytes, to: bytes) -> _Held:
    """What lies at `path`. Raises Refused when at `to` it would be nested deeper than a snapshot keeps."""
    state = os.stat(name, dir_fd=folder, follow_symlinks=False)
    held = _Held(kind_of(state.st_mode))
    _add(held, folder, name, path, state, to.count(b"/"))
    return held


def _add(held: _Held, folder: int, name: bytes, path: bytes, state: os.stat_result, depth: int) -> None:
    kind = kind_of(state.st_mode)
    held.paths += 1
    if kind == "file":
        held.files += 1
        held.size_bytes += state.st_size
    elif kind not in ("dir", "link"):
        held.special = held.special or path
    if kind != "dir":
        return
    if depth + 1 >= MOST_DEEP:
        raise Refused("INVALID_PARAMETERS", f"folders would be nested more than {MOST_DEEP} deep")
    here = _enter(folder, name)
    try:
        with os.scandir(here) as entries:
            for entry in entries:
                inner = os.fsencode(entry.name)
                _add(held, here, inner, path + b"/" + inner, entry.stat(follow_symlinks=False), depth + 1)
    finally:
        os.close(here)


def _enter(folder: int, name: bytes) -> int:
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)


def _replaces(folder: int, name: bytes, to: bytes, held: _Held, overwrite: bool, may_destroy: bool) -> bool:
    """True when a file is there that goes, False when nothing is there. Raises Refused for all that must stay."""
    try:
        state = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    if not overwrite:
        raise Refused("INVALID_PARAMETERS", f"{shown(to)}: is there already, and overwrite is not set")
    need_writable(to, state)
    if held.kind != "file":
        raise Refused("INVALID_PARAMETERS", f"{shown(to)}: is a file, which only a file can replace")
    if not may_destroy:
        reason = "is there already; replacing it works in autonomous mode only, which is off"
        raise Refused("PERMISSION_ERROR", f"{shown(to)}: {reason}")
    return True


def _rename(folder: int, name: bytes, target: int, new_name: bytes, replaces: bool) -> None:
    if replaces:
        os.rename(name, new_name, src_dir_fd=folder, dst_dir_fd=target)
        return
    if _renameat2(folder, name, target, new_name, _RENAME_NOREPLACE) == 0:
        return
    failure = libc.failure()
    if failure.errno not in (errno.ENOSYS, errno.EINVAL):
        raise failure
    # A file system without this flag. Nothing else is alive in the jail, so what was looked at still holds.
    os.rename(name, new_name, src_dir_fd=folder, dst_dir_fd=target)


def _need_room(held: _Held, limits: dict[str, Any], now: Survey) -> None:
    size_bytes, paths = now.size_bytes + held.size_bytes, len(now.paths) + held.paths
    if now.over_limit or size_bytes > limits["workspace_bytes"] or paths > limits["workspace_files"]:
        raise Refused("TOOL_EXECUTION_ERROR", "the workspace would grow over its limit")


def _copy_whole(folder: int, name: bytes, target: int, new_name: bytes, replaces: bool) -> None:
    temporary = b".mindx-%d-%s" % (os.getpid(), os.urandom(6).hex().encode())
    try:
        _copy(folder, name, target, temporary)
        _rename(target, temporary, target, new_name, replaces)
    except OSError:
        discard(target, temporary)
        raise


def _copy(folder: int, name: bytes, target: int, new_name: bytes) -> None:
    state = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if stat.S_ISLNK(state.st_mode):
        os.symlink(os.readlink(name, dir_fd=folder), new_name, dir_fd=target)
    elif stat.S_ISDIR(state.st_mode):
        _copy_folder(folder, name, target, new_name, stat.S_IMODE(state.st_mode) & 0o777)
    else:
        _copy_file(folder, name, target, new_name)


def _copy_folder(folder: int, name: bytes, target: int, new_name: bytes, permissions: int) -> None:
    os.mkdir(new_name, 0o700, dir_fd=target)
    here = _enter(folder, name)
    try:
        there = _enter(target, new_name)
        try:
            with os.scandir(here) as entries:
                for entry in entries:
                    inner = os.fsencode(entry.name)
                    _copy(here, inner, there, inner)
            os.fchmod(there, permissions)
        finally:
            os.close(there)
    finally:
        os.close(here)


def _copy_file(folder: int, name: bytes, target: int, new_name: bytes) -> None:
    source = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        copied = os.open(new_name, flags, 0o600, dir_fd=target)
        try:
            while os.sendfile(copied, source, None, _BLOCK_BYTES):
                pass
            os.fchmod(copied, stat.S_IMODE(os.fstat(source).st_mode) & 0o777)
        finally:
            os.close(copied)
    finally:
        os.close(source)
