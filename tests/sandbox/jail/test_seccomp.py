"""The filter's program, run by a small interpreter of its machine: right on architectures this is not."""

from __future__ import annotations

import os
import struct

import pytest

from sandbox.jail import syscalls
from sandbox.jail.seccomp import ALLOW, ARCHITECTURES, ENOSYS, EPERM, instructions, program

MACHINES = sorted(ARCHITECTURES)
_CLONE_NEWUSER, _SIGCHLD, _NOATIME = 0x10000000, 17, 0o1000000


def _answer(machine: str, number: int, *arguments: int, audit: int | None = None) -> int:
    """What the filter says to a system call. Follows linux/net/core/filter.c for the few instructions in use."""
    audit = ARCHITECTURES[machine].audit if audit is None else audit
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, audit, 0, *(list(arguments) + [0] * 6)[:6])
    code = instructions(machine)
    at, held = 0, 0
    while True:
        operation, if_true, if_false, value = code[at]
        at += 1
        if operation == 0x20:
            (held,) = struct.unpack_from("<I", data, value)
        elif operation == 0x06:
            return value
        else:
            met = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[operation]
            at += if_true if met else if_false


@pytest.mark.parametrize("machine", MACHINES)
def test_every_call_of_the_table_is_allowed_and_every_other_answers_as_if_it_did_not_exist(machine: str) -> None:
    numbers = set(ARCHITECTURES[machine].numbers.values())
    for number in range(1000):
        expected = {ALLOW, EPERM} if number in numbers else {ENOSYS}
        assert _answer(machine, number) in expected, number


@pytest.mark.parametrize("machine", MACHINES)
def test_a_call_by_another_architectures_door_does_not_exist(machine: str) -> None:
    read = ARCHITECTURES[machine].numbers["read"]
    assert _answer(machine, read) == ALLOW
    assert _answer(machine, read, audit=0x40000003) == ENOSYS  # i386, the door of int 0x80
    assert _answer(machine, read | 0x40000000) == ENOSYS  # x32


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_are_narrowed_by_their_arguments(machine: str) -> None:
    numbers = ARCHITECTURES[machine].numbers
    for name, arguments, expected in [
        ("clone", (_SIGCHLD,), ALLOW),
        ("clone", (_CLONE_NEWUSER | _SIGCHLD,), EPERM),
        ("clone", (0x80,), EPERM),
        ("openat", (3, 0, os.O_RDONLY), ALLOW),
        ("openat", (3, 0, os.O_RDONLY | _NOATIME), EPERM),
        ("openat", (3, 0, os.O_RDWR | os.O_CREAT | _NOATIME), EPERM),
        ("openat", (3, 0, ARCHITECTURES[machine].directory | _NOATIME), ALLOW),
        ("fcntl", (3, 4, os.O_NONBLOCK), ALLOW),
        ("fcntl", (3, 4, _NOATIME), EPERM),
        ("fcntl", (3, 1, _NOATIME), ALLOW),
        ("socket", (1,), ALLOW),
        ("socket", (10,), ALLOW),
        ("socket", (16,), EPERM),
        ("socket", (40,), EPERM),
        ("ioctl", (0, 0x5401), ALLOW),
        ("ioctl", (0, 0x5412), EPERM),
        ("ioctl", (0, 0x541C), EPERM),
        ("ioctl", (0, 0x541D), EPERM),
        ("ioctl", (0, 0x5423), EPERM),
        ("ioctl", (0, 0x540E), ALLOW),
        ("ioctl", (0, 0x5414), ALLOW),
        ("ioctl", (0, 0x80045430), ALLOW),
        ("personality", (0xFFFFFFFF,), ALLOW),
        ("personality", (0x0040000,), EPERM),
        ("kcmp", (1, 2, 1), ALLOW),
        ("kcmp", (1, 2, 0), EPERM),
        ("prlimit64", (0,), ALLOW),
        ("prlimit64", (1,), EPERM),
        ("setpriority", (0, 0, 5), ALLOW),
        ("setpriority", (0, 1, 5), EPERM),
        ("setpriority", (2, 0, 5), EPERM),
    ]:
        assert _answer(machine, numbers[name], *arguments) == expected, (name, arguments)


def test_what_would_open_the_jail_is_on_no_table() -> None:
    for table in (syscalls.X86_64, syscalls.AARCH64):
        for name in (  # noqa: SIM905
            "bpf clone3 init_module io_uring_setup kexec_load keyctl memfd_create mount move_mount open_by_handle_at "
            "open_tree perf_event_open pidfd_getfd pivot_root process_vm_readv ptrace reboot sched_setaffinity setns "
            "shmget swapon unshare userfaultfd"
        ).split():
            assert name not in table


def test_the_program_fits_the_kernels_limit() -> None:
    for machine in MACHINES:
        assert len(program(machine)) // 8 <= 4096
