"""A world outside the jail, on this machine's loopback: hosts to reach, and a package index with real wheels."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from sandbox.contract import SessionState
from sandbox.gate import outside
from sandbox.sessions.session import open_session
from tests.sandbox.conftest import Hands

PUBLIC = "93.184.216.34"  # an address of the internet that the tests lead back to this machine


def wheel(name: str, version: str, module: str, requires: str = "") -> bytes:
    """A wheel with one module, as an installer wants it."""
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += f"Requires-Dist: {requires}\n" if requires else ""
    files = {
        f"{name}.py": module,
        f"{info}/METADATA": metadata,
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{path},{_digest(text)},{len(text)}\n" for path, text in files.items())
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return made.getvalue()


def _digest(text: str) -> str:
    made = hashlib.sha256(text.encode()).digest()
    return "sha256=" + base64.urlsafe_b64encode(made).decode().rstrip("=")


class Web:
    """A server whose answers are set by path: (status, content type, body, other headers)."""

    def __init__(self) -> None:
        self.pages: dict[str, tuple[int, str, bytes, dict[str, str]]] = {}
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        web = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                web.asked.append(
                    (self.command, self.path, {name.lower(): value for name, value in self.headers.items()})
                )
                status, kind, body, more = web.pages.get(self.path, (404, "text/plain", b"", {}))
                self.send_response(status)
                for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **more}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}"

    def page(self, path: str, body: bytes, kind: str = "text/plain", status: int = 200, **more: str) -> None:
        self.pages[path] = (status, kind, body, more)

    def package(self, name: str, files: dict[str, bytes], said: dict[str, str] | None = None) -> None:
        """A project's page, by JSON, and its files; `said` are hashes that it claims in place of the true ones."""
        told = [
            {
                "filename": file,
                "url": f"{self.url}/kept/{file}",
                "hashes": {"sha256": (said or {}).get(file) or hashlib.sha256(content).hexdigest()},
            }
            for file, content in files.items()
        ]
        page = json.dumps({"meta": {"api-version": "1.0"}, "name": name, "files": told}).encode()
        self.page(f"/simple/{name}/", page, "application/vnd.pypi.simple.v1+json")
        for file, content in files.items():
            self.page(f"/kept/{file}", content)


@contextmanager
def serving() -> Iterator[Web]:
    web = Web()
    thread = threading.Thread(target=web.server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield web
    finally:
        web.server.shutdown()
        web.server.server_close()
        thread.join()


@pytest.fixture
def web() -> Iterator[Web]:
    with serving() as made:
        yield made


@pytest.fixture
def index(web: Web, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Web:
    """The operator's index, whose address has a password in it, and a cache of its own."""
    monkeypatch.setenv("MINDX_PACKAGE_INDEX", f"http://operator:hunter2@127.0.0.1:{web.port}/simple/")
    packages = tmp_path / "packages"
    packages.mkdir()
    monkeypatch.setattr("sandbox.gate.cache.folder", lambda: packages)
    return web


@contextmanager
def hands_with(root: Path, *hosts: str, state: SessionState = SessionState()) -> Iterator[Hands]:  # noqa: B008
    root.mkdir(exist_ok=True)
    with open_session(root, state, hosts=hosts) as session:
        yield Hands(session, root)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What names lead to; the one public address is led back to this machine."""
    names: dict[str, str] = {}
    real = outside.reach

    async def reach(address: str, port: int, *more: object) -> outside.Streams:
        return await real("127.0.0.1" if address == PUBLIC else address, port, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(outside, "look_up", lambda name: [names.get(name, name)])
    monkeypatch.setattr(outside, "reach", reach)
    return names
