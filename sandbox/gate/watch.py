"""What the jail's kernel refused, from the packets of its loopback, which is its only network.

A closed TCP port answers with a reset, a closed UDP port with ICMP's "port unreachable". If a port opens later, a
program was waiting for its own server.
"""

from __future__ import annotations

import ctypes
import socket
import struct
from contextlib import suppress
from ipaddress import IPv4Address

_ATTACH_FILTER = 26
_TCP, _ICMP = 6, 1
_SHOWN_BYTES = 128
_FLAGS, _RESET, _OPENED = 0x17, 0x14, 0x12  # of FIN, SYN, RST and ACK
# Classic BPF: TCP packets with RST and ACK or SYN and ACK, and ICMP's code "port unreachable", not the jail's traffic.
_FILTER = (
    (0xB1, 0, 0, 0),  # X: the length of the IP header
    (0x30, 0, 0, 9),  # the protocol
    (0x15, 0, 5, _TCP),
    (0x50, 0, 0, 13),  # TCP's flags
    (0x54, 0, 0, _FLAGS),
    (0x15, 6, 0, _RESET),
    (0x15, 5, 0, _OPENED),
    (0x06, 0, 0, 0),
    (0x15, 0, 2, _ICMP),
    (0x48, 0, 0, 0),  # ICMP's type and code
    (0x15, 1, 0, 0x0303),
    (0x06, 0, 0, 0),
    (0x06, 0, 0, _SHOWN_BYTES),
)


def prepare(watching: socket.socket) -> None:
    """Makes a raw socket see only useful packets."""
    code = b"".join(struct.pack("=HBBI", *instruction) for instruction in _FILTER)
    held = ctypes.create_string_buffer(code, len(code))
    watching.setsockopt(socket.SOL_SOCKET, _ATTACH_FILTER, struct.pack("@HP", len(_FILTER), ctypes.addressof(held)))


class Watch:
    """Collects what was refused since the last call, from packets."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._refused: dict[tuple[str, int], None] = {}

    def see(self, packet: bytes) -> None:
        """Processes one packet, from its IPv4 header on."""
        with suppress(struct.error, IndexError):
            self._see(packet)

    def _see(self, packet: bytes) -> None:
        body = packet[4 * (packet[0] & 0xF) :]
        if packet[9] == _ICMP:
            about = body[8:]  # the packet that could not be delivered
            (port,) = struct.unpack_from("!H", about, 4 * (about[0] & 0xF) + 2)
            self._refuse(_address(about, 16), port)
            return
        (port,), (sequence,), flags = struct.unpack_from("!H", body), struct.unpack_from("!I", body, 4), body[13]
        place = (_address(packet, 12), port)
        if flags & _FLAGS == _OPENED:
            self._refused.pop(place, None)
        elif sequence == 0:  # any other number resets a connection that there was
            self._refuse(*place)

    def _refuse(self, address: str, port: int) -> None:
        if len(self._refused) < self._most:
            self._refused[address, port] = None

    def take(self) -> list[tuple[str, int]]:
        refused, self._refused = list(self._refused), {}
        return refused


def _address(packet: bytes, at: int) -> str:
    return str(IPv4Address(packet[at : at + 4]))
