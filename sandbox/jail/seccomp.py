"""The jail's system call filter as a classic BPF program, built here so that no compiler or library is needed.

An allow-list: a call that is not on it answers ENOSYS, as if the kernel were older, so programs fall back
instead of dying. A few allowed calls are narrowed by argument and answer EPERM otherwise.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Collection
from dataclasses import dataclass

from sandbox.jail import syscalls

# From linux/bpf_common.h, linux/seccomp.h and linux/audit.h.
_LOAD_WORD = 0x20
_JUMP_EQUAL = 0x15
_JUMP_GREATER_EQUAL = 0x35
_JUMP_ANY_BIT = 0x45
_RETURN = 0x06
ALLOW = 0x7FFF0000
ERRNO = 0x00050000
_NUMBER, _ARCH, _FIRST_ARGUMENT = 0, 4, 16

ENOSYS = ERRNO | errno.ENOSYS
EPERM = ERRNO | errno.EPERM

_AF_UNIX, _AF_INET, _AF_INET6 = 1, 2, 10
_NEW_NAMESPACES = 0x7E020080  # every CLONE_NEW* flag: time, mount, cgroup, uts, ipc, user, pid, net
_TIOCSTI, _TIOCLINUX, _TIOCCONS, _TIOCSETD = 0x5412, 0x541C, 0x541D, 0x5423
_PER_QUERY, _PER_LINUX = 0xFFFFFFFF, 0
_HELPER_PID = 1
_KCMP_VM = 1
_O_NOATIME = 0o1000000
_F_SETFL = 4
_X32_BIT = 0x40000000


@dataclass(frozen=True)
class Architecture:
    """What a filter needs to know about a machine: its audit number, its system call numbers, and O_DIRECTORY there."""

    audit: int
    numbers: dict[str, int]
    directory: int


ARCHITECTURES = {
    "x86_64": Architecture(0xC000003E, syscalls.X86_64, 0o200000),
    "aarch64": Architecture(0xC00000B7, syscalls.AARCH64, 0o40000),
}

# Further forbidden calls for a jail that shares the host's namespaces. Its sockets would be the host's, of every
# family, and Landlock restricts only TCP, and only from its ABI 4. Watching a folder needs only the right to look at
# it, which Landlock does not remove.
_NOT_WHEN_SHARED = frozenset(
    {"socket", "bind", "connect", "listen", "accept", "accept4", "inotify_init", "inotify_init1", "inotify_add_watch"}
)

Instruction = tuple[int, int, int, int]


def program(machine: str | None = None, shared: bool = False, without: Collection[str] = ()) -> bytes:
    """The filter for `machine` (default: this one), as the array of sock_filter that the kernel reads.

    `shared` is for a jail without namespaces of its own; `without` names more calls to take off the list. Raises
    KeyError for an architecture without a table; the level found is then L1.
    """
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions(machine, shared, without))


def instructions(machine: str | None = None, shared: bool = False, without: Collection[str] = ()) -> list[Instruction]:
    architecture = ARCHITECTURES[machine or platform.machine()]
    off = {*without, *(_NOT_WHEN_SHARED if shared else ())}
    numbers = {name: number for name, number in architecture.numbers.items() if name not in off}
    code: list[Instruction] = [
        (_LOAD_WORD, 0, 0, _ARCH),
        (_JUMP_EQUAL, 1, 0, architecture.audit),
        (_RETURN, 0, 0, ENOSYS),
        (_LOAD_WORD, 0, 0, _NUMBER),
        (_JUMP_GREATER_EQUAL, 0, 1, _X32_BIT),
        (_RETURN, 0, 0, ENOSYS),
    ]
    narrowed = {name: rule for name, rule in _narrowed(architecture, shared).items() if name in numbers}
    for name, rule in narrowed.items():
        code += [(_JUMP_EQUAL, 0, len(rule), numbers[name]), *rule]
    for name in sorted(numbers.keys() - narrowed.keys(), key=lambda each: numbers[each]):
        code += [(_JUMP_EQUAL, 0, 1, numbers[name]), (_RETURN, 0, 0, ALLOW)]
    return [*code, (_RETURN, 0, 0, ENOSYS)]


def _narrowed(architecture: Architecture, shared: bool) -> dict[str, list[Instruction]]:
    """Rules of calls that are allowed for some arguments only; each ends in a return on every path."""
    rules = {
        # A new user namespace would give a program all capabilities within it, and with them the kernel's
        # least tested code.
        "clone": [_load(0), *_without_bit(_NEW_NAMESPACES)],
        # The first two push characters into a terminal's input, which may be that of the person outside; the others
        # take the console's output, and hand a terminal to a part of the kernel that programs here have no use for.
        # What programs do with a terminal of their own (size, modes, process groups, making one) is let pass.
        "ioctl": [_load(1), *_unless_one_of(_TIOCSTI, _TIOCLINUX, _TIOCCONS, _TIOCSETD)],
        "socket": [_load(0), *_only(_AF_UNIX, _AF_INET, _AF_INET6)],
        "personality": [_load(0), *_only(_PER_QUERY, _PER_LINUX)],
        # Only whether two processes share their memory, which the helper needs to count it once.
        "kcmp": [_load(2), *_only(_KCMP_VM)],
        # The helper is process 1 with the same uid: a program must not set its limits and priority.
        "prlimit64": [_load(0), *_unless_one_of(_HELPER_PID)],
        # Whether an approval still holds depends on what its programs read, which the times of files tell. Only folders
        # may be listed without a trace: the helper does so all the time.
        "open": [_load(1), *_traced(architecture.directory)],
        "openat": [_load(2), *_traced(architecture.directory)],
        "fcntl": [_load(1), (_JUMP_EQUAL, 0, 2, _F_SETFL), _load(2), *_without_bit(_O_NOATIME)],
        "setpriority": [_load(0), (_JUMP_EQUAL, 0, 3, 0), _load(1), (_JUMP_EQUAL, 0, 1, 0), _ALLOWED, _REFUSED],
    }
    if shared:
        # There the helper may have any process id, so a program may set only its own limits.
        rules |= {"prlimit64": [_load(0), *_only(0)], "socketpair": [_load(0), *_only(_AF_UNIX)]}
    return rules


_ALLOWED: Instruction = (_RETURN, 0, 0, ALLOW)
_REFUSED: Instruction = (_RETURN, 0, 0, EPERM)


def _load(argument: int) -> Instruction:
    """Load the low half of an argument. Every argument narrowed here is an int, so the kernel ignores the rest."""
    return (_LOAD_WORD, 0, 0, _FIRST_ARGUMENT + 8 * argument)


def _without_bit(bits: int) -> list[Instruction]:
    return [(_JUMP_ANY_BIT, 1, 0, bits), _ALLOWED, _REFUSED]


def _traced(directory: int) -> list[Instruction]:
    return [(_JUMP_ANY_BIT, 0, 1, _O_NOATIME), (_JUMP_ANY_BIT, 0, 1, directory), _ALLOWED, _REFUSED]


def _only(*values: int) -> list[Instruction]:
    return [*_jumps_to_last(values), _REFUSED, _ALLOWED]


def _unless_one_of(*values: int) -> list[Instruction]:
    return [*_jumps_to_last(values), _ALLOWED, _REFUSED]


def _jumps_to_last(values: tuple[int, ...]) -> list[Instruction]:
    return [(_JUMP_EQUAL, len(values) - place, 0, value) for place, value in enumerate(values)]
