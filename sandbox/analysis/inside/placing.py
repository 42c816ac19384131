"""Writes results into the workspace: no link is followed, and a file is written completely or not at all."""

from __future__ import annotations

import contextlib
import os
import stat


class NotPlaced(Exception):
    """A file cannot be put there; the message says why."""


def put(path: str, content: bytes, *, mode: int | None = None) -> None:
    """Write a file, relative to the current folder; the folders above it are made. Raises NotPlaced.

    `mode` None keeps the permissions of the file that is replaced.
    """
    *folders, name = path.split("/")
    if name in ("", ".", "..") or ".." in folders:
        raise NotPlaced(f"{path} names no file")
    folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in folders:
            folder = _into(folder, part, path)
        _write(folder, name, content, mode, path)
    except OSError as error:
        raise NotPlaced(f"{path} cannot be written: {error.strerror}") from error
    finally:
        os.close(folder)


def _into(folder: int, part: str, path: str) -> int:
    if part in ("", "."):
        return folder
    with contextlib.suppress(FileExistsError):
        os.mkdir(part, 0o755, dir_fd=folder)
    try:
        inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except OSError as error:
        raise NotPlaced(f"{path} cannot be written: {part} is there and is no folder") from error
    os.close(folder)
    return inner


def _write(folder: int, name: str, content: bytes, mode: int | None, path: str) -> None:
    try:
        state = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        state = None
    if state is not None and (not stat.S_ISREG(state.st_mode) or state.st_nlink > 1):
        raise NotPlaced(f"{path} is there and is a folder, a link or a file of several names")
    permissions = mode if mode is not None else stat.S_IMODE(state.st_mode) if state is not None else 0o644
    beside = f".{os.getpid()}.mindx-new"
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, permissions, dir_fd=folder)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            os.fchmod(file.fileno(), permissions)
        os.rename(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        os.unlink(beside, dir_fd=folder)
        raise
