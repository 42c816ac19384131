"""The file commands, each over descriptors beneath the workspace.

No program of the jail is alive while one of them runs, so what is looked at stays what it was.
"""

# ruff: noqa: PTH208
# Descriptors, not paths.
from __future__ import annotations

import binascii
import os
import stat

from .frames import encoded
from .tree import Refused, Tree, kind_of, parts_of, refusal, shown

TYPE_CHECKING = False  # importing typing costs a session's start 3 ms
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Answer = tuple[dict[str, Any], bytes]

MAX_ITEMS = 10_000
_MOST_ANSWER_BYTES = 2 << 20  # of JSON, well below what a frame takes
_BLOCK_BYTES = 1 << 20
_MOST_APPENDED_BYTES = 256 << 20  # it is held in memory, to be written whole
_MOST_PATCHED_BYTES = 16 << 20  # and here line by line


def list_folder(tree: Tree, path: bytes) -> Answer:
    """Name, kind and size of everything in a folder, at most MAX_ITEMS of it, sorted by name."""
    descriptor = tree.open_folder(path)
    try:
        names = sorted(os.listdir(descriptor), key=os.fsencode)
        items = bounded((_item(descriptor, name) for name in names), MAX_ITEMS)
    finally:
        os.close(descriptor)
    answer: dict[str, Any] = {"items": items}
    if len(names) > len(items):
        answer |= {"truncated": True, "total": len(names)}
    return answer, b""


def _item(folder: int, name: str) -> dict[str, Any]:
    raw = os.fsencode(name)
    item: dict[str, Any] = {"name": shown(raw)}
    try:
        state = os.stat(name, dir_fd=folder, follow_symlinks=False)
        item |= {"kind": kind_of(state.st_mode), "size_bytes": state.st_size}
    except PermissionError:
        # The folder may be listed but not entered, so its names are all there is to tell.
        item |= {"kind": "unknown", "size_bytes": 0}
    if item["name"].encode() != raw:
        item["raw_name"] = binascii.b2a_base64(raw, newline=False).decode()
    return item


