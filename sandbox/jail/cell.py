"""One running jail: started through the launcher, spoken to in frames, ended for certain."""

from __future__ import annotations

import json
import math
import os
import random
import select
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sandbox.contract import Limits, SandboxError, SandboxUnavailable
from sandbox.jail import bubblewrap, interpreter, seccomp
from sandbox.jail.inside.frames import BadFrame, Frame, Frames, pack
from sandbox.places import owner

_START_S = 20.0
_END_S = 10.0
_RECEIVE_BYTES = 1 << 18
_FILTERING = 2
_LAUNCHER = Path(__file__).with_name("launcher.py")


class CellEnded(SandboxError):
    """The jail is gone. `report` holds what the launcher found: exit code, what bubblewrap said."""

    def __init__(self, message: str, report: dict[str, Any]) -> None:
        super().__init__(message)
        self.report = report


class Cell:
    """A jail with its helper. Not thread-safe: a session uses it from one thread at a time."""

    def __init__(self, root: Path, templates: Path, limits: Limits) -> None:
        """Starts the jail over `root` and checks what its helper tells. Raises SandboxUnavailable."""
        self._frames = Frames()
        launcher_end, self._launcher = socket.socketpair()
        helper_end, self._channel = socket.socketpair()
        with launcher_end, helper_end:
            order = _order(root, templates, limits, helper_end.fileno())
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_LAUNCHER), str(launcher_end.fileno()), str(os.getpid())],
                pass_fds=(launcher_end.fileno(), helper_end.fileno()),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={},
                cwd="/",
                start_new_session=True,
            )
        try:
            self._launcher.sendall(json.dumps(order).encode("ascii") + b"\n")
            self.send({"limits": asdict(limits)})
            facts, _ = self.receive(time.monotonic() + _START_S)
            _check(facts, self._process.pid)
        except (CellEnded, BadFrame, TimeoutError, OSError) as error:
            report = self.end()
            raise SandboxUnavailable(_why_not(error, report)) from error
        except BaseException:
            self.end()
            raise

    def send(self, message: dict[str, Any], body: bytes = b"") -> None:
        """Raises CellEnded when nobody is there any more."""
        try:
            self._channel.sendall(pack(message, body))
        except OSError as error:
            raise CellEnded("the jail has ended", {}) from error

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
                raise CellEnded("the jail has ended", {})
            self._frames.feed(data)

    def end(self) -> dict[str, Any]:
        """Kills whatever runs, waits until it is gone, and returns the launcher's report ({} when it was killed)."""
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
            self._process.kill()
        self._launcher.close()
        self._process.wait()
        try:
            report = json.loads(said)
        except ValueError:
            return {}
        return report if isinstance(report, dict) else {}

    @property
    def alive(self) -> bool:
        return self._process.poll() is None


def _order(root: Path, templates: Path, limits: Limits, channel: int) -> dict[str, Any]:
    """What the launcher is to do, as JSON."""
    program = bubblewrap.find()
    python = interpreter.choose()
    wanted = bubblewrap.binds(root, templates, python)
    staged = [bubblewrap.Bind(f"staged:{bind.source}", bind.target, bind.writable) for bind in wanted]
    texts = bubblewrap.etc_texts()
    # Descriptors are known to the launcher only, so their places in the command line are filled there.
    marks = {name: f"text:{name}" for name in texts}
    arguments = [f"staged:{program}", *bubblewrap.arguments(staged, "text:", marks, channel, python.program)]
    contents = {"text:": seccomp.program().decode("latin-1")} | {marks[name]: text for name, text in texts.items()}
    identity = owner()
    return {
        "arguments": arguments,
        "sources": [bind.source for bind in wanted] + [str(program)],
        "texts": {place: contents[each] for place, each in enumerate(arguments) if each in contents},
        "uid": identity[0] if identity else None,
        "cpus": _cpus(limits),
        "channel": channel,
    }


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


def _why_not(error: Exception, report: dict[str, Any]) -> str:
    said = str(report.get("error") or report.get("said") or "").strip()
    if isinstance(error, TimeoutError):
        said = said or f"it gave no answer within {_START_S:.0f} s"
    why = said.splitlines()[-1] if said else str(error) or "it ended at once"
    return f"no jail could be started: {why}"
