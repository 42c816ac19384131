"""One running jail: started through the launcher, spoken to in frames, ended for certain."""

from __future__ import annotations

import math
import os
import random
import select
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sandbox.contract import Limits, SandboxError, SandboxUnavailable
from sandbox.jail import bubblewrap, cgroup, interpreter, seccomp
from sandbox.jail.bubblewrap import STAGED
from sandbox.jail.inside.frames import BadFrame, Frame, Frames, pack
from sandbox.jail.published import publish
from sandbox.places import owner

_START_S = 20.0
_END_S = 10.0
_RECEIVE_BYTES = 1 << 18
_FILTERING = 2
_HERE = Path(__file__).parent
# Imported, not run as a file, because only what is imported has its compiled form kept.
_START_LAUNCHER = f"import sys; sys.path.append({str(_HERE)!r}); import launcher; launcher.main()"


class CellEnded(SandboxError):
    """The jail has ended."""


@dataclass(frozen=True)
class Report:
    """How a jail ended: bubblewrap's exit code (None when it never ran), what was said, whether memory ran out."""

    code: int | None
    said: str
    out_of_memory: bool


class Cell:
    """A jail with its helper. Not thread-safe: a session uses it from one thread at a time."""

    def __init__(self, root: Path, templates: Path, limits: Limits) -> None:
        """Starts the jail over `root` and checks what its helper tells. Raises SandboxUnavailable."""
        self._frames = Frames()
        self._group = cgroup.make(limits)
        self._process: subprocess.Popen[bytes] | None = None
        launcher_end, self._launcher = socket.socketpair()
        helper_end, self._channel = socket.socketpair()
        self._channel.settimeout(_START_S)
        try:
            with launcher_end, helper_end:
                self._process = _launch(
                    root, templates, limits, launcher_end.fileno(), helper_end.fileno(), self._group
                )
            self.send({"limits": asdict(limits)})
            facts, _ = self.receive(time.monotonic() + _START_S)
            _check(facts, self._process.pid)
        except (CellEnded, BadFrame, TimeoutError, OSError) as error:
            raise SandboxUnavailable(_why_not(error, self.end())) from error
        except BaseException:
            self.end()
            raise

    def send(self, message: dict[str, Any], body: bytes = b"") -> None:
        """Raises CellEnded when nobody is there any more."""
        try:
            self._channel.sendall(pack(message, body))
        except OSError as error:
            raise CellEnded("the jail has ended") from error

    def receive(self, deadline: float) -> Frame:
        """The helper's next frame. Raises TimeoutError at the deadline, CellEnded, BadFrame."""
        while True:
            frame = self._frames.next()
            if frame is not None:
                return frame
            wait_s = deadline - time.monotonic()
            if wait_s <= 0 or not select.select([self._channel], [], [], wait_s)[0]:
                raise TimeoutError
            try:
                data = self._channel.recv(_RECEIVE_BYTES)
            except ConnectionResetError:
                data = b""
            if not data:
                raise CellEnded("the jail has ended")
            self._frames.feed(data)

    def run(self, words: list[str], timeout_s: float) -> tuple[dict[str, Any], bytes]:
        """Runs one of our own programs in a plain environment; its ending and all it wrote.

        Raises TimeoutError, CellEnded, BadFrame.
        """
        self.send(
            {
                "do": "run",
                "candidates": [words],
                "cwd": "",
                "env": {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8"},
                "timeout_s": timeout_s,
                "watch_deletions": False,
            }
        )
        deadline = time.monotonic() + timeout_s + _END_S
        output = b""
        while True:
            message, body = self.receive(deadline)
            output += body
            if message.get("end") is True:
                return message, output

    def memory_kills(self) -> int:
        """How often the kernel has killed in this jail for want of memory; 0 where it keeps no count."""
        return self._group.memory_kills() if self._group is not None else 0

    def end(self) -> Report:
        """Kills whatever runs, waits until it is gone, and tells what the launcher found."""
        with suppress(OSError):
            self._launcher.shutdown(socket.SHUT_WR)
        self._channel.close()
        said = b""
        self._launcher.settimeout(_END_S)
        try:
            while block := self._launcher.recv(1 << 16):
                said += block
        except OSError:
            # A launcher that does not answer is killed; bubblewrap then dies with its parent.
            if self._process is not None:
                self._process.kill()
        self._launcher.close()
        if self._process is not None:
            self._process.wait()
        code, _, rest = said.decode("utf-8", "backslashreplace").partition("\n")
        failure, _, spoken = rest.partition("\n")
        out_of_memory = self.memory_kills() > 0
        if self._group is not None:
            self._group.remove()
        return Report(int(code) if code else None, failure or spoken.strip(), out_of_memory)


def _launch(
    root: Path, templates: Path, limits: Limits, launcher_end: int, helper_end: int, group: cgroup.Group | None
) -> subprocess.Popen[bytes]:
    """Starts the launcher, which inherits its end of the session's socket, the helper's, and small files."""
    program = bubblewrap.find()
    python = interpreter.choose()
    binds = bubblewrap.binds(root, publish(), templates, python)
    filter_file = _held(seccomp.program())
    texts = {name: _held(text.encode()) for name, text in bubblewrap.etc_texts().items()}
    inherited = (launcher_end, helper_end, filter_file, *texts.values())
    arguments = bubblewrap.arguments(binds, filter_file, texts, helper_end, python)
    identity = owner()
    cpus = [] if group is not None and group.shares_cpu else _cpus(limits)
    try:
        return subprocess.Popen(
            [
                *(sys.executable, "-I", "-S", "-c", _START_LAUNCHER, str(launcher_end), str(os.getpid())),
                *(str(helper_end), str(identity[0]) if identity else "", ",".join(map(str, cpus))),
                *(":".join(group.entrances) if group else "", str(root), STAGED + str(program), *arguments),
            ],
            pass_fds=inherited,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            start_new_session=True,
        )
    finally:
        for descriptor in (filter_file, *texts.values()):
            os.close(descriptor)


def _held(content: bytes) -> int:
    """A descriptor from which a program that inherits it reads `content`."""
    descriptor = os.memfd_create("mindx")
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _cpus(limits: Limits) -> list[int]:
    """The processors a jail is held to, [] for all of them. Chosen by chance, so that jails spread."""
    available = sorted(os.sched_getaffinity(0))
    wanted = math.ceil(limits.cpus)
    return random.sample(available, wanted) if 0 < wanted < len(available) else []


def _check(facts: dict[str, Any], launcher: int) -> None:
    """Refuses a jail whose walls are not what they should be. Its helper is still alone in there and can be believed.

    The uid is read from outside, off the launcher, whose own the jail has: within, every uid is a mapped one.
    """
    faults = []
    if 0 in _uids(launcher):
        faults.append("it would run as root")
    if facts["seccomp"] != _FILTERING:
        faults.append("no system call filter is active")
    if facts["no_new_privs"] != 1:
        faults.append("programs could gain privileges")
    if facts["capabilities"] != 0:
        faults.append("it holds capabilities")
    if facts["pid"] != 1:
        faults.append("it shares its process ids")
    if faults:
        raise SandboxUnavailable("the jail is not tight: " + ", ".join(faults))


def _uids(pid: int) -> set[int]:
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        line = next(line for line in file if line.startswith("Uid:"))
    return {int(each) for each in line.split()[1:]}


def _why_not(error: Exception, report: Report) -> str:
    said = report.said
    if isinstance(error, TimeoutError):
        said = said or f"it gave no answer within {_START_S:.0f} s"
    why = said.splitlines()[-1] if said else str(error) or "it ended at once"
    return f"no jail could be started: {why}"
