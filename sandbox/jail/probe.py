"""Which level of isolation this machine really gives, found by starting a jail and trying to get out of it."""

from __future__ import annotations

import logging
import socket
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.contract import Limits, SandboxError
from sandbox.jail import interpreter
from sandbox.jail.cell import Cell
from sandbox.jail.inside.frames import BadFrame
from sandbox.places import templates_folder

logger = logging.getLogger(__name__)

_TRY_S = 20.0
_lock = threading.Lock()
_found: Level | None = None

# Runs in the jail and prints the names of the walls that did not hold. Each attempt succeeds outside of a jail.
_CANARY = """
import ctypes, socket, sys
port, host_file = sys.argv[1:3]
def holds(name, attempt):
    try:
        through = attempt()
    except Exception:
        through = False
    print("" if not through else "leak " + name)
def environment():
    return open("/proc/1/environ").read()
def loopback():
    return socket.create_connection(("127.0.0.1", int(port)), 1)
def host():
    return open(host_file)
def outside():
    return open("/usr/.mindx-canary", "w")
def namespaces():
    return ctypes.CDLL(None).unshare(0x10000000) == 0
def setting():
    return open("/proc/sys/kernel/core_pattern", "r+")
for name, attempt in list(globals().items()):
    if name in ("environment", "loopback", "host", "outside", "namespaces", "setting"):
        holds(name, attempt)
print("STARTED")
"""
_WALLS = {
    "environment": "the worker's environment can be read",
    "loopback": "the host's loopback can be reached",
    "host": "files of the host can be read",
    "outside": "system folders can be written",
    "namespaces": "programs can make namespaces",
    "setting": "kernel settings can be written",
}


@dataclass(frozen=True)
class Level:
    """The best level that can be had; `reasons` says of each better one why it cannot."""

    name: str
    reasons: Mapping[str, str] = field(default_factory=dict)


def level(refresh: bool = False) -> Level:
    """The level of this machine, tried once for the process and kept; `refresh` tries again."""
    global _found
    with _lock:
        if _found is None or refresh:
            _found = _try()
        return _found


def _try() -> Level:
    try:
        leaks = _leaks()
    except (SandboxError, OSError, BadFrame, TimeoutError) as error:
        logger.warning("no jail can be started", extra={"error": str(error)})
        return Level("L1", {"L3": str(error) or "the jail gave no answer", "L2": _NO_L2})
    if leaks:
        return Level("L1", {"L3": "the jail does not hold: " + "; ".join(leaks), "L2": _NO_L2})
    return Level("L3")


_NO_L2 = "this version has no jail without namespaces"


def _leaks() -> list[str]:
    """The walls that a canary in a real jail got through, as sentences."""
    with (
        tempfile.TemporaryDirectory(prefix="mindx-canary-") as place,
        tempfile.NamedTemporaryFile(prefix="mindx-canary-") as host_file,
        socket.create_server(("127.0.0.1", 0)) as server,
    ):
        Path(host_file.name).chmod(0o644)  # only the jail's walls shall keep it from being read
        cell = Cell(Path(place), templates_folder(), Limits())
        try:
            python = interpreter.choose().program
            words = [python, "-I", "-c", _CANARY, str(server.getsockname()[1]), host_file.name]
            _, output = cell.run(words, _TRY_S)
        finally:
            cell.end()
    lines = output.decode("utf-8", "replace").split("\n")
    if "STARTED" not in lines:
        raise SandboxError(f"a program in the jail did not run: {lines[-1][-300:]}")
    return [_WALLS[line.removeprefix("leak ")] for line in lines if line.startswith("leak ")]
