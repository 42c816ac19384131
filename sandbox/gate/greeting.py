"""The host that a connection is for, from its first bytes. Pure.

Many hosts share an address, and only the connection itself says which one is meant: TLS in the clear part of its first
message (RFC 8446 section 4.1.2, RFC 6066 section 3), HTTP in its Host header.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass

import h11

MOST_BYTES = 1 << 15
_HANDSHAKE, _CLIENT_HELLO = 0x16, 1
_SERVER_NAME, _ENCRYPTED_HELLO = 0, 0xFE0D
_REQUEST_LINE = re.compile(rb"[!-~]+ [!-~]+ HTTP/1\.[01]\r?\Z")
_NEITHER = "it is neither TLS nor HTTP"
_ENDS_WITH_CONNECTION = (b"connection", b"keep-alive", b"proxy-connection")


class NotUnderstood(ValueError):
    """First bytes that are neither TLS with a server name nor an HTTP request; the message says what they are."""


@dataclass(frozen=True)
class Greeting:
    """The host that is meant, its port if given, and the bytes to forward in place of the first ones."""

    host: str
    port: int | None
    onward: bytes


def read(data: bytes) -> Greeting | None:
    """Understands the bytes so far; None when more are needed. Raises NotUnderstood."""
    if not data:
        return None
    found = _tls(data) if data[0] == _HANDSHAKE else _http(data)
    if found is None and len(data) >= MOST_BYTES:
        raise NotUnderstood(f"its first {MOST_BYTES:,} bytes do not say which host is meant")
    return found


def _tls(data: bytes) -> Greeting | None:
    hello, at = b"", 0
    while at + 5 <= len(data):
        kind, _, length = struct.unpack_from("!BHH", data, at)
        if kind != _HANDSHAKE:
            raise NotUnderstood("it begins like TLS and goes on like something else")
        hello += data[at + 5 : at + 5 + length]
        at += 5 + length
        if len(hello) >= 4 and len(hello) >= 4 + int.from_bytes(hello[1:4]):
            name = _server_name(hello)
            return Greeting(name, None, data)
    return None


def _server_name(hello: bytes) -> str:
    try:
        extensions = _extensions(hello)
        if _ENCRYPTED_HELLO in extensions:
            raise NotUnderstood("TLS hides which host is meant (encrypted client hello)")
        name = extensions[_SERVER_NAME]
        kind, length = struct.unpack_from("!BH", name, 2)
        if kind != 0 or len(name) != 5 + length:
            raise NotUnderstood("TLS names more than one host")
        return name[5:].decode("ascii").lower()
    except KeyError:
        raise NotUnderstood("TLS does not say which host is meant (no server name)") from None
    except (struct.error, IndexError, UnicodeDecodeError):
        raise NotUnderstood("it begins like TLS and cannot be read") from None


def _extensions(hello: bytes) -> dict[int, bytes]:
    """The extensions of a client hello by number. Raises NotUnderstood for two of one number."""
    if hello[0] != _CLIENT_HELLO:
        raise NotUnderstood("TLS does not begin with a hello")
    at = 4 + 2 + 32
    at += 1 + hello[at]  # session id
    at += 2 + int.from_bytes(hello[at : at + 2])  # ciphers
    at += 1 + hello[at]  # compressions
    end = at + 2 + int.from_bytes(hello[at : at + 2])
    at += 2
    found: dict[int, bytes] = {}
    while at < end:
        number, length = struct.unpack_from("!HH", hello, at)
        if number in found:
            raise NotUnderstood("TLS says the same thing twice")
        found[number] = hello[at + 4 : at + 4 + length]
        at += 4 + length
    return found


def _http(data: bytes) -> Greeting | None:
    """One request for each connection: a later one on the same could name another host, and is never read."""
    line, ended, _ = data.partition(b"\n")
    if ended and not _REQUEST_LINE.match(line):
        raise NotUnderstood(_NEITHER)  # answer now: a client with another protocol would wait for an answer
    parser = h11.Connection(h11.SERVER, max_incomplete_event_size=MOST_BYTES)
    try:
        parser.receive_data(data)
        request = parser.next_event()
    except h11.RemoteProtocolError as error:
        raise NotUnderstood(_NEITHER) from error
    if not isinstance(request, h11.Request):
        return None
    if not request.target.startswith(b"/") and request.target != b"*":
        raise NotUnderstood("HTTP asks for more than a path, as of a proxy")
    hosts = [value for name, value in request.headers if name == b"host"]
    if len(hosts) != 1:
        raise NotUnderstood("HTTP does not say which host is meant (no Host header)")
    host, _, port = hosts[0].decode("ascii", "backslashreplace").lower().partition(":")
    if not port.isdecimal() and port:
        raise NotUnderstood("HTTP names a host that cannot be read")
    return Greeting(host, int(port) if port else None, _one_request(request) + parser.trailing_data[0])


def _one_request(request: h11.Request) -> bytes:
    """The head of a request, rewritten so that all parsers agree on it, and so that the connection ends after it."""
    upgrades = any(name == b"connection" and b"upgrade" in value.lower() for name, value in request.headers)
    lines = [request.method + b" " + request.target + b" HTTP/" + request.http_version]
    lines += [
        name + b": " + value for name, value in request.headers.raw_items() if name.lower() not in _ENDS_WITH_CONNECTION
    ]
    lines.append(b"Connection: " + (b"upgrade, close" if upgrades else b"close"))
    return b"\r\n".join([*lines, b"", b""])
