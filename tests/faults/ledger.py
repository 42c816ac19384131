"""An outside ledger: a server on the loopback that steps report to, so that what they did is known without mindX.

A step opens one connection, names its key ("begin"), waits for the word to go on and says "end". A connection that
closes without an "end" is a step that was ended in the middle; nothing of mindX has to be believed for that.
"""

from __future__ import annotations

import select
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Visit:
    """One time that a step was really under way. Times are the machine's, seconds since 1970."""

    key: str
    began: float
    ended: float | None = None
    closed: float | None = None
    # Set: the step may go on to its end.
    go: threading.Event = field(default_factory=threading.Event)

    @property
    def cut_off(self) -> bool:
        """Begun, and never to end."""
        return self.closed is not None and self.ended is None


class Ledger:
    """Every visit in the order of its beginning. `held` says of a new visit whether it waits for `go`."""

    def __init__(self, address: str = "127.0.0.1") -> None:
        self.address, self.port = address, 0
        self.held: Callable[[Visit], bool] = lambda visit: False
        self._visits: list[Visit] = []
        self._lock = threading.Lock()

    @property
    def visits(self) -> list[Visit]:
        """All of them so far."""
        with self._lock:
            return list(self._visits)

    def of(self, key: str) -> list[Visit]:
        """The visits under a key."""
        return [visit for visit in self.visits if visit.key == key]

    def effects(self, prefix: str) -> set[str]:
        """What the outside world holds: a key that came twice took effect once."""
        return {visit.key for visit in self.visits if visit.key.startswith(prefix)}

    def step(self, key: str, letter: str) -> dict[str, Any]:
        """A step that appends one letter to `bytes`, then visits the ledger under the key."""
        program = (
            f'import socket; open("bytes","ab").write(b"{letter}");'
            f' s=socket.create_connection(("{self.address}",{self.port})).makefile("rw");'
            f' print("{key}",file=s,flush=True); s.readline(); print("end",file=s,flush=True); s.readline()'
        )
        params = {"command_line": f"python -c '{program}'", "hosts": [f"{self.address}:{self.port}"], "timeout_s": 120}
        return {"tool": "simple_coder", "command": "run", "params": params}

    def _take(self, key: str) -> Visit:
        visit = Visit(key, time.time())
        if not self.held(visit):
            visit.go.set()
        with self._lock:
            self._visits.append(visit)
        return visit


def _talk(ledger: Ledger, connection: socket.socket) -> None:
    lines = connection.makefile("rw")
    visit = ledger._take(lines.readline().strip())
    try:
        while not visit.go.wait(0.02):
            if select.select([connection], [], [], 0)[0]:  # nothing is said here: the other end has gone
                return
        print("go", file=lines, flush=True)
        if lines.readline().strip() == "end":
            visit.ended = time.time()
            print("ok", file=lines, flush=True)
    except OSError:
        return
    finally:
        visit.closed = time.time()


@contextmanager
def ledger(address: str = "127.0.0.1") -> Iterator[Ledger]:
    """Serve a ledger on a free port."""
    found = Ledger(address)

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            _talk(found, self.request)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        request_queue_size = 64

    with Server((address, 0), Handler) as server:
        found.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield found
        server.shutdown()
