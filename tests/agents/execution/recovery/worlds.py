"""Faults that lie in the world around a plan: programs, files and servers that fail, and are well again later.

Nothing of mindX is changed for them. Each fails in its own class for facts that a real tool reports in the real jail.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from agents.bdi.recovery.failures import FailureClass
from tests.agents.execution.conftest import run, write
from tests.agents.toolkit.answering import answering, ok, status

# Asks the service how it is; with nothing but a socket, because every import costs each try of each cell.
_STATE = """\
import os, socket, sys

def state(path):
    with socket.create_connection(("127.0.0.1", {port}), 20) as asked:
        asked.sendall(b"GET " + path + b" HTTP/1.0\\r\\n\\r\\n")
        head, _, body = asked.makefile("rb").read().partition(b"\\r\\n\\r\\n")
    return body if b" 200 " in head else b""

def made():
    with open("report.txt", "w") as file:
        file.write("made")
"""
# Each ends in its own way until the service is well.
_LOCKED = """
if not state(b"/well"):
    sys.exit("the ledger is locked")
made()
"""
_OPTIONS = """
import argparse
parser = argparse.ArgumentParser()
for option in state(b"/well").decode().split():
    parser.add_argument(option)
parser.parse_args()
made()
"""
_KILLED = """
if not state(b"/well"):
    os.kill(os.getpid(), 9)
made()
"""
# More than the workspace may hold, until the service is well.
_FULL = """
if not state(b"/well"):
    with open("leftovers", "wb") as file:
        file.write(os.urandom(3 << 20))
made()
"""
# The kernel lets nobody start what is no program, or write into a locked folder.
_NO_PROGRAM = """
with open("report", "w") as file:
    file.write("#!/bin/sh\\necho made > report.txt\\n")
os.chmod("report", 0o755 if state(b"/well") else 0o644)
sys.exit(os.waitstatus_to_exitcode(os.system("./report")))
"""
_LOCKED_FOLDER = """
if not state(b"/well"):
    os.mkdir("locked", 0o555)
    open("locked/report.txt", "w")
made()
"""
# Asks a host that nobody approved, until the service is well.
_OTHER_HOST = """
if not state(b"/well"):
    socket.create_connection(("ledger.example", 80), 5)
made()
"""
# Fetches a program and has the shell start it; while it is not to be had, the shell finds none.
_FETCHED = """
program = state(b"/well")
if program:
    with open(os.open("report", os.O_WRONLY | os.O_CREAT, 0o755), "wb") as file:
        file.write(program)
