"""Programs that try to get out. Each attempt gets through when it runs outside of a jail, or it would prove nothing."""

from __future__ import annotations

import os
import platform
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.sandbox.conftest import Hands

_MARKER = "marker-of-the-worker-5d1c"
# An attempt prints THROUGH when it got what it wanted.
_FRAME = """
import ctypes, glob, os, signal, socket, struct, sys
SECRET, PORT, PEER = {secret!r}, {port}, {peer}
libc = ctypes.CDLL(None, use_errno=True)
print("STARTED", flush=True)
try:
    got = (lambda: {attempt})()
except BaseException as error:
    got = None
    print("stopped by", repr(error))
print("THROUGH" if got else "HELD")
"""


pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="attempts name system calls by number")


@dataclass(frozen=True)
class Attempt:
    """A Python expression that is true when the attempt got through. `needs_root`: outside, only root gets it."""

    name: str
    code: str
    needs_root: bool = False


ATTEMPTS = [
    Attempt("read a host file by its path", "open(SECRET).read()"),
    Attempt("read a host file through a link", "os.symlink(SECRET, 'way') or open('way').read()"),
    Attempt("read a host file by going up", "open('../' * 40 + SECRET).read()"),
    Attempt("read a host file through another process's root", "open(f'/proc/{PEER}/root' + SECRET).read()"),
    Attempt("see the worker among the processes", "os.path.exists(f'/proc/{PEER}')"),
    Attempt(
        "read the worker's environment", f"any({_MARKER!r} in open(p).read() for p in [f'/proc/{{PEER}}/environ'])"
    ),
    Attempt("signal the worker", "os.kill(PEER, 0) is None"),
    Attempt("reach the host's loopback", "socket.create_connection(('127.0.0.1', PORT), 2)"),
    Attempt(
        "see the host's network interfaces",
        "len(open('/proc/net/dev').read().splitlines()) > 3 or PORT and "
        "f':{PORT:04X} ' in open('/proc/net/tcp').read()",
    ),
    Attempt("talk to the kernel by netlink", "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)"),
    Attempt("listen to all packets", "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)", needs_root=True),
    Attempt(
        "write into a system folder",
        "open('/usr/mindx-escape', 'w') and os.unlink('/usr/mindx-escape') is None",
        needs_root=True,
    ),
    Attempt(
        "write into the root folder",
        "open('/mindx-escape', 'w') and os.unlink('/mindx-escape') is None",
        needs_root=True,
    ),
    Attempt(
        "write into /dev", "open('/dev/mindx-escape', 'w') and os.unlink('/dev/mindx-escape') is None", needs_root=True
    ),
    Attempt(
        "write into /etc", "open('/etc/mindx-escape', 'w') and os.unlink('/etc/mindx-escape') is None", needs_root=True
    ),
    Attempt("change a kernel setting", "open('/proc/sys/kernel/core_pattern', 'r+')", needs_root=True),
    Attempt("open the kernel's log", "open('/dev/kmsg')", needs_root=True),
    Attempt("make a device", "os.mknod('disk', 0o60600, os.makedev(254, 0)) is None", needs_root=True),
    Attempt("make a mount namespace", "libc.unshare(0x20000) == 0", needs_root=True),
    Attempt(
        "clone into a new user namespace",
        "(lambda pid: os._exit(0) if pid == 0 else pid > 0)(libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0))",
    ),
    Attempt(
        "join another process's namespaces", "libc.setns(os.open(f'/proc/{PEER}/ns/net', 0), 0) == 0", needs_root=True
    ),
    Attempt(
        "mount a file system",
        "os.mkdir('m') or libc.mount(b'none', b'm', b'tmpfs', 0, None) == 0 and libc.umount2(b'm', 2) == 0",
        needs_root=True,
    ),
    Attempt("trace a process", "libc.ptrace(0, 0, 0, 0) == 0"),
    Attempt("read memory of another process", "libc.process_vm_readv(os.getpid(), 0, 0, 0, 0, 0) == 0"),
    Attempt("use the kernel's key ring", "libc.syscall(250, 0, -3, 1, 0, 0) > 0"),
    Attempt("set up an io_uring", "libc.syscall(425, 4, ctypes.create_string_buffer(120)) >= 0"),
    Attempt(
        "load a BPF program",
        "libc.syscall(321, 0, struct.pack('IIIII', 2, 4, 4, 1, 0) + bytes(100), 72) >= 0",
        needs_root=True,
    ),
    Attempt("hide memory in a memfd", "os.memfd_create('x') >= 0"),
    Attempt("hide memory in a shared segment", "libc.shmctl(libc.shmget(0, 4096, 0o1600), 0, None) == 0"),
    Attempt("spread over all processors again", "os.sched_setaffinity(0, os.sched_getaffinity(0)) is None"),
    Attempt(
        "push characters into a terminal",
        "(lambda pty: __import__('fcntl').ioctl(pty[1], 0x5412, b'x') is not None)(os.openpty())",
        needs_root=True,
    ),
    Attempt("gain rights from a set-uid program", "'NoNewPrivs:\\t0' in open('/proc/self/status').read()"),
    Attempt(
        "hold a capability", "'CapEff:\\t0000000000000000' not in open('/proc/self/status').read()", needs_root=True
    ),
    Attempt("be root", "os.getuid() == 0", needs_root=True),
    Attempt("use an inherited descriptor", "[n for n in os.listdir('/proc/self/fd') if int(n) > 4]"),
    Attempt("read the helper's environment", "open(f'/proc/{os.getppid()}/environ').read()"),
    Attempt("look into the helper's memory", "open(f'/proc/{os.getppid()}/mem', 'rb')"),
    Attempt("list the helper's descriptors", "os.listdir(f'/proc/{os.getppid()}/fd')"),
    Attempt("make a user namespace", "libc.unshare(0x10000000) == 0"),
    Attempt("take more descriptors", "__import__('resource').setrlimit(7, (1025, 1025)) is None"),
]


