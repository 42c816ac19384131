"""A proxy in front of Postgres that loses replies: it hands on what a client says and cuts before the answer."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Proxy:
    """`lose` words after which the reply is lost; `left` how often still; `lost` how often it happened."""

    folder: Path
    server: Path
    lose: tuple[bytes, ...] = ()
    left: int = 0
    lost: list[bytes] = field(default_factory=list)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_unix_connection(str(self.server))
        losing = asyncio.Event()

        async def there() -> None:
            while data := await reader.read(65536):
                found = next((word for word in self.lose if word in data), None)
                if found is not None and self.left > 0:
                    self.left -= 1
                    self.lost.append(found)
                    losing.set()
                far_writer.write(data)
                await far_writer.drain()

        async def back() -> None:
            while data := await far_reader.read(65536):
                if losing.is_set():  # the server has answered, so it is done; the answer ends here
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