sys.exit(os.waitstatus_to_exitcode(os.system("./report")))
"""
_PROGRAM = b"#!/bin/sh\necho made > report.txt\n"


@dataclass(frozen=True)
class World:
    """A fault: the steps before the one that fails, that step, what heals it, and the facts it is classed by.

    `text` is a goal that names other values for the step, with which it works; `fail` breaks what was healed.
    """

    failure_class: FailureClass
    before: tuple[dict[str, Any], ...]
    step: Mapping[str, Any]
    text: str
    heal: Callable[[], object]
    fail: Callable[[], object]
    facts: Mapping[str, Any] = field(default_factory=dict)
    least_wait_s: float = 0.0
    # What its workspace may hold; 0: as usual.
    quota_bytes: int = 0
    # What the reason of the failure must name.
    reason: str = ""

    @property
    def tool(self) -> str:
        return str(self.step["tool"])


def _reaching(step: dict[str, Any], *hosts: str) -> dict[str, Any]:
    return {**step, "params": {**step["params"], "hosts": list(hosts)}}


def _get(url: str) -> dict[str, Any]:
    return {"tool": "http_request", "command": "get", "params": {"url": url}}


@contextmanager
def _program(
    failure_class: FailureClass, files: Mapping[str, str], line: str, well: bytes, facts: Mapping[str, Any]
) -> Iterator[World]:
    with answering() as server:
        yield World(
            failure_class,
            tuple(write(name, text.replace("{port}", str(server.port))) for name, text in files.items()),
            _reaching(run(line), server.entry),
            "run touch report.txt",
            lambda: server.answers.update({"/well": ok(well)}),
            lambda: server.answers.pop("/well", None),
            facts,
        )


@contextmanager
def _answer(
    failure_class: FailureClass, line: str, facts: Mapping[str, Any], least_wait_s: float = 0.0, **headers: str
) -> Iterator[World]:
    with answering() as server:
        server.answers["/other"] = ok(b"well")
        url, refusing = f"{server.address}/report", {"/report": status(line, b"no", **headers)}
        yield World(
            failure_class,
            (),
            _get(url),
            f"get {server.address}/other",
            lambda: server.answers.update({"/report": ok(b"well")}),
            lambda: server.answers.update(refusing),
            facts,
            least_wait_s,
        )


@contextmanager
def _closed_port() -> Iterator[World]:
    """A port that nobody listens on until it is healed; it is held meanwhile, so that nobody else takes it."""
    with answering() as other, ExitStack() as now:
        other.answers["/other"] = ok(b"well")

        def hold(port: int = 0) -> int:
            now.close()
            held = now.enter_context(socket.socket())
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            held.bind(("127.0.0.1", port))
            return int(held.getsockname()[1])

        def heal() -> None:
            now.close()
            now.enter_context(answering(port=port)).answers["/report"] = ok(b"well")

        port = hold()
        yield World(
            FailureClass.NETWORK_ERROR,
            (),
            _get(f"http://127.0.0.1:{port}/report"),
            f"get {other.address}/other",
            heal,
            lambda: hold(port),
            {"error_class": "NETWORK_ERROR"},
        )


@contextmanager
def _with(more: Mapping[str, Any], world: AbstractContextManager[World]) -> Iterator[World]:
    with world as made:
        yield replace(made, **more)


# By the class that each fails in.
WORLDS: Mapping[FailureClass, Callable[[], AbstractContextManager[World]]] = {
    FailureClass.TOOL_UNAVAILABLE: lambda: _program(
        FailureClass.TOOL_UNAVAILABLE,
        {"make.py": _STATE + _FETCHED},
        "python make.py",
        _PROGRAM,
        {"exit_code": 127},
    ),
    FailureClass.TOOL_EXECUTION_ERROR: lambda: _program(
        FailureClass.TOOL_EXECUTION_ERROR,
        {"make.py": _STATE + _LOCKED},
        "python make.py",
        b"yes",
        {"exit_code": 1, "text": "the ledger is locked\n"},
    ),
    FailureClass.INVALID_PARAMETERS: lambda: _program(
        FailureClass.INVALID_PARAMETERS,
        {"make.py": _STATE + _OPTIONS},
        "python make.py --depth=3",
        b"--depth",
        {"exit_code": 2},
    ),
    FailureClass.RATE_LIMIT_ERROR: lambda: _answer(
        FailureClass.RATE_LIMIT_ERROR,
        "429 Too Many Requests",
        {"status_code": 429, "retry_after_s": 700.0},
        700.0,
        Retry_After="700",
    ),
    FailureClass.PERMISSION_ERROR: lambda: _answer(
        FailureClass.PERMISSION_ERROR, "403 Forbidden", {"status_code": 403, "error_class": "PERMISSION_ERROR"}
    ),
    FailureClass.NETWORK_ERROR: _closed_port,
    FailureClass.UNKNOWN_ERROR: lambda: _program(
        FailureClass.UNKNOWN_ERROR, {"make.py": _STATE + _KILLED}, "python make.py", b"yes", {"exit_code": -9}
    ),
}

# Further faults of classes that have another one above: what stands in the way is the sandbox's own limit, the kernel
# or the network gate.
FURTHER: Mapping[str, Callable[[], AbstractContextManager[World]]] = {
    "a full quota": lambda: _with(
        {"quota_bytes": 2 << 20, "reason": "reached the workspace's limit of 2 MiB"},
        _program(
            FailureClass.TOOL_EXECUTION_ERROR,
            {"make.py": _STATE + _FULL},
            "python make.py",
            b"yes",
            {"limit": "workspace"},
        ),
    ),
    "a program that may not be run": lambda: _program(
        FailureClass.PERMISSION_ERROR, {"make.py": _STATE + _NO_PROGRAM}, "python make.py", b"yes", {"exit_code": 126}
    ),
    "a folder that may not be written to": lambda: _program(
        FailureClass.PERMISSION_ERROR, {"make.py": _STATE + _LOCKED_FOLDER}, "python make.py", b"yes", {"exit_code": 1}
    ),
    "a host that was not approved": lambda: _with(
        {"reason": "ledger.example"},
        _program(
            FailureClass.PERMISSION_ERROR,
            {"make.py": _STATE + _OTHER_HOST},
            "python make.py",
            b"yes",
            {"refused": ["ledger.example"]},
        ),
    ),
}
