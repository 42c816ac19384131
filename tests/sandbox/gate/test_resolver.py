"""What the jail's name server answers."""

from __future__ import annotations

import socket
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.gate.resolver import answer

NAMES = {"example.org": "127.77.0.2"}
_A, _AAAA, _TXT = 1, 28, 16


def _question(name: str, kind: int = _A, flags: int = 0x0100, count: int = 1) -> bytes:
    labels = b"".join(bytes([len(each)]) + each.encode() for each in name.split("."))
    return struct.pack("!6H", 7, flags, count, 0, 0, 0) + labels + b"\0" + struct.pack("!HH", kind, 1)


def _codes(reply: bytes | None) -> tuple[int, int]:
    """The result code and the number of answers."""
    assert reply is not None
    assert reply[:2] == b"\0\7"
    return reply[3] & 0xF, struct.unpack_from("!H", reply, 6)[0]


@pytest.mark.parametrize("name", ["example.org", "EXAMPLE.Org"])
def test_an_approved_name_has_its_address_in_the_jail(name: str) -> None:
    reply, refused = answer(_question(name), NAMES)
    assert _codes(reply) == (0, 1)
    assert reply is not None
    assert reply.endswith(socket.inet_aton("127.77.0.2"))
    assert refused is None


@pytest.mark.parametrize("kind", [_AAAA, _TXT])
def test_an_approved_name_has_nothing_else(kind: int) -> None:
    reply, refused = answer(_question("example.org", kind), NAMES)
    assert _codes(reply) == (0, 0)
    assert refused is None


@pytest.mark.parametrize("name", ["pypi.org", "a.example.org", "org", "secret.tunnel.example"])
def test_any_other_name_does_not_exist_and_is_told(name: str) -> None:
    reply, refused = answer(_question(name), NAMES)
    assert _codes(reply) == (3, 0)
    assert refused == name


def test_the_name_of_an_address_does_not_exist_and_is_not_told() -> None:
    reply, refused = answer(_question("1.0.0.127.in-addr.arpa", 12), NAMES)
    assert _codes(reply) == (3, 0)
    assert refused is None


@pytest.mark.parametrize(
    "question",
    [
        b"",
        b"x" * 11,
        _question("example.org")[:-3],
        _question("example.org", flags=0x8000),
        _question("example.org", count=2),
        struct.pack("!6H", 7, 0, 1, 0, 0, 0) + b"\xc0\x0c\0\1\0\1",
    ],
    ids=["nothing", "half a head", "cut off", "an answer", "two questions", "a name that points"],
)
def test_what_is_no_question_gets_no_answer(question: bytes) -> None:
    assert answer(question, NAMES) == (None, None)


@given(st.binary(max_size=300))
def test_no_bytes_get_it_out_of_step(noise: bytes) -> None:
    for question in (noise, _question("example.org")[:12] + noise):
        reply, refused = answer(question, NAMES)
        assert reply is None or len(reply) <= len(question) + 16
        assert refused is None or refused.isascii()
