"""The package index of a jail: a small HTTP server that passes on what the operator's index names, and nothing else."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import BinaryIO
from urllib.parse import unquote

import h11

from sandbox.gate import cache, index_address, project
from sandbox.gate.fetching import Answer, Fetcher, NotFetched
from sandbox.gate.index_address import IndexRefused, origin_of
from sandbox.gate.notes import Notes
from sandbox.gate.project import METADATA, File, PageRefused

_BLOCK_BYTES = 1 << 16
_MOST_HEAD_BYTES = 1 << 14
_IDLE_S = 120.0
_MOST_PAGE_BYTES = 32 << 20
_MOST_FILE_BYTES = 1 << 30
_MOST_BYTES = 4 << 30  # a session, over all files
# How often a session may ask the index: enough for any project, too little to leak much data by the names.
_MOST_PAGES = 1000
_MOST_FILES = 100_000
_TEXT = "text/plain; charset=utf-8"


class _Request:
    """A request from the jail: `target` is the path, `json` whether JSON is accepted."""

    def __init__(self, event: h11.Request) -> None:
        self.method = event.method.decode("ascii")
        self.target = event.target.decode("ascii", "backslashreplace")
        self.json = any(
            name == b"accept" and project.JSON_FORM.encode() in value for name, value in event.headers
        )  # fmt: skip


class PackageIndex:
    """Serves the connections of one jail. Remembers what the index named; other files do not exist."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._fetcher: Fetcher | None = None
        self._base = ""
        self._pages: dict[str, list[File]] = {}
        self._files: dict[str, File] = {}
        self._asked = 0
        self._left_bytes = _MOST_BYTES
        self._locks: dict[str, asyncio.Lock] = {}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers one request after the other until the client disconnects or is no longer valid HTTP."""
        connection = h11.Connection(h11.SERVER, max_incomplete_event_size=_MOST_HEAD_BYTES)
        reply = _Reply(connection, writer)
        with suppress(TimeoutError):
            while True:
                try:
                    request = await _request(connection, reader)
                except h11.RemoteProtocolError as error:
                    if connection.our_state in (h11.IDLE, h11.SEND_RESPONSE):
                        await reply.text(error.error_status_hint, "this is no request that can be read")
                    return
                if request is None:
                    return
                await self._answer(request, reply)
                if connection.our_state is not h11.DONE or connection.their_state is not h11.DONE:
                    return
                connection.start_next_cycle()

    async def _answer(self, request: _Request, reply: _Reply) -> None:
        reply.bodiless = request.method == "HEAD"
        if request.method not in ("GET", "HEAD") or not request.target.startswith("/"):
            self._note_elsewhere(request.target)
            await reply.text(405, "only pages and files of the package index can be had here", last=True)
            return
        try:
            await self._give(request, reply)
        except NotFetched as error:
            await reply.text(error.status, str(error))
        except (IndexRefused, PageRefused) as error:
            await reply.text(502, str(error))

    async def _give(self, request: _Request, reply: _Reply) -> None:
        match request.target.split("/"):
            case ["", "simple", asked, ""] if name := project.normal(unquote(asked)):
                files = await self._page(name)
                if request.json:
                    await reply.whole(200, project.JSON_FORM, project.as_json(name, files))
                else:
                    await reply.whole(200, project.HTML_FORM, project.as_html(name, files))
            case ["", "files", _, _] if (file := self._files.get(request.target.removesuffix(METADATA))) is not None:
                await self._give_file(file, request, reply)
            case _:
                await reply.text(404, "the package index of this session has named no such thing")

    async def _page(self, name: str) -> list[File]:
        """The files of a project, asked for once in a session. Raises NotFetched, IndexRefused, PageRefused."""
        async with self._locks.setdefault(name, asyncio.Lock()):
            if name not in self._pages:
                self._asked += 1
                if self._asked > _MOST_PAGES or len(self._files) > _MOST_FILES:
                    raise NotFetched("this session has asked the package index for more than it may", 403)
                fetcher = self._fetcher_of_index()
                async with fetcher.get(f"{self._base}{name}/", project.ASKED_FORMS) as answer:
                    content = await answer.whole(_MOST_PAGE_BYTES)
                found = project.read(content, answer.headers.get("content-type", ""), answer.url)
                self._pages[name] = [file for file in found if _named(fetcher, file)]
                self._files |= {file.place: file for file in self._pages[name]}
            return self._pages[name]

    def _fetcher_of_index(self) -> Fetcher:
        if self._fetcher is None:
            address = index_address.find()
            self._fetcher, self._base = Fetcher(address), address.url
        return self._fetcher

    async def _give_file(self, file: File, request: _Request, reply: _Reply) -> None:
        metadata = request.target.endswith(METADATA)
        sha256 = file.metadata_sha256 if metadata else file.sha256
        if sha256 is None:
            raise NotFetched("the package index has no metadata for this file", 404)
        held, cached = await self._held(file.url + (METADATA if metadata else ""), sha256, file.name)
        with held:
            size = os.fstat(held.fileno()).st_size
            if request.method == "GET" and not metadata:
                self._notes.downloaded(file.name, sha256, size, cached)
            await reply.file(held, size)

    async def _held(self, url: str, sha256: str, name: str) -> tuple[BinaryIO, bool]:
        """The verified file, open, and whether it was there already. Raises NotFetched."""
        place = cache.folder()
        async with self._locks.setdefault(sha256, asyncio.Lock()):
            if (found := await cache.find(place, sha256)) is not None:
                return found, True
            try:
                async with self._fetcher_of_index().get(url) as answer:
                    return await cache.keep(place, sha256, self._counted(answer)), False
            except cache.WrongContent:
                origin = origin_of(url)
                why = f"{name} is not the file that the package index names: its SHA-256 is another"
                self._notes.refused(origin.host, origin.port, why)
                raise NotFetched(why, 403) from None
            except OSError as error:
                raise NotFetched(f"{name} could not be kept: {error.strerror}", 500) from error

    async def _counted(self, answer: Answer) -> AsyncIterator[bytes]:
        size = 0
        async for block in answer.blocks():
            size += len(block)
            self._left_bytes -= len(block)
            if size > _MOST_FILE_BYTES:
                raise NotFetched(f"a file is larger than {_MOST_FILE_BYTES:,} bytes", 403)
            if self._left_bytes < 0:
                raise NotFetched(f"the session has downloaded {_MOST_BYTES:,} bytes, which is the most", 403)
            yield block

    def _note_elsewhere(self, target: str) -> None:
        """For a request in proxy form, the host that it wanted."""
        with suppress(ValueError):
            origin = origin_of(target if "://" in target else f"https://{target}")
            self._notes.refused(origin.host, origin.port)


class _Reply:
    """Writes answers on one connection."""

    def __init__(self, connection: h11.Connection, writer: asyncio.StreamWriter) -> None:
        self._connection, self._writer = connection, writer
        self.bodiless = False

    async def text(self, status: int, text: str, last: bool = False) -> None:
        await self.whole(status, _TEXT, f"{text}\n".encode(), last)

    async def whole(self, status: int, kind: str, content: bytes, last: bool = False) -> None:
        await self._head(status, kind, len(content), last)
        if not self.bodiless:
            await self._send(h11.Data(data=content))
        await self._send(h11.EndOfMessage())

    async def file(self, file: BinaryIO, size: int) -> None:
        await self._head(200, "application/octet-stream", size)
        while not self.bodiless and (block := file.read(_BLOCK_BYTES)):
            await self._send(h11.Data(data=block))
        await self._send(h11.EndOfMessage())

    async def _head(self, status: int, kind: str, size: int, last: bool = False) -> None:
        headers = [("Content-Type", kind), ("Content-Length", str(size))]
        if last:
            headers.append(("Connection", "close"))
        await self._send(h11.Response(status_code=status, headers=headers))

    async def _send(self, event: h11.Event) -> None:
        self._writer.write(self._connection.send(event) or b"")
        async with asyncio.timeout(_IDLE_S):
            await self._writer.drain()


async def _request(connection: h11.Connection, reader: asyncio.StreamReader) -> _Request | None:
    """The next request, once all of it is there; None when there is none. Raises h11.RemoteProtocolError."""
    request: _Request | None = None
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            async with asyncio.timeout(_IDLE_S):
                connection.receive_data(await reader.read(_BLOCK_BYTES))
        elif isinstance(event, h11.Request):
            request = _Request(event)
            if request.method not in ("GET", "HEAD"):
                return request  # the body is ignored
        elif isinstance(event, h11.EndOfMessage):
            return request
        elif not isinstance(event, h11.Data):
            return None


def _named(fetcher: Fetcher, file: File) -> bool:
    try:
        fetcher.name(file.url)
    except ValueError:
        return False
    return True
