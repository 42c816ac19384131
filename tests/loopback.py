"""A host and a package index on this machine's loopback, with a wheel that the test makes itself."""

from __future__ import annotations

import hashlib
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

# What the starter rules ask of httpx, and no more.
_HTTPX = """\
from urllib.request import urlopen


class Answer:
    def __init__(self, status_code):
        self.status_code = status_code


def get(address, timeout):
    with urlopen(address, timeout=timeout) as answer:
        return Answer(answer.status)
"""


@dataclass
class Host:
    """A server that answers the paths it knows, and remembers every path that was asked for."""

    port: int
    pages: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """As an entry of a list of hosts."""
        return f"127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        """Without a slash at its end."""
        return f"http://{self.name}"


@contextmanager
def host(pages: dict[str, bytes]) -> Iterator[Host]:
    """Serve these paths on a free port of the loopback."""
    found = Host(0, pages)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.asked.append(self.path)
            body = found.pages.get(self.path)
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Type", "text/html" if self.path.endswith("/") else "application/octet-stream")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield found
        server.shutdown()


def wheel(folder: Path, name: str = "httpx", version: str = "0.28.1", code: str = _HTTPX) -> Path:
    """Make a wheel with one module."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    about = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": code,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{file},,\n" for file in (*files, f"{about}/RECORD"))
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in (files | {f"{about}/RECORD": record}).items():
            archive.writestr(file, text)
    return path


def index_pages(*wheels: Path) -> dict[str, bytes]:
    """The pages of a simple package index that has these wheels, below /simple/."""
    pages: dict[str, bytes] = {}
    for path in wheels:
        data = path.read_bytes()
        name = path.name.partition("-")[0]
        link = f'<a href="../../files/{path.name}#sha256={hashlib.sha256(data).hexdigest()}">{path.name}</a>'
        pages |= {f"/simple/{name}/": f"<!DOCTYPE html><body>{link}</body>".encode(), f"/files/{path.name}": data}
    return pages
