"""The isolation level that this machine really supports, found by starting jails and trying to break out."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.contract import Limits, SandboxError
from sandbox.jail import interpreter
from sandbox.jail.cell import Cell
from sandbox.jail.inside.frames import BadFrame
from sandbox.places import templates_folder

logger = logging.getLogger(__name__)

LEVELS = ("L1", "L2", "L3")
_TRY_S = 20.0
_lock = threading.Lock()
_found: Level | None = None

# Runs in the jail and prints the names of the guards that failed. Each attempt succeeds outside of a jail.
_CANARY = """
import ctypes, os, socket, sys
port, host_file, worker, abstract = sys.argv[1:5]
def environment():
    return open("/proc/1/environ").read()
def worker_environment():
    return open(f"/proc/{worker}/environ").read()
def loopback():
    return socket.create_connection(("127.0.0.1", int(port)), 1)
def abstract_socket():
    return socket.socket(socket.AF_UNIX).connect("\\0" + abstract) is None
def any_socket():
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
def host():
    return open(host_file)
def beside():
    return open(host_file + "-beside", "w")
def outside():
    return open("/usr/.mindx-canary", "w")
def namespaces():
    return ctypes.CDLL(None).unshare(0x10000000) == 0
def setting():
    return open("/proc/sys/kernel/core_pattern", "r+")
def signal():
    return os.kill(int(worker), 0) is None
for name in sys.argv[5:]:
    try:
        through = globals()[name]()
    except Exception:
        through = False
    print("" if not through else "leak " + name)
print("STARTED")
"""
_WALLS = {
    "environment": "the worker's environment can be read",
    "worker_environment": "the worker's environment can be read",
    "loopback": "the host's loopback can be reached",
    "abstract_socket": "the host's abstract sockets can be reached",
    "any_socket": "sockets of the host's network can be made",
    "host": "files of the host can be read",
    "beside": "the host's open folders can be written",
    "outside": "system folders can be written",
    "namespaces": "programs can make namespaces",
    "setting": "kernel settings can be written",
    "signal": "the worker can be signalled",
}
# If the host's process ids, network and temporary folder are not visible at all, some attempts prove nothing.
_TRIED = {
    "L3": ("environment", "loopback", "host", "outside", "namespaces", "setting"),
    "L2": tuple(_WALLS),
}


@dataclass(frozen=True)
class Level:
    """The best available level, "" for none; `reasons` says for each better one why it is not available."""

    name: str
    reasons: Mapping[str, str] = field(default_factory=dict)

    def is_below(self, minimum: str) -> bool:
        return not self.name or LEVELS.index(self.name) < LEVELS.index(minimum)

    def why_below(self, minimum: str) -> str:
        """Why nothing runs, and what to do, for people."""
        wanted = LEVELS[LEVELS.index(minimum) :]
        why = "; ".join(f"{level}: {self.reasons[level]}" for level in reversed(wanted) if level in self.reasons)
        best = f"the best that holds here is {self.name}" if self.name else "nothing holds here"
        return (
            f"no jail of level {minimum} or better can be had, so nothing runs; {best}. {why}. Remove the reason, or "
            f"have the operator accept a weaker level in MINDX_SANDBOX_MIN"
        )

    def why_no_hosts(self) -> str:
        """Why no host can be reached, and what to do, for people."""
        why = f" L3: {self.reasons['L3']}." if "L3" in self.reasons else ""
        return (
            f"hosts can be let in at level L3 only, and the best that holds here is {self.name}.{why} Remove the "
            "reason, or do without hosts"
        )


def known() -> Level | None:
    """The latest result; None if the probe has not run yet."""
    return _found


def level(refresh: bool = False) -> Level:
    """The level of this machine, tried once for the process and kept; `refresh` tries again."""
    global _found
    with _lock:
        if _found is None or refresh:
            _found = _try()
        return _found


def _try() -> Level:
    reasons: dict[str, str] = {}
    for name in reversed(LEVELS):
        try:
            leaks = _file_leaks() if name == "L1" else _leaks(name)
        except (SandboxError, OSError, BadFrame, TimeoutError) as error:
            reasons[name] = str(error) or "the jail gave no answer"
        else:
            if not leaks:
                return Level(name, reasons)
            reasons[name] = "the jail does not hold: " + "; ".join(leaks)
        logger.warning("a level of isolation cannot be had", extra={"level": name, "error": reasons[name]})
    return Level("", reasons)


def _leaks(name: str) -> list[str]:
    """The guards that a canary in a real jail of this level got through, as sentences."""
    with ExitStack() as stack:
        place = stack.enter_context(tempfile.TemporaryDirectory(prefix="mindx-canary-"))
        host_file = stack.enter_context(tempfile.NamedTemporaryFile(prefix="mindx-canary-"))
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        abstract = f"mindx-canary-{secrets.token_hex(8)}"
        listener = stack.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind("\0" + abstract)
        listener.listen()
        Path(host_file.name).chmod(0o644)  # only the jail's guards should prevent reading it
        told = [str(server.getsockname()[1]), host_file.name, str(os.getpid()), abstract]
        cell = Cell(Path(place), templates_folder(), Limits(), name)
        try:
            words = [interpreter.choose().program, "-I", "-c", _CANARY, *told, *_TRIED[name]]
            _, output = cell.run(words, _TRY_S)
        finally:
            cell.end()
            Path(f"{host_file.name}-beside").unlink(missing_ok=True)
    lines = output.decode("utf-8", "replace").split("\n")
    if "STARTED" not in lines:
        raise SandboxError(f"a program in the jail did not run: {lines[-1][-300:]}")
    return [_WALLS[line.removeprefix("leak ")] for line in lines if line.startswith("leak ")]


def _file_leaks() -> list[str]:
    """What the helper alone would allow: a link out of the workspace, or a program. A plain file must be readable."""
    with (
        tempfile.TemporaryDirectory(prefix="mindx-canary-") as place,
        tempfile.NamedTemporaryFile(prefix="mindx-canary-") as host_file,
    ):
        Path(host_file.name).chmod(0o644)
        (Path(place) / "link").symlink_to(host_file.name)
        (Path(place) / "plain").touch()
        cell = Cell(Path(place), templates_folder(), Limits(), "L1")
        try:
            refused = {path: _refuses_to_read(cell, path) for path in ("plain", "link")}
            ending, _ = cell.run(["/bin/true"], _TRY_S)
        finally:
            cell.end()
    if refused["plain"]:
        raise SandboxError("the helper could not read a file of its own workspace")
    leaks = [] if refused["link"] else ["links out of the workspace are followed"]
    return leaks if ending.get("error_class") == "PERMISSION_ERROR" else [*leaks, "programs are run"]


def _refuses_to_read(cell: Cell, path: str) -> bool:
    cell.send({"do": "read", "path": path, "bytes": [0, None]})
    answer, _ = cell.receive(time.monotonic() + _TRY_S)
    return "error_class" in answer
