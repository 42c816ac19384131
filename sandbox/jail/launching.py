"""The worker's side of starting a launcher: from the warm process, else as a new Python."""

from __future__ import annotations

import array
import atexit
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sandbox.jail import cgroup
from sandbox.jail.grouping import NAME_BYTES

_ANSWER_S = 20.0
_REPOSITORY = Path(__file__).resolve().parent.parent.parent
# Imported, not run as a file, because Python caches compiled code only for imports.
_CODE = (
    f"import sys; sys.path.append({str(_REPOSITORY)!r}); "
    "from sandbox.jail import {kind}, warm; warm.{way}({kind}.main)"
)  # fmt: skip


class Launcher:
    """A running launcher: our end of its socket, and a pidfd, which can never refer to another process.

    `group` is the name of its control group, "" for none. `process` is there when it is this process's own child.
    """

    def __init__(self, line: socket.socket, process: subprocess.Popen[bytes] | None = None) -> None:
        """Waits for the launcher to say who it is. Raises EOFError when it has ended, OSError."""
        self._line = line
        self._process = process
        line.settimeout(_ANSWER_S)
        said, descriptors, _, _ = socket.recv_fds(line, NAME_BYTES, 1, socket.MSG_CMSG_CLOEXEC)
        if not descriptors:
            raise EOFError("the launcher ended at once")
        self._descriptor = descriptors[0]
        self.group = said.decode("ascii").strip()
        self._said = b""

    def sockets(self, most: int) -> list[socket.socket]:
        """The sockets of the jail's network, once its helper is there. Raises OSError when there are none."""
        said, descriptors, _, _ = socket.recv_fds(self._line, 1 << 12, most, socket.MSG_CMSG_CLOEXEC)
        if not descriptors:
            self._said = said  # where there came to be no jail, this is what the launcher says at the end
            raise OSError(said[1:].decode("utf-8", "replace").strip() or "the launcher gave no sockets")
        return [socket.socket(fileno=each) for each in descriptors]

    def uids(self) -> set[int]:
        """The uids it runs under. Raises ProcessLookupError when it has ended."""
        with open(f"/proc/self/fdinfo/{self._descriptor}", encoding="ascii") as file:
            pid = int(next(line for line in file if line.startswith("Pid:")).split()[1])
        found = uids_of(pid)
        if self.has_ended():
            raise ProcessLookupError("the launcher has ended")  # so the number may already belong to another process
        return found

    def has_ended(self, within_s: float | None = 0) -> bool:
        return bool(select.select([self._descriptor], [], [], within_s)[0])

    def end(self, within_s: float) -> bytes:
        """Hangs up, waits until the jail and the launcher are gone, and returns the launcher's report."""
        said = self._said
        with self._line:
            try:
                self._line.shutdown(socket.SHUT_WR)
                self._line.settimeout(within_s)
                while block := self._line.recv(1 << 16):
                    said += block
            except OSError:
                # One that does not answer is killed; bubblewrap then dies with its parent.
                with suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._descriptor, signal.SIGKILL)
        if said[:1] in (b"+", b"-"):
            said = said.partition(b"\n")[2]  # the line with the sockets, which nobody took up
        self.has_ended(None)
        os.close(self._descriptor)
        if self._process is not None:
            self._process.wait()
        return said


def uids_of(pid: int) -> set[int]:
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        line = next(line for line in file if line.startswith("Uid:"))
    return {int(each) for each in line.split()[1:]}


class _Warm:
    """The warm process for one kind of launcher. Orders are whole messages, so threads need no lock."""

    def __init__(self, kind: str) -> None:
        theirs, self._control = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(_ANSWER_S)
        with theirs:
            self._process = _spawn(kind, "serve", [str(theirs.fileno())], [theirs.fileno()])

    def launch(self, order: Sequence[str], descriptors: Sequence[int]) -> Launcher:
        """Raises OSError or EOFError if it is gone; then nothing was started."""
        line, theirs = socket.socketpair()
        try:
            with theirs:
                handed = [theirs.fileno(), *descriptors]
                message = "\0".join([",".join(map(str, handed)), *order])
                rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", handed))
                self._control.sendmsg([os.fsencode(message)], [rights])
            return Launcher(line)
        except BaseException:
            line.close()
            raise

    @property
    def runs(self) -> bool:
        return self._process.poll() is None

    def let_go(self) -> None:
        """Closes our end, by which it ends."""
        self._control.close()

    def end(self) -> None:
        self.let_go()
        self._process.wait()

    def forget(self) -> None:
        """In a child of the worker: this is the worker's process, not the child's."""
        self.let_go()
        self._process.returncode = 0


_warm: dict[str, _Warm] = {}
_lock = threading.Lock()


def launch(kind: str, order: Sequence[str], descriptors: Sequence[int]) -> Launcher:
    """Starts a launcher (`kind` names its module) with an order that speaks of `descriptors` by their numbers.

    Raises OSError or EOFError when that fails.
    """
    with suppress(OSError, EOFError):
        return _kept(kind).launch(order, descriptors)
    return _launch_plainly(kind, order, descriptors)


def _kept(kind: str) -> _Warm:
    with _lock:
        warm = _warm.get(kind)
        if warm is None or not warm.runs:
            if warm is not None:
                warm.let_go()
            warm = _warm[kind] = _Warm(kind)
        return warm


def _launch_plainly(kind: str, order: Sequence[str], descriptors: Sequence[int]) -> Launcher:
    line, theirs = socket.socketpair()
    try:
        with theirs:
            session = theirs.fileno()
            process = _spawn(kind, "once", [str(session), *order], [session, *descriptors])
        return Launcher(line, process)
    except BaseException:
        line.close()
        raise


def _spawn(kind: str, way: str, words: Sequence[str], descriptors: Sequence[int]) -> subprocess.Popen[bytes]:
    """A Python that gets only the descriptors, this process's id and the folders for groups."""
    knows = [str(os.getpid()), ":".join(cgroup.parents())]
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _CODE.format(kind=kind, way=way), *knows, *words],
        pass_fds=descriptors,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={},
        cwd="/",
        start_new_session=True,
    )


def _end_warm() -> None:
    for warm in _warm.values():
        warm.end()
    _warm.clear()


def _forget_warm() -> None:
    """A child of the worker starts its own; another thread may have held the lock during the fork."""
    global _lock
    _lock = threading.Lock()
    for warm in _warm.values():
        warm.forget()
    _warm.clear()


atexit.register(_end_warm)
os.register_at_fork(after_in_child=_forget_warm)
