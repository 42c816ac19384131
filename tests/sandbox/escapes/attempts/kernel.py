"""The kernel's doors: descriptors, devices, namespaces, system calls, terminals. Numbers are those of x86_64."""

# ruff: noqa: PTH102, PTH108, PTH207, PTH208, SIM115
# The system's own calls, as an attacker makes them.
from __future__ import annotations

import ctypes
import fcntl
import glob
import mmap
import os
import resource
import struct
import termios
from collections.abc import Callable

from .row import Place, Row, by_level, libc

_CLONE_NEWUSER, _CLONE_NEWNS, _SIGCHLD = 0x10000000, 0x20000, 17
_TIOCSTI, _TIOCSETD = 0x5412, 0x5423


def _opens(path: str, flags: int = os.O_RDONLY) -> object:
    os.close(os.open(path, flags | os.O_NOCTTY | os.O_NONBLOCK))
    return True


def _own_file(_: Place) -> object:
    return _opens("own", os.O_WRONLY | os.O_CREAT)


def _call(number: int, *arguments: object) -> bool:
    return bool(libc.syscall(number, *arguments) >= 0)


def _by_handle(_: Place) -> object:
    """Opens the current folder by the handle that the file system knows it by, past every path."""
    handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
    mount = ctypes.c_int()
    folder = os.open(".", os.O_RDONLY)
    if libc.syscall(303, folder, b"", handle, ctypes.byref(mount), 0x1000) != 0:
        return False
    return _call(304, folder, handle, os.O_RDONLY)


def _many_files(_: Place) -> object:
    return [os.open("/dev/null", os.O_RDONLY) for _number in range(200)]


def _more_files(_: Place) -> object:
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard + 1, hard + 1))
    return True


def _fewer_files(_: Place) -> object:
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (16, hard))
    return True


def _copied(_: Place) -> object:
    return os.dup(1) > 2


DESCRIPTORS = [
    Row("descriptor", "use an inherited one",
        lambda _: [n for n in os.listdir("/proc/self/fd") if int(n) > 4], _copied),
    Row("descriptor", "open a file that another process holds",
        lambda at: open(f"/proc/{at.peer}/fd/0").read(), _copied),
    Row("descriptor", "take one from the helper",
        lambda at: _call(438, os.pidfd_open(at.guard), 0, 0), lambda _: os.pidfd_open(os.getpid()), needs="root"),
    Row("descriptor", "open by handle, past every path", _by_handle, _own_file, needs="root"),
    Row("descriptor", "open more than the limit", _many_files, _copied, alone=True),
    Row("descriptor", "raise the limit", _more_files, _fewer_files, needs="the right to raise limits"),
]  # fmt: skip


def _block_device(_: Place) -> object:
    os.mknod("disk", 0o60600, os.makedev(254, 0))
    return True


def _pipe(_: Place) -> object:
    os.mkfifo("pipe")
    return True


def _disks(_: Place) -> object:
    return any(_opens(path) for path in glob.glob("/dev/[vs]d[a-z]") + glob.glob("/dev/nvme?n1"))


def _into_dev(_: Place) -> object:
    with open("/dev/mindx-escape", "x"):
        pass
    os.unlink("/dev/mindx-escape")
    return True


def _null(_: Place) -> object:
    return _opens("/dev/null") and _opens("/dev/urandom")


DEVICES = [
    Row("device", "make one", _block_device, _pipe, needs="root"),
    Row("device", "open the kernel's log", lambda _: _opens("/dev/kmsg"), _null, needs="root"),
    Row("device", "open a disk", _disks, _null, needs="a disk that this user may open"),
    Row(
        "device", "open the maker of virtual machines", lambda _: _opens("/dev/kvm", os.O_RDWR), _null, needs="/dev/kvm"
    ),
    Row("device", "open the maker of file systems", lambda _: _opens("/dev/fuse", os.O_RDWR), _null, needs="/dev/fuse"),
    Row("device", "write unsized memory in /dev", _into_dev, _null, needs="root"),
]


