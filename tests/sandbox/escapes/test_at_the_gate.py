"""Programs that try to get through the network gate. Each gets through outside, or it would prove nothing."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pytest

from sandbox.gate import outside
from tests.sandbox.conftest import Hands
from tests.sandbox.escapes import gate_program
from tests.sandbox.escapes.gate_program import HOST, REACHED, ROWS, Facts
from tests.sandbox.gate.conftest import PUBLIC, Web, hands_with, serving
from tests.waiting import wait_until

pytestmark = pytest.mark.xdist_group("escapes")
_INSIDE = {"loopback.example": "127.0.0.1", "private.example": "10.0.0.1", "metadata.example": "169.254.169.254"}
_GOOD = b"good"


class _Front(socketserver.BaseRequestHandler):
    """Answers whatever is said to it, as many hosts behind one address, and hangs up when HTTP asks for that."""

    def handle(self) -> None:
        while said := self.request.recv(1 << 14):
            self.request.sendall(REACHED)
            if b"connection: close" in said.lower():
                return


class _Resolver(socketserver.BaseRequestHandler):
    """Finds every name, as the servers do that carry words in and out."""

    def handle(self) -> None:
        question, answering = self.request
        head = question[:2] + b"\x81\x80\0\1\0\1\0\0\0\0"
        answering.sendto(head + question[12:] + b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4\x7f\0\0\1", self.client_address)


class _Datagrams(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        self.request[1].sendto(REACHED, self.client_address)


class _Threads(socketserver.ThreadingTCPServer):
    daemon_threads = True


@dataclass(frozen=True)
class World:
    """What is outside of the jail, as an attempt in it and one without a jail know it."""

    bare: Facts
    jailed: Facts


def _served(stack: ExitStack, server: socketserver.TCPServer) -> int:
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    stack.callback(server.server_close)
    stack.callback(server.shutdown)
    return int(server.socket.getsockname()[1])


def _fill(web: Web, beside: int) -> None:
    """The operator's index: one good file, one that leads elsewhere, one that is not what its page says."""
    web.page("/kept/secret", REACHED)
    web.page("/kept/good-1.zip", _GOOD)
    web.page("/kept/elsewhere-1.zip", b"", status=302, Location=f"http://127.0.0.1:{beside}/")
    web.page("/kept/poisoned-1.zip", REACHED)
    for name, content in (("good", _GOOD), ("elsewhere", REACHED), ("poisoned", b"the true one")):
        link = f'<a href="/kept/{name}-1.zip#sha256={hashlib.sha256(content).hexdigest()}">{name}-1.zip</a>'
        web.page(f"/simple/{name}/", link.encode(), "text/html")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    patch = pytest.MonkeyPatch()
    real = outside.reach

    async def reach(_: str, port: int, *more: object) -> outside.Streams:
        return await real("127.0.0.1", port, *more)  # type: ignore[arg-type]

    with ExitStack() as stack:
        stack.callback(patch.undo)
        patch.setattr(outside, "look_up", lambda name: [({HOST: PUBLIC} | _INSIDE).get(name, name)])
        patch.setattr(outside, "reach", reach)
        packages = tmp_path_factory.mktemp("packages")
        patch.setattr("sandbox.gate.cache.folder", lambda: packages)
        front = _served(stack, _Threads(("127.0.0.1", 0), _Front))
        elsewhere = stack.enter_context(serving())
        elsewhere.page("/", REACHED)
        web = stack.enter_context(serving())
        _fill(web, elsewhere.port)
        patch.setenv("MINDX_PACKAGE_INDEX", f"{web.url}/simple/")
        bare = Facts(
            names={HOST: "127.0.0.1"} | dict.fromkeys(_INSIDE, "127.0.0.1"),
            address="127.0.0.1",
            port=front,
            beside=_served(stack, _Threads(("127.0.0.1", 0), _Front)),
            datagrams=_served(stack, socketserver.ThreadingUDPServer(("127.0.0.1", 0), _Datagrams)),
            resolver=("127.0.0.1", _served(stack, socketserver.ThreadingUDPServer(("127.0.0.1", 0), _Resolver))),
            index=web.url,
            proxy=f"127.0.0.1:{front}",
        )
        jailed = replace(bare, names={}, address=PUBLIC, resolver=("127.0.0.1", 53), index="", proxy="")
        yield World(bare, jailed)


def _prepare(folder: Path, facts: Facts) -> None:
    shutil.copyfile(gate_program.__file__, folder / "gate_program.py")
    (folder / "facts.json").write_text(json.dumps(asdict(facts)))


@pytest.fixture(scope="module")
def hands(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hands]:
    hosts = [f"{name}:{world.bare.port}" for name in (HOST, *_INSIDE)]
    with hands_with(tmp_path_factory.mktemp("jail") / "w", "packages", *hosts) as hands:
        _prepare(hands.root, world.jailed)
        yield hands


def _words(said: str) -> set[str]:
    return {line.partition(" ")[0] for line in said.splitlines()}


@pytest.mark.parametrize("number", range(len(ROWS)), ids=lambda number: ROWS[number].title)
def test_an_attempt_works_outside_and_is_held_inside(number: int, world: World, hands: Hands, tmp_path: Path) -> None:
    _prepare(tmp_path, world.bare)
    line = [sys.executable, "gate_program.py", "facts.json", str(number)]
    bare = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    if ROWS[number].needs == "root" and os.geteuid() != 0:
        pytest.skip("not provable here: needs root")
    assert {"STARTED", "THROUGH"} <= _words(bare.stdout), f"the attempt proves nothing: {bare}"
    result = hands.run(f"python gate_program.py facts.json {number}")
    words = _words(str(result.data.get("stdout")))
    assert {"STARTED", "CONTROL"} <= words, result
    assert ROWS[number].expect["L3"] == "held"
    assert "STOPPED" in words, result
    assert "THROUGH" not in words, result


def test_a_program_that_ended_has_no_connection_any_more(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with hands_with(tmp_path / "w", f"127.0.0.1:{port}") as hands:
            result = hands.python(
                f"import os, socket\nsocket.create_connection(('127.0.0.1', {port})).sendall(b'x')\nos.fork()"
            )
            assert result.ok, result
            there, _ = server.accept()
            with there:
                there.settimeout(10)
                assert there.recv(9) == b"x"
                assert there.recv(9) == b""
                wait_until(lambda: _hung_up(there), what="the end of the connection")


def _hung_up(there: socket.socket) -> bool:
    try:
        there.sendall(b"y")
    except OSError:
        return True
    return False
