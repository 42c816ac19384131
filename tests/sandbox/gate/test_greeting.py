"""Whom a connection is for, from what real clients say first, and from what others could say."""

from __future__ import annotations

import contextlib
import functools
import ssl
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.gate.greeting import MOST_BYTES, NotUnderstood, read


@functools.cache
def _context() -> ssl.SSLContext:
    """Made once: reading the certificates of all the world takes longer than all the rest of a test."""
    context = ssl.create_default_context()
    context.check_hostname = False
    return context


def hello(name: str | None) -> bytes:
    """The first bytes of Python's own TLS towards a host."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    side = _context().wrap_bio(incoming, outgoing, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        side.do_handshake()
    return outgoing.read()


def _with_extension(whole: bytes, number: int) -> bytes:
    """A hello with one more, empty extension."""
    added = struct.pack("!HH", number, 0)
    body = bytearray(whole[9:])
    at = 2 + 32
    at += 1 + body[at]
    at += 2 + int.from_bytes(body[at : at + 2])
    at += 1 + body[at]
    length = int.from_bytes(body[at : at + 2])
    body[at : at + 2] = struct.pack("!H", length + len(added))
    message = b"\1" + len(bytes(body) + added).to_bytes(3) + bytes(body) + added
    return b"\x16\x03\x01" + struct.pack("!H", len(message)) + message


def test_tls_says_the_name_and_goes_on_unchanged() -> None:
    said = hello("Example.org")
    found = read(said)
    assert found is not None
    assert (found.host, found.port, found.onward) == ("example.org", None, said)


@given(st.data())
def test_tls_that_comes_in_pieces_is_waited_for(data: st.DataObject) -> None:
    said = hello("example.org")
    assert read(said[: data.draw(st.integers(0, len(said) - 1))]) is None


def test_tls_in_two_records_is_put_together() -> None:
    said = hello("example.org")
    message = said[5:]
    parts = b"".join(b"\x16\x03\x01" + struct.pack("!H", len(each)) + each for each in (message[:70], message[70:]))
    found = read(parts)
    assert found is not None
    assert (found.host, found.onward) == ("example.org", parts)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (hello(None), "no server name"),
        (_with_extension(hello("example.org"), 0xFE0D), "hides"),
        (_with_extension(hello("example.org"), 0), "twice"),
        (b"\x16\x03\x01\0\x04\2\0\0\0", "does not begin with a hello"),
        (b"\x16\x03\x01\0\x04\1\0\0\0", "cannot be read"),
        (b"\x16\x03\x01\0\x01\1\x17\x03\x03\0\0", "goes on like something else"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "neither TLS nor HTTP"),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "neither TLS nor HTTP"),
        (b"GET / HTTP/1.0\r\n\r\n", "no Host header"),
        (b"GET / HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n", "neither TLS nor HTTP"),
        (b"GET http://other.example/ HTTP/1.1\r\nHost: example.org\r\n\r\n", "more than a path"),
        (b"CONNECT other.example:443 HTTP/1.1\r\nHost: example.org\r\n\r\n", "more than a path"),
        (b"GET / HTTP/1.1\r\nHost: example.org:x\r\n\r\n", "cannot be read"),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * MOST_BYTES, "neither TLS nor HTTP"),
        (b"\x16\x03\x01\xff\xff" + b"\1\xff\xff\xff" + b"x" * MOST_BYTES, "do not say"),
    ],
    # A hello holds random bytes, and a test has to be called the same by every worker.
    ids=lambda value: value if isinstance(value, str) else "said",
)
def test_what_does_not_say_one_host_clearly_is_not_understood(said: bytes, why: str) -> None:
    with pytest.raises(NotUnderstood, match=why):
        read(said)


def test_http_says_the_name_and_the_port() -> None:
    found = read(b"GET /a HTTP/1.1\r\nHost: Example.org:8080\r\n\r\n")
    assert found is not None
    assert (found.host, found.port) == ("example.org", 8080)


def test_http_is_sent_on_as_the_only_request_of_its_connection() -> None:
    first = b"POST /a HTTP/1.1\r\nHost: example.org\r\nconnection: keep-alive\r\nContent-Length: 2\r\n\r\nab"
    second = b"GET / HTTP/1.1\r\nHost: other.example\r\n\r\n"
    found = read(first + second)
    assert found is not None
    head, _, body = found.onward.partition(b"\r\n\r\n")
    assert head == b"POST /a HTTP/1.1\r\nHost: example.org\r\nContent-Length: 2\r\nConnection: close"
    assert body == b"ab" + second  # which a server that closes after its answer never reads


def test_http_that_changes_to_another_protocol_still_ends_after_one_request() -> None:
    found = read(b"GET / HTTP/1.1\r\nHost: example.org\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
    assert found is not None
    assert b"Upgrade: websocket\r\nConnection: upgrade, close\r\n\r\n" in found.onward


@given(st.binary(max_size=200))
def test_no_bytes_get_it_out_of_step(noise: bytes) -> None:
    for said in (noise, b"\x16\x03\x01" + noise, hello("example.org")[:60] + noise):
        with contextlib.suppress(NotUnderstood):
            read(said)
