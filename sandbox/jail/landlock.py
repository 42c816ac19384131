"""Landlock, the kernel's own restriction of files, TCP and signals, for jails without namespaces.

Used by its three system calls, because no C library wraps them. A kernel's features grow with its ABI number; what an
older one cannot restrict, the system call filter and the jail's own uid must (see docs/sandbox.md).

Standard library only, and little of it: the launcher imports this on every start.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from dataclasses import dataclass

LEAST_ABI = 2  # with 1 no file can be moved to another folder, not even within the workspace
NEWEST_ABI = 6
SINCE_TRUNCATE = 3

# The same numbers on every architecture; the flags from linux/landlock.h.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_PATH_BENEATH = 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHAR, _MAKE_BLOCK = 1 << 6, 1 << 11
_REFER, TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_FIRST_FILE_RIGHTS = (1 << 13) - 1
_OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | _IOCTL_DEV
_BIND_TCP, _CONNECT_TCP = 1 << 0, 1 << 1
_ABSTRACT_SOCKETS, _SIGNALS = 1 << 0, 1 << 1

READ = READ_FILE | READ_DIR
READ_AND_RUN = READ | EXECUTE
ALL = _FIRST_FILE_RIGHTS & ~(_MAKE_CHAR | _MAKE_BLOCK) | _REFER | TRUNCATE

_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Handled:
    """What a ruleset denies unless a rule allows it, as the bits of one ABI."""

    files: int
    network: int
    scopes: int

    def attributes(self) -> bytes:
        """The kernel's `struct landlock_ruleset_attr`, no longer than the ABI that has these bits knows it."""
        values = [self.files, self.network, self.scopes]
        while len(values) > 1 and not values[-1]:
            values.pop()
        return struct.pack(f"={len(values)}Q", *values)


def handled(abi: int) -> Handled:
    """Everything that `abi` can deny. Raises ValueError below the lowest ABI that is enough for a jail."""
    if abi < LEAST_ABI:
        raise ValueError(f"Landlock's ABI is {abi}; a jail needs at least {LEAST_ABI} (Linux 5.19)")
    files = _FIRST_FILE_RIGHTS | _REFER
    if abi >= SINCE_TRUNCATE:
        files |= TRUNCATE
    if abi >= 5:
        files |= _IOCTL_DEV
    return Handled(
        files,
        _BIND_TCP | _CONNECT_TCP if abi >= 4 else 0,
        _ABSTRACT_SOCKETS | _SIGNALS if abi >= 6 else 0,
    )


def kernel_abi() -> int:
    """The ABI of the running kernel, 0 if Landlock is missing or switched off."""
    return max(0, int(_libc.syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)))


def ruleset(abi: int, allowed: Iterable[tuple[str, int]]) -> int:
    """A ruleset that allows the rights named for each path and denies all else that `abi` knows; a descriptor.

    A path that does not exist gets no rule. Paths are resolved now: a rule is for the file or folder, not for its name.
    Raises OSError if the kernel refuses, ValueError for an ABI that is too old.
    """
    wanted = handled(abi)
    attributes = wanted.attributes()
    made = _call("landlock_create_ruleset", _CREATE_RULESET, attributes, len(attributes), 0)
    for path, rights in allowed:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        try:
            is_folder = stat.S_ISDIR(os.fstat(place).st_mode)
            known = rights & wanted.files & (~0 if is_folder else _OF_A_FILE)
            _call("landlock_add_rule", _ADD_RULE, made, _PATH_BENEATH, struct.pack("=Qi", known, place), 0)
        finally:
            os.close(place)
    return made


def restrict(descriptor: int) -> None:
    """Puts this process, and all it will ever start, under the ruleset. It needs no_new_privs. Raises OSError."""
    _call("landlock_restrict_self", _RESTRICT_SELF, descriptor, 0)


def _call(name: str, number: int, *arguments: int | bytes) -> int:
    result = int(_libc.syscall(number, *arguments))
    if result < 0:
        failure = ctypes.get_errno()
        raise OSError(failure, f"{name}: {os.strerror(failure)}")
    return result
