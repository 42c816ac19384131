"""More memory, disk, names and output than a session has. Every attempt stops by itself soon after the limit."""

# ruff: noqa: PTH102, PTH211
# The system's own calls, as an attacker makes them.
from __future__ import annotations

import mmap
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from .row import Place, Row, by_level, libc, limit

MIB = 1 << 20


def _little(_: Place) -> object:
    return bytearray(MIB)


def _grow(_: Place) -> object:
    held = []
    for _number in range(160):
        held.append(bytearray(b"x") * MIB)
        time.sleep(0.001)
    return True


def _together(_: Place) -> object:
    pids = []
    for _number in range(4):
        pid = os.fork()
        if pid == 0:
            held = bytearray(b"x") * (40 * MIB)
            time.sleep(0.5)
            os._exit(len(held) & 0)
        pids.append(pid)
    return all(os.waitpid(pid, 0)[1] == 0 for pid in pids)


def _shared(_: Place) -> object:
    block = mmap.mmap(-1, 160 * MIB)
    for _number in range(160):
        block.write(b"x" * MIB)
        time.sleep(0.001)
    return True


def _nameless(_: Place) -> object:
    return os.memfd_create("x") >= 0


def _segment(_: Place) -> object:
    return libc.shmctl(libc.shmget(0, 4096, 0o1600), 0, None) == 0


def _shared_folder(_: Place) -> object:
    try:
        with open("/dev/shm/mindx-escape", "wb") as file:
            for _number in range(80):
                file.write(bytes(MIB))
    finally:
        Path("/dev/shm/mindx-escape").unlink()
    return True


MEMORY = [
    Row("memory", "grow", _grow, _little, limit("memory"), alone=True),
    Row("memory", "grow in several processes", _together, _little, limit("memory"), alone=True),
    Row("memory", "grow in shared pages", _shared, _little, limit("memory"), alone=True),
    Row("memory", "hide it in a file without a name", _nameless, _little),
    Row("memory", "hide it in a shared segment", _segment, _little),
    Row(
        "memory",
        "hide it in /dev/shm",
        _shared_folder,
        by_level(lambda _: Path("/dev/shm/own").write_bytes(b"x"), _little),
    ),
]


def _small_file(_: Place) -> object:
    return Path("small").write_bytes(b"x")


def _one_file(_: Place) -> object:
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    with open("large", "wb") as file:
        for _number in range(6):
            file.write(bytes(MIB))
    return True


def _several_files(_: Place) -> object:
    for number in range(6):
        Path(f"part{number}").write_bytes(bytes(3 * MIB))
    return True


def _sparse(_: Place) -> object:
    with open("sparse", "wb") as file:
        file.truncate(100 * MIB)
    return True


def _reserved(_: Place) -> object:
    with open("reserved", "wb") as file:
        os.posix_fallocate(file.fileno(), 0, 32 * MIB)
    return True


def _by_children(_: Place) -> object:
    for number in range(6):
        pid = os.fork()
        if pid == 0:
            Path(f"child{number}").write_bytes(bytes(3 * MIB))
            os._exit(0)
        os.waitpid(pid, 0)
    return True


def _deleted(at: Place) -> object:
    held = []
    for _number in range(6):
        with open("gone", "wb") as file:
            file.write(bytes(3 * MIB))
            held.append(os.dup(file.fileno()))
        Path("gone").unlink()
    time.sleep(at.patience_s)
    for each in held:
        os.close(each)
    return True


DISK = [
    Row("disk", "one large file", _one_file, _small_file, limit("file_bytes"), alone=True),
    Row("disk", "several files", _several_files, _small_file, limit("workspace"), alone=True),
    Row("disk", "a file of holes", _sparse, _small_file, alone=True),
    Row("disk", "room that is only reserved", _reserved, _small_file, alone=True),
    Row("disk", "files of several processes", _by_children, _small_file, limit("workspace"), alone=True),
    Row("disk", "deleted files that are still open", _deleted, _small_file, limit("workspace"), alone=True),
]


def _four_hundred(make: Callable[[str], object]) -> Callable[[Place], object]:
    def attempt(_: Place) -> object:
        for number in range(400):
            make(f"n{number}")
        return True

    return attempt


def _second_name(name: str) -> None:
    Path("first").touch()
    os.link("first", name)


def _link_or_fifo(name: str) -> None:
    if int(name[1:]) % 2:
        os.mkfifo(name)
    else:
        os.symlink("nowhere", name)


def _nested(name: str) -> None:
    """Two hundred folders in each other, and then as many again beside them."""
    if name == "n200":
        os.chdir("../" * 200)
    os.mkdir(name)
    os.chdir(name)


def _temporary(at: Place) -> object:
    """Where temporary files are in memory, each name takes memory that no file's size shows."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(400):
            Path(folder, str(number)).touch()
        time.sleep(at.patience_s)
    return True


def _own_temporary(_: Place) -> object:
    with tempfile.TemporaryFile() as file:
        return file.write(b"x")


INODE = [
    Row("inode", name, _four_hundred(make), _small_file, limit("workspace"), alone=True)
    for name, make in [
        ("files", lambda name: Path(name).touch()),
        ("folders", os.mkdir),
        ("links and FIFOs", _link_or_fifo),
        ("second names of one file", _second_name),
        ("folders in folders", _nested),
    ]
] + [
    Row("inode", "temporary files", _temporary, _own_temporary, {"L3": "inodes", "L2": "workspace"}, alone=True),
]

_BLOCK = b"y" * 1023 + b"\n"
_BLOCKS = 3 * 1024


def _said(_: Place) -> object:
    return os.write(1, b"\n")


def _writes(*descriptors: int) -> Callable[[Place], object]:
    def attempt(_: Place) -> object:
        for number in range(_BLOCKS):
            os.write(descriptors[number % len(descriptors)], _BLOCK)
        return True

    return attempt


def _goes_on(place: Place) -> object:
    """It never ends by itself, so what is counted at its end comes too late."""
    _writes(1)(place)
    time.sleep(place.patience_s)
    return True


def _children_write(_: Place) -> object:
    for _number in range(4):
        if os.fork() == 0:
            for _number in range(_BLOCKS // 4):
                os.write(1, _BLOCK)
            os._exit(0)
    return all(os.wait()[1] == 0 for _number in range(4))


def _reopened(_: Place) -> object:
    out = os.open("/proc/self/fd/1", os.O_WRONLY | os.O_APPEND)
    for _number in range(_BLOCKS):
        os.write(out, _BLOCK)
    return True


def _another_programs(_: Place) -> object:
    code = f"import os\nfor _number in range({_BLOCKS}): os.write(1, {_BLOCK!r})"
    return os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-I", "-S", "-c", code]) == 0


OUTPUT = [
    Row("output", name, attempt, _said, limit("output"), alone=True)
    for name, attempt in [
        ("without end", _goes_on),
        ("as errors", _writes(2)),
        ("on both", _writes(1, 2)),
        ("of several processes", _children_write),
        ("through a pipe opened again", _reopened),
        ("of another program", _another_programs),
    ]
]

ROWS = [*MEMORY, *DISK, *INODE, *OUTPUT]
