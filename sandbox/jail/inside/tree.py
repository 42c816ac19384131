"""The workspace as a tree of descriptors: paths are resolved beneath its root, never through a link.

Paths are bytes relative to the root, b"" being the root itself. The kernel's openat2 resolves them; if it is missing,
or a path is longer than the kernel accepts, descriptors are opened part by part.
"""

from __future__ import annotations

import errno
import os
import stat
import sys

from . import libc

_OPENAT2 = 437  # the same number on every architecture
_RESOLVE = 0x08 | 0x04 | 0x02  # beneath, no symbolic links, no magic links
_KERNEL_PATH_BYTES = 4000


class Refused(Exception):
    """A command that is not allowed or not possible; `error_class` is the failure's class, the message says why."""

    def __init__(self, error_class: str, reason: str) -> None:
        super().__init__(reason)
        self.error_class = error_class


def shown(path: bytes) -> str:
    return path.decode("utf-8", "backslashreplace") or "."


def parts_of(path: bytes) -> list[bytes]:
    """The names of a relative path. Raises Refused for anything that a caller should have normalised before."""
    parts = path.split(b"/") if path else []
    if any(part in (b"", b".", b"..") or b"\0" in part for part in parts):
        raise Refused("PERMISSION_ERROR", f"{shown(path)}: not a plain path beneath the workspace")
    return parts


class Tree:
    """Opens what lies beneath one folder."""

    def __init__(self, root: str) -> None:
        self._root = os.open(root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._has_openat2 = True

    def open(self, path: bytes, flags: int, mode: int = 0) -> int:
        """A descriptor of `path`; the caller closes it. Raises Refused with a sentence for people."""
        parts = parts_of(path)
        try:
            return self._open(path, parts, flags | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
        except OSError as error:
            raise refusal(path, error) from error

    def open_folder(self, path: bytes) -> int:
        return self.open(path, os.O_RDONLY | os.O_DIRECTORY)

    def open_parent(self, path: bytes) -> tuple[int, bytes]:
        """A descriptor of the folder that holds `path`, and the last name."""
        parts = parts_of(path)
        if not parts:
            raise Refused("PERMISSION_ERROR", "the workspace's own folder cannot be replaced or removed")
        return self.open_folder(b"/".join(parts[:-1])), parts[-1]

    def _open(self, path: bytes, parts: list[bytes], flags: int, mode: int) -> int:
        if self._has_openat2 and len(path) < _KERNEL_PATH_BYTES:
            # struct open_how: flags, mode, resolve.
            how = b"".join(each.to_bytes(8, sys.byteorder) for each in (flags, mode, _RESOLVE))
            descriptor = libc.syscall(_OPENAT2, self._root, path or b".", how, len(how))
            if descriptor >= 0:
                return int(descriptor)
            failure = libc.failure()
            # An outer container's older filter answers EPERM or ENOSYS for a call it does not know.
            if failure.errno not in (errno.ENOSYS, errno.EPERM):
                raise failure
            self._has_openat2 = False
        return self._walk(parts, flags, mode)

    def _walk(self, parts: list[bytes], flags: int, mode: int) -> int:
        here = os.open(b".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._root)
        try:
            for part in parts[:-1]:
                deeper = os.open(part, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
                os.close(here)
                here = deeper
            return os.open(parts[-1] if parts else b".", flags, mode, dir_fd=here)
        finally:
            os.close(here)


def refusal(path: bytes, error: OSError) -> Refused:
    """The sentence for a failed system call on `path`."""
    name = shown(path)
    if error.errno == errno.ELOOP:
        return Refused("PERMISSION_ERROR", f"{name}: there is a symbolic link on the way, and links are not followed")
    if error.errno == errno.EXDEV:
        return Refused("PERMISSION_ERROR", f"{name}: leads out of the workspace")
    if error.errno == errno.ENOENT:
        return Refused("INVALID_PARAMETERS", f"{name}: there is no such file or folder")
    if error.errno == errno.ENOTDIR:
        return Refused("INVALID_PARAMETERS", f"{name}: not a folder, or there is a file or a link on the way")
    if error.errno in (errno.EACCES, errno.EPERM):
        return Refused("PERMISSION_ERROR", f"{name}: permission denied")
    if error.errno in (errno.ENAMETOOLONG, errno.EISDIR, errno.EEXIST, errno.ENOTEMPTY, errno.ENXIO):
        return Refused("INVALID_PARAMETERS", f"{name}: {os.strerror(error.errno)}")
    return Refused("TOOL_EXECUTION_ERROR", f"{name}: {os.strerror(error.errno or 0)}")


def kind_of(mode: int) -> str:
    """file, dir, link, or the special kind a mode tells of."""
    names = {
        stat.S_IFREG: "file",
        stat.S_IFDIR: "dir",
        stat.S_IFLNK: "link",
        stat.S_IFIFO: "fifo",
        stat.S_IFSOCK: "socket",
    }
    return names.get(stat.S_IFMT(mode), "device")


def quietly(folder: bytes | str) -> int:
    """A descriptor of a folder that is listed without a trace: a dry run tells by the times what programs opened."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    try:
        return os.open(folder, flags | os.O_NOATIME)
    except PermissionError:  # somebody else's
        return os.open(folder, flags)