def bounded(items: Iterable[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """The first items, at most `most`, that fit together into an answer."""
    kept: list[dict[str, Any]] = []
    room = _MOST_ANSWER_BYTES
    for item in items:
        room -= len(encoded(item))
        if room < 0 or len(kept) == most:
            break
        kept.append(item)
    return kept


def make_folder(tree: Tree, path: bytes) -> Answer:
    """Makes a folder and those above it; one that is there already is fine."""
    done: list[bytes] = []
    for part in path.split(b"/") if path else []:
        above = tree.open_folder(b"/".join(done))
        done.append(part)
        try:
            os.mkdir(part, 0o755, dir_fd=above)
        except FileExistsError:
            pass
        except OSError as error:
            raise refusal(b"/".join(done), error) from error
        finally:
            os.close(above)
    os.close(tree.open_folder(path))
    return {}, b""


def check_folder(tree: Tree, path: bytes) -> Answer:
    os.close(tree.open_folder(path))
    return {}, b""


def check_environment(tree: Tree, path: bytes) -> Answer:
    """Refuses a folder that is not a virtual environment with a Python of its own."""
    folder = tree.open_folder(path)
    try:
        os.stat("pyvenv.cfg", dir_fd=folder, follow_symlinks=False)
        os.stat("bin/python", dir_fd=folder)
    except OSError as error:
        raise Refused("INVALID_PARAMETERS", f"{shown(path)}: not a virtual environment") from error
    finally:
        os.close(folder)
    return {}, b""


def read_file(tree: Tree, path: bytes, most_bytes: int) -> Answer:
    """The first `most_bytes` of a regular file, as the frame's body."""
    # O_NONBLOCK: opening a FIFO without a writer would otherwise wait for ever.
    descriptor = tree.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        state = os.fstat(descriptor)
        need_regular(path, state)
        content = bytearray()
        while len(content) < most_bytes:
            block = os.read(descriptor, min(_BLOCK_BYTES, most_bytes - len(content)))
            if not block:
                break
            content += block
    except OSError as error:
        raise refusal(path, error) from error
    finally:
        os.close(descriptor)
    return {"size_bytes": state.st_size, "truncated": state.st_size > len(content)}, bytes(content)


def write_file(tree: Tree, path: bytes, content: bytes, mode: str) -> Answer:
    """Writes beside the target and renames, so that a file is either the old one or the whole new one.

    `mode` is overwrite, create (refused when something is there), append, or patch: `content` is then a unified diff
    for what is there, and nothing is written unless all of it fits. Missing folders above a new file are made.
    """
    if mode != "patch":
        make_folder(tree, b"/".join(parts_of(path)[:-1]))
    folder, name = tree.open_parent(path)
    try:
        old = _existing(path, folder, name)
        if old is not None and mode == "create":
            raise Refused("INVALID_PARAMETERS", f"{shown(path)}: is there already")
        if old is None and mode == "patch":
            raise Refused("INVALID_PARAMETERS", f"{shown(path)}: there is no such file to be patched")
        if old is not None and mode in ("append", "patch"):
            content = _changed(tree, path, old, content, mode)
        permissions = stat.S_IMODE(old.st_mode) & 0o777 if old is not None else 0o644
        _replace(folder, name, content, permissions)
    except OSError as error:
        raise refusal(path, error) from error
    finally:
        os.close(folder)
    return {"size_bytes": len(content), "created": old is None}, b""


def _changed(tree: Tree, path: bytes, old: os.stat_result, content: bytes, mode: str) -> bytes:
    """What is there with `content` put behind it, or with the diff `content` applied to it."""
    if old.st_size > (_MOST_APPENDED_BYTES if mode == "append" else _MOST_PATCHED_BYTES):
        raise Refused("INVALID_PARAMETERS", f"{shown(path)}: is too large to be changed in place")
    _, before = read_file(tree, path, _MOST_APPENDED_BYTES)
    if mode == "append":
        return before + content
    from .patch import PatchFailed, applied  # only here: it comes with `re` (see parts.py)

    try:
        return applied(before, content)
    except PatchFailed as failed:
        raise Refused("INVALID_PARAMETERS", f"{shown(path)}: nothing is written, because {failed}") from failed


def _existing(path: bytes, folder: int, name: bytes) -> os.stat_result | None:
    try:
        state = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    need_writable(path, state)
    return state


def need_writable(path: bytes, state: os.stat_result) -> None:
    """Raises Refused unless `state` is that of a regular file with one name."""
    if stat.S_ISLNK(state.st_mode):
        raise Refused("PERMISSION_ERROR", f"{shown(path)}: is a symbolic link, and links are not written through")
    need_regular(path, state)
    if state.st_nlink > 1:
        raise Refused("PERMISSION_ERROR", f"{shown(path)}: has another name too (a hard link), so it is not written")


def _replace(folder: int, name: bytes, content: bytes, permissions: int) -> None:
    temporary = b".mindx-%d-%s" % (os.getpid(), os.urandom(6).hex().encode())
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fchmod(descriptor, permissions)
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        os.unlink(temporary, dir_fd=folder)
        raise
    finally:
        os.close(descriptor)


def need_regular(path: bytes, state: os.stat_result) -> None:
    kind = kind_of(state.st_mode)
    if kind == "dir":
        raise Refused("INVALID_PARAMETERS", f"{shown(path)}: is a folder")
    if kind != "file":
        raise Refused("PERMISSION_ERROR", f"{shown(path)}: is a {kind}, not a regular file")


def remove(tree: Tree, path: bytes) -> Answer:
    """Removes a file, a link (never what it points to) or a folder with all it holds."""
    folder, name = tree.open_parent(path)
    try:
        state = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISDIR(state.st_mode):
            os.unlink(name, dir_fd=folder)
            return {"removed": 1}, b""
        removed = _remove_folder(folder, name)
    except OSError as error:
        raise refusal(path, error) from error
    finally:
        os.close(folder)
    return {"removed": removed}, b""


def discard(folder: int, name: bytes) -> None:
    """Removes what a command that failed had begun at `name`, if anything."""
    try:
        state = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    if stat.S_ISDIR(state.st_mode):
        _remove_folder(folder, name)
    else:
        os.unlink(name, dir_fd=folder)


def _remove_folder(above: int, name: bytes) -> int:
    """Removes depth first with one descriptor open at a time: a tree may be deeper than descriptors go."""
    trail = [name]
    here = _enter(above, name)
    removed = 0
    while True:
        below = None
        with os.scandir(here) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    below = os.fsencode(entry.name)
                    break
                os.unlink(entry.name, dir_fd=here)
                removed += 1
        if below is not None:
            deeper = _enter(here, below)
            trail.append(below)
        else:
            gone = trail.pop()
            deeper = os.open("..", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=here)
            os.rmdir(gone, dir_fd=deeper)
            removed += 1
        os.close(here)
        here = deeper
        if not trail:
            os.close(here)
            return removed


def _enter(above: int, name: bytes) -> int:
    descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=above)
    # A program may have left a folder its owner cannot write in; removing it is what was asked for.
    os.fchmod(descriptor, 0o700)
    return descriptor