def _clone_user(_: Place) -> object:
    pid = libc.syscall(56, _CLONE_NEWUSER | _SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    return pid > 0


def _clone3_user(_: Place) -> object:
    pid = libc.syscall(435, struct.pack("8Q", _CLONE_NEWUSER, 0, 0, 0, _SIGCHLD, 0, 0, 0), 64)
    if pid == 0:
        os._exit(0)
    return pid > 0


def _mounted(_: Place) -> object:
    os.mkdir("m")
    return libc.mount(b"none", b"m", b"tmpfs", 0, None) == 0 and libc.umount2(b"m", 2) == 0


def _another_root(_: Place) -> object:
    os.mkdir("r")
    os.chroot("r")
    return True


def _fork(_: Place) -> object:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    return os.waitpid(pid, 0)[1] == 0


NAMESPACES = [
    Row("namespace", "a user's own", lambda _: libc.unshare(_CLONE_NEWUSER) == 0, _fork),
    Row("namespace", "a user's own for a new process", _clone_user, _fork),
    Row("namespace", "another view of the mounts", lambda _: libc.unshare(_CLONE_NEWNS) == 0, _fork, needs="root"),
    Row("namespace", "that of another process",
        lambda at: libc.setns(os.open(f"/proc/{at.peer}/ns/net", 0), 0) == 0, _fork, needs="root"),
    Row("namespace", "mount a file system", _mounted, _own_file, needs="root"),
    Row("namespace", "another root folder", _another_root, _own_file, needs="root"),
]  # fmt: skip


def _older_door(_: Place) -> object:
    """getpid by `int 0x80`, the 32-bit door, whose numbers mean other calls than those a filter names."""
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # mov eax, 20; int 0x80; ret
    function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
    return function() == os.getpid()


def _bpf(_: Place) -> object:
    return _call(321, 0, struct.pack("IIIII", 2, 4, 4, 1, 0) + bytes(100), 72)


CALLS = [
    Row("system call", "set up an io_uring", lambda _: _call(425, 4, ctypes.create_string_buffer(120)), _fork,
        needs="io_uring switched on"),
    Row("system call", "load a BPF map", _bpf, _fork, needs="root"),
    Row("system call", "use the kernel's key ring", lambda _: libc.syscall(250, 0, -3, 1, 0, 0) > 0, _fork),
    Row("system call", "put memory where it can be foretold", lambda _: libc.personality(0x0040000) >= 0, _fork),
    Row("system call", "a new process by the newer call", _clone3_user, _fork),
    Row("system call", "come in by the 32-bit door", _older_door, lambda _: os.getpid(), needs="the 32-bit door"),
]  # fmt: skip


def _pushed(push: Callable[[int], object]) -> Callable[[Place], object]:
    def attempt(_: Place) -> object:
        _master, terminal = os.openpty()
        # Its own controlling terminal: only into this one may a program without rights type.
        os.setsid()
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
        return push(terminal)

    return attempt


def _terminal(_: Place) -> object:
    master, terminal = os.openpty()
    try:
        os.write(terminal, b"x")
        return os.isatty(terminal) and os.read(master, 1)
    finally:
        # A name such as /dev/pts/0 shall not be this one when the attempt looks for the person's.
        os.close(terminal)
        os.close(master)


_own_terminal = by_level(_terminal, _null)  # no terminals there, only a few other devices


def _typed(terminal: int) -> object:
    fcntl.ioctl(terminal, _TIOCSTI, b"x")
    return True


def _with_another_reader(_: Place) -> object:
    _master, terminal = os.openpty()
    fcntl.ioctl(terminal, _TIOCSETD, struct.pack("i", 0))
    return True


TERMINALS = [
    Row("terminal", "type into a terminal", _pushed(_typed), _own_terminal, needs="a kernel that lets programs type"),
    Row("terminal", "the same with dirt in the upper half",
        _pushed(lambda terminal: _call(16, terminal, ctypes.c_ulong(0x1_0000_0000 | _TIOCSTI), b"x")),
        _own_terminal, needs="a kernel that lets programs type"),
    Row("terminal", "choose what in the kernel reads a terminal", _with_another_reader, _own_terminal),
    Row("terminal", "write to the person's terminal", lambda at: _opens(at.terminal, os.O_WRONLY), _own_terminal),
    Row("terminal", "open the machine's console", lambda _: _opens("/dev/tty0", os.O_WRONLY), _own_terminal,
        needs="a console that this user may open"),
    Row("terminal", "read what is on the screen", lambda _: _opens("/dev/vcs1"), _own_terminal,
        needs="a screen that this user may read"),
]  # fmt: skip

ROWS = [*DESCRIPTORS, *DEVICES, *NAMESPACES, *CALLS, *TERMINALS]
