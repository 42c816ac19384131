"""Fetching from the operator's index, and from the hosts that it names, as a plain client of HTTP/1.1."""

from __future__ import annotations

import ssl
from asyncio import StreamReader, timeout
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urljoin, urlsplit

import h11

from sandbox.gate import outside
from sandbox.gate.index_address import IndexAddress, Origin, origin_of
from sandbox.gate.outside import NoWay

_BLOCK_BYTES = 1 << 16
_READ_S = 60.0
_MOST_REDIRECTS = 5
_MOST_HEAD_BYTES = 1 << 16
_REDIRECTS = (301, 302, 303, 307, 308)


class NotFetched(Exception):
    """A fetch failed; the message is for people and contains no secret. `status` is the status to answer."""

    def __init__(self, reason: str, status: int = 502) -> None:
        super().__init__(reason)
        self.status = status


class Answer:
    """A successful answer: its final address, its headers, and its body block by block."""

    def __init__(self, url: str, response: h11.Response, connection: h11.Connection, reader: StreamReader) -> None:
        self.url = url
        self.headers = {name.decode("ascii"): value.decode("latin-1") for name, value in response.headers}
        self._connection, self._reader = connection, reader

    async def blocks(self) -> AsyncIterator[bytes]:
        while True:
            event = await _event(self._connection, self._reader)
            if isinstance(event, h11.EndOfMessage):
                return
            if isinstance(event, h11.Data):
                yield bytes(event.data)

    async def whole(self, most_bytes: int) -> bytes:
        content = bytearray()
        async for block in self.blocks():
            content += block
            if len(content) > most_bytes:
                raise NotFetched(f"the answer is longer than {most_bytes:,} bytes")
        return bytes(content)


class Fetcher:
    """Knows the index, the hosts that it named, and the credentials for each."""

    def __init__(self, index: IndexAddress) -> None:
        self._index = index
        self._named = {index.origin.host}
        self._tls: ssl.SSLContext | None = None
        self._in_private: bool | None = None

    def name(self, url: str) -> None:
        """Adds a host that the index named. Raises ValueError if nothing may be fetched from there."""
        origin = origin_of(url)
        if not self._index.lets(origin):
            raise ValueError("not encrypted")
        self._named.add(origin.host)

    @asynccontextmanager
    async def get(self, url: str, accept: str = "*/*") -> AsyncIterator[Answer]:
        """The answer with status 200 that `url` leads to. Raises NotFetched."""
        for _ in range(_MOST_REDIRECTS + 1):
            async with self._exchange(url, accept) as (response, connection, reader):
                if response.status_code == 200:
                    yield Answer(url, response, connection, reader)
                    return
                if response.status_code not in _REDIRECTS:
                    status = 404 if response.status_code in (404, 410) else 502
                    raise NotFetched(f"{urlsplit(url).hostname} answered {response.status_code}", status)
                headers = dict(response.headers)
            url = urljoin(url, headers.get(b"location", b"").decode("latin-1"))
        raise NotFetched("there were too many redirects")

    @asynccontextmanager
    async def _exchange(
        self, url: str, accept: str
    ) -> AsyncIterator[tuple[h11.Response, h11.Connection, StreamReader]]:
        origin = self._allowed(url)
        reader, writer = await self._connect(origin)
        try:
            connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MOST_HEAD_BYTES)
            try:
                request = h11.Request(method="GET", target=_target(url), headers=self._headers(origin, accept))
                writer.write((connection.send(request) or b"") + (connection.send(h11.EndOfMessage()) or b""))
                event = await _event(connection, reader)
                while isinstance(event, h11.InformationalResponse):
                    event = await _event(connection, reader)
            except h11.LocalProtocolError as error:
                raise NotFetched("the address cannot be asked for") from error
            if not isinstance(event, h11.Response):
                raise NotFetched(f"{origin.host} gave no answer")
            yield event, connection, reader
        finally:
            writer.transport.abort()

    def _allowed(self, url: str) -> Origin:
        try:
            origin = origin_of(url)
        except ValueError as error:
            raise NotFetched("an address leads out of the web", 403) from error
        if not self._index.lets(origin):
            raise NotFetched(f"{origin.host} is not encrypted (https)", 403)
        if origin.host not in self._named:
            raise NotFetched(f"{origin.host} is no host that the package index names", 403)
        return origin

    def _headers(self, origin: Origin, accept: str) -> list[tuple[str, str]]:
        default = (origin.scheme, origin.port) in (("https", 443), ("http", 80))
        host = f"[{origin.host}]" if ":" in origin.host else origin.host
        headers = [
            ("Host", host if default else f"{host}:{origin.port}"),
            ("User-Agent", "mindX"),
            ("Accept", accept),
            ("Accept-Encoding", "identity"),
            ("Connection", "close"),
        ]
        if self._index.authorization and origin == self._index.origin:
            headers.append(("Authorization", self._index.authorization))
        return headers

    async def _connect(self, origin: Origin) -> outside.Streams:
        try:
            wanted = await self._addresses(origin.host)
            return await outside.reach_one(wanted, origin.port, self._tls_of(origin), origin.host)
        except NoWay as no_way:
            raise NotFetched(f"{origin.host} cannot be reached: {no_way}", 403 if no_way.refused else 502) from no_way

    async def _addresses(self, host: str) -> list[str]:
        """Other hosts must be public: a page must not lead into the operator's network, unless the index is there."""
        if self._in_private is None:
            found = await outside.addresses(self._index.origin.host)
            self._in_private = not all(outside.is_public(each) for each in found)
        if self._in_private or host == self._index.origin.host:
            return await outside.addresses(host)
        return await outside.public_addresses(host)

    def _tls_of(self, origin: Origin) -> ssl.SSLContext | None:
        if origin.scheme != "https":
            return None
        if self._tls is None:
            self._tls = self._index.tls
        return self._tls


async def _event(connection: h11.Connection, reader: StreamReader) -> object:
    """The next HTTP event. Raises NotFetched if the connection ends, or it is not HTTP."""
    while True:
        try:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                async with timeout(_READ_S):
                    connection.receive_data(await reader.read(_BLOCK_BYTES))
                continue
        except h11.RemoteProtocolError as error:
            raise NotFetched("the answer is incomplete, or not HTTP") from error
        except (OSError, TimeoutError) as error:
            raise NotFetched("the answer stopped coming") from error
        if isinstance(event, h11.ConnectionClosed):
            raise NotFetched("the answer stopped coming")
        return event


def _target(url: str) -> str:
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
