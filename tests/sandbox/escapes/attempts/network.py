"""Networks and sockets: towards the host and the kernel."""

# ruff: noqa: PTH208
# The system's own calls, as an attacker makes them.
from __future__ import annotations

import errno
import os
import socket

from .row import SEEN, Place, Row, by_level, libc, weaker

_NETLINK, _VSOCK = 16, 40


def _answers(family: int, address: str, port: int) -> object:
    with socket.socket(family, socket.SOCK_STREAM) as there:
        there.settimeout(2)
        there.connect((address, port))
        return True


def _to_itself(_: Place) -> object:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return _answers(socket.AF_INET, *server.getsockname())


def _own_pair(_: Place) -> object:
    one, other = socket.socketpair()
    with one, other:
        one.send(b"x")
        return other.recv(1)


_own_loopback = by_level(_to_itself, _own_pair)


def _taken(at: Place) -> object:
    """Whether the host's port is taken here too, which tells that the network is the same one."""
    with socket.socket() as trying:
        try:
            trying.bind(("127.0.0.1", at.port))
        except OSError as error:
            return error.errno == errno.EADDRINUSE
    return False


def _listed(at: Place) -> object:
    with open("/proc/net/tcp") as file:
        return f":{at.port:04X} " in file.read()


def _opened(family: int, kind: int) -> object:
    socket.socket(family, kind).close()
    return True


def _to_unix(address: str) -> object:
    with socket.socket(socket.AF_UNIX) as there:
        there.connect(address)
        return True


def _behind_the_upper_half(_: Place) -> object:
    """The kernel reads an int: what stands in the register's upper half must not matter to a filter either."""
    return libc.syscall(41, 0x1_0000_0000 | _NETLINK, 3, 0) >= 0


ROWS = [
    Row("network", "reach the host's loopback",
        lambda at: _answers(socket.AF_INET, "127.0.0.1", at.port), _own_loopback),
    Row("network", "reach it by the newer protocol",
        lambda at: _answers(socket.AF_INET6, "::1", at.port_v6), _own_loopback, needs="a loopback of IPv6"),
    Row("network", "reach the host by its address",
        lambda at: _answers(socket.AF_INET, at.address, at.port_any), _own_loopback, needs="a network"),
    Row("network", "see the host's interfaces",
        lambda _: len(socket.if_nameindex()) > 1, _own_loopback, needs="a network"),
    Row("network", "see who listens on the host", _listed, lambda _: os.listdir("/proc/net"), weaker(SEEN)),
    Row("network", "share the host's ports", _taken, _own_loopback),
    Row("socket", "talk to the kernel by netlink", lambda _: _opened(_NETLINK, socket.SOCK_RAW), _own_pair),
    Row("socket", "the same with dirt in the upper half", _behind_the_upper_half, _own_pair),
    Row("socket", "listen to all packets",
        lambda _: _opened(socket.AF_PACKET, socket.SOCK_RAW), _own_pair, needs="root"),
    Row("socket", "talk to the machine's host", lambda _: _opened(_VSOCK, socket.SOCK_STREAM), _own_pair,
        needs="sockets of virtual machines"),
    Row("socket", "reach a socket without a path", lambda at: _to_unix("\0" + at.socket), _own_pair),
    Row("socket", "reach a socket by its path", lambda at: _to_unix(at.socket), _own_pair),
]  # fmt: skip