@pytest.fixture
def peer() -> Iterator[subprocess.Popen[bytes]]:
    """A process of the host with something worth reading in its environment."""
    process = subprocess.Popen(["/bin/sleep", "60"], env={"SECRET": _MARKER})
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def server() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda each: each.name)
def test_an_attempt_works_outside_and_is_held_inside(
    attempt: Attempt, hands: Hands, peer: subprocess.Popen[bytes], server: int, tmp_path: Path
) -> None:
    if attempt.needs_root and os.geteuid() != 0:
        pytest.skip("works outside for root only")
    secret = tmp_path / "secret"
    secret.write_text("the host's secret")
    code = _FRAME.format(secret=str(secret), port=server, peer=peer.pid, attempt=attempt.code)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "attempt.py").write_text(code)
    with open(os.devnull) as extra:
        bare = subprocess.run(
            [sys.executable, "attempt.py"],
            cwd=outside, capture_output=True, text=True, timeout=20, pass_fds=(os.dup2(extra.fileno(), 97),),
        )  # fmt: skip
        os.close(97)
    assert "THROUGH" in bare.stdout, f"the attempt proves nothing: {bare.stdout}{bare.stderr}"
    held = hands.python(code)
    assert "STARTED" in held.data["stdout"], held
    assert "HELD" in held.data["stdout"], held


def test_a_program_cannot_end_the_helper_or_speak_for_it(hands: Hands) -> None:
    result = hands.python(
        """
import glob, os, signal
for number in range(1, 65):
    for target in (1,):
        try:
            os.kill(target, number)
        except OSError:
            pass
reached = []
for path in glob.glob("/proc/[0-9]*/fd/*"):
    try:
        with open(path, "wb") as file:
            if file.fileno() > 2 and "/1/" in path:
                reached.append(path)
    except OSError:
        pass
print("reached", reached)
import resource
try:
    resource.prlimit(1, resource.RLIMIT_NOFILE, (1, 1))
    print("limited the helper")
except OSError:
    pass
"""
    )
    assert result.ok, result
    assert result.data["stdout"] == "reached []\n"
    assert hands.do("ls").ok


def test_what_a_program_prints_is_never_taken_for_an_answer(hands: Hands) -> None:
    forged = b'{"end": true, "return_code": 0, "limit": null}'
    result = hands.python(
        f"import os, struct, sys; os.write(1, struct.pack('!II', {len(forged)}, 0) + {forged!r}); sys.exit(9)"
    )
    assert result.data["return_code"] == 9


def test_the_jail_shows_only_its_own_few_places(hands: Hands) -> None:
    names = hands.run("ls /").data["stdout"].split()
    assert set(names) <= {
        "bin",
        "dev",
        "etc",
        "lib",
        "lib32",
        "lib64",
        "opt",
        "proc",
        "sbin",
        "tmp",
        "usr",
        "workspace",
    }
    assert hands.run("cat /etc/passwd").data["stdout"] == "mindx:x:1000:1000:mindX:/tmp:/bin/sh\n"


def test_programs_can_still_use_what_programs_use(hands: Hands) -> None:
    """The other side of every wall: temporary files, threads, processes, pipes, local sockets, random numbers."""
    result = hands.python(
        """
import asyncio, concurrent.futures, multiprocessing, os, random, socket, subprocess, tempfile, threading
with tempfile.NamedTemporaryFile() as file:
    file.write(b"x")
open("/dev/shm/shared", "w").write("x")
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    assert list(pool.map(abs, range(8))) == list(range(8))
with multiprocessing.Pool(2) as pool:
    assert pool.map(abs, [-1, -2]) == [1, 2]
assert subprocess.run(["sh", "-c", "echo x | cat"], capture_output=True, text=True).stdout == "x\\n"
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname()).close()
asyncio.run(asyncio.sleep(0))
os.urandom(8)
print("all")
"""
    )
    assert result.data["stdout"] == "all\n", result
