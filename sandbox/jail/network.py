"""Sockets in a jail's network that are held outside of it.

A child of the launcher enters the user namespace that owns the jail's network, which it may because the launcher's
uid made it, then the network itself, makes the sockets, and hands them to the session's process. So nothing in the
jail takes part in what is allowed, and nothing outside keeps a right in there.

Every IPv4 address is made local to the jail. An attempt at any of them is then answered by the jail's own kernel: by
a listening socket where there is one, else by a refusal that raw sockets see, with address and port. (A packet socket
would see it too, and takes 10 ms to close.)

Standard library only, and little of it: it runs while a session starts.
"""

from __future__ import annotations

import _socket  # the socket module itself would double the launcher's imports
import ctypes
import errno
import fcntl
import os
import struct
import time

_GET_USER_NAMESPACE = 0xB701
_AF_NETLINK = 16
_NEW_ROUTE, _ACKNOWLEDGED_NEW = 24, 0x1 | 0x4 | 0x400
_TABLE_MAIN, _BY_BOOT, _SCOPE_HOST, _KIND_LOCAL = 254, 3, 254, 2
_OUTGOING_INTERFACE, _LOOPBACK = 4, 1
_READY, _FAILED = b"+\n", b"-"
RESOLVER = ("127.0.0.1", 53)
OWN_SOCKETS = 3  # the resolver and the two that watch
_LOOPBACK_UP_S = 2.0
_TRY_S = 0.0002


def hand_over(channel: int, jail: int, places: list[tuple[str, int]]) -> None:
    """Sends the sockets, or the reason why there are none, as one line on `channel`, a Unix socket.

    The first is the resolver's, the next two watch over TCP and ICMP, then comes one for each address and port of
    `places`, bound and not yet listening. `jail` is the process id of something in the jail.
    """
    session = _socket.socket(fileno=os.dup(channel))
    try:
        enter(jail)
        made = sockets(places)
    except OSError as error:
        session.send(_FAILED + str(error).encode() + b"\n")
    else:
        numbers = struct.pack(f"{len(made)}i", *(each.fileno() for each in made))
        session.sendmsg([_READY], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, numbers)])


def enter(jail: int) -> None:
    """Makes this process part of the network of process `jail`, with all rights over it."""
    libc = ctypes.CDLL(None, use_errno=True)
    network = os.open(f"/proc/{jail}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    owner = fcntl.ioctl(network, _GET_USER_NAMESPACE)
    for namespace in (owner, network):
        if libc.setns(namespace, 0) != 0:
            failure = ctypes.get_errno()
            raise OSError(failure, f"the jail's network cannot be entered: {os.strerror(failure)}")
        os.close(namespace)


def sockets(places: list[tuple[str, int]]) -> list[_socket.socket]:
    """Makes the sockets in this process's network, once its loopback is up."""
    make_all_local()
    resolver = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
    resolver.bind(RESOLVER)
    made = [resolver]
    for protocol in (_socket.IPPROTO_TCP, _socket.IPPROTO_ICMP):
        made.append(_socket.socket(_socket.AF_INET, _socket.SOCK_RAW, protocol))
    for place in places:
        listening = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        listening.bind(place)
        made.append(listening)
    return made


def make_all_local() -> None:
    """Adds the route that makes every address local to this network."""
    deadline = time.monotonic() + _LOOPBACK_UP_S
    while failure := _add_local_route():
        # Bubblewrap brings the loopback up while this runs, without a signal when it is up.
        if failure != errno.ENETDOWN or time.monotonic() > deadline:
            raise OSError(failure, f"no route could be made: {os.strerror(failure)}")
        time.sleep(_TRY_S)


def _add_local_route() -> int:
    """`ip route add local default dev lo`, by the kernel's own protocol. The error number, 0 when it was added."""
    head = struct.pack(
        "=BBBBBBBBI", _socket.AF_INET, 0, 0, 0, _TABLE_MAIN, _BY_BOOT, _SCOPE_HOST, _KIND_LOCAL, 0
    )  # fmt: skip
    body = head + struct.pack("=HHI", 8, _OUTGOING_INTERFACE, _LOOPBACK)
    kernel = _socket.socket(_AF_NETLINK, _socket.SOCK_RAW, 0)
    try:
        kernel.send(struct.pack("=IHHII", 16 + len(body), _NEW_ROUTE, _ACKNOWLEDGED_NEW, 1, 0) + body)
        answer = kernel.recv(1 << 12)
    finally:
        kernel.close()
    failure: int = struct.unpack_from("=i", answer, 16)[0]
    return -failure
