"""A proxy in front of Postgres that loses replies: it hands on what a client says and cuts before the answer.

It reads what the client says message by message, because the executor's statements are prepared: their text goes over
the connection once, and what runs them names them only. A reply to the mere text would be a loss of nothing.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Said:
    """What one client says. `run` are the texts of the statements that it runs, as far as they have come whole."""

    _rest: bytes = b""
    _started: bool = False
    _prepared: dict[bytes, bytes] = field(default_factory=dict)

    def run(self, data: bytes) -> list[bytes]:
        """The statements that these bytes complete. The first message of a connection has no letter before it."""
        self._rest += data
        found: list[bytes] = []
        while True:
            head = 1 if self._started else 0
            if len(self._rest) < head + 4:
                return found
            end = head + int.from_bytes(self._rest[head : head + 4], "big")
            if len(self._rest) < end:
                return found
            letter, body = self._rest[:head], self._rest[head + 4 : end]
            self._rest, self._started = self._rest[end:], True
            if letter == b"P":  # parse: name, text
                name, text, *_ = body.split(b"\0", 2)
                self._prepared[name] = text
            elif letter == b"B":  # bind: portal, name
                found.append(self._prepared[body.split(b"\0", 2)[1]])
            elif letter == b"Q":
                found.append(body)


@dataclass
class Proxy:
    """`lose`: words of statements that a connection runs one after another; the reply to the last is lost.

    `left` is how often still, `lost` what each reply began with that was lost.
    """

    folder: Path
    server: Path
    lose: tuple[bytes, ...] = ()
    left: int = 0
    lost: list[bytes] = field(default_factory=list)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_unix_connection(str(self.server))
        losing, said, seen = asyncio.Event(), Said(), 0

        async def there() -> None:
            nonlocal seen
            while data := await reader.read(65536):
                for text in said.run(data):
                    seen += self.left > 0 and self.lose[seen] in text
                    if seen and seen == len(self.lose):
                        seen = 0
                        self.left -= 1
                        losing.set()
                far_writer.write(data)
                await far_writer.drain()

        async def back() -> None:
            while data := await far_reader.read(65536):
                if losing.is_set():  # the server has answered, so it is done; the answer ends here
                    self.lost.append(data[:1])
                    return
                writer.write(data)
                await writer.drain()

        both = [asyncio.create_task(there()), asyncio.create_task(back())]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        for task in both:
            task.cancel()
        for end in (writer, far_writer):
            with suppress(OSError):
                end.close()


@contextmanager
def proxy(folder: Path, server: Path) -> Iterator[Proxy]:
    """Listen below `folder` as Postgres does, in front of the socket `server`."""
    found = Proxy(folder, server)
    loop = asyncio.new_event_loop()
    ready = threading.Event()

    async def run() -> None:
        await asyncio.start_unix_server(found._serve, path=str(folder / server.name))
        ready.set()

    def live() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(run())
        loop.run_forever()

    thread = threading.Thread(target=live, daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield found
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=10)
