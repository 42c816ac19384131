"""Lists of hosts that programs may reach: valid entries, and their normalised spelling. Pure.

An entry is `packages` (the operator's package index), a name or an IPv4 address, alone or with `:port`. Alone it
means the ports 80 and 443. The spelling is normalised, because people approve these words and documents hash them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv4Network

PACKAGES = "packages"
WEB_PORTS = (80, 443)
MOST_ENTRIES = 16
_MOST_NAME_CHARS = 253
_MOST_SHOWN_CHARS = 100
_THIS_NETWORK = IPv4Network("0.0.0.0/8")
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\Z")
_PORT = re.compile(r"[1-9][0-9]{0,4}\Z")
_NUMBER = re.compile(r"([0-9]+|0x[0-9a-f]*)\Z")
# With one of these an entry is not a name; each has its own message.
_MARKS = {
    "://": "an entry is a host, without a scheme such as https://",
    "/": "an entry is a host, without a path",
    "@": "an entry is a host, without a user",
    "*": "each host is named by itself, there are no wildcards",
    "?": "an entry is a host, without a query",
    "#": "an entry is a host, without a fragment",
    "[": "IPv6 addresses are not supported",
}


class HostRefused(ValueError):
    """An entry of a host list that names no host, or one that can never be allowed."""


@dataclass(frozen=True)
class Destination:
    """A host that may be reached, and one of its ports. `entry` is the approved word behind it."""

    entry: str
    host: str
    port: int

    @property
    def address(self) -> str | None:
        """The address when the host was named by it, None for a name."""
        return self.host if _is_address(self.host) else None


def canonical(entries: Iterable[str]) -> tuple[str, ...]:
    """The entries in lower case, sorted, each once. Raises HostRefused, naming the first one that cannot be allowed."""
    found = sorted({_entry(each) for each in entries})
    if len(found) > MOST_ENTRIES:
        raise HostRefused(f"{len(found)} hosts are too many: {MOST_ENTRIES} at most")
    return tuple(found)


def destinations(hosts: Iterable[str]) -> tuple[Destination, ...]:
    """Every host and port that a canonical list allows, each once, without the package index."""
    found: dict[tuple[str, int], Destination] = {}
    for entry in hosts:
        if entry == PACKAGES:
            continue
        host, _, port = entry.partition(":")
        for each in (int(port),) if port else WEB_PORTS:
            found.setdefault((host, each), Destination(entry, host, each))
    return tuple(found.values())


def _entry(text: str) -> str:
    if not isinstance(text, str):
        raise HostRefused(f"an entry of a host list is text, not {type(text).__name__}")
    entry = text.lower()
    if not entry.isascii():
        raise _refused(text, "a name outside ASCII has to be written as it is looked up (xn--…)")
    for mark, why in _MARKS.items():
        if mark in entry:
            raise _refused(text, why)
    if entry.count(":") > 1:
        raise _refused(text, _MARKS["["])
    host, colon, port = entry.partition(":")
    if colon and (not _PORT.match(port) or int(port) > 65_535):
        raise _refused(text, "a port is a number from 1 to 65535")
    if host == PACKAGES and colon:
        raise _refused(text, f"{PACKAGES} stands for the package index and has no port")
    _check_host(text, host)
    return entry


def _check_host(text: str, host: str) -> None:
    labels = host.split(".")
    if not all(_LABEL.match(label) for label in labels) or len(host) > _MOST_NAME_CHARS:
        raise _refused(text, "this is no host name")
    # Programs treat a name that ends in a number as an address, also 127.1 or 0x7f000001.
    if not _NUMBER.match(labels[-1]):
        return
    if not _is_address(host):
        raise _refused(text, "an address is written as four numbers, such as 127.0.0.1")
    address = IPv4Address(host)
    if address.is_multicast or address.is_reserved or address in _THIS_NETWORK:
        raise _refused(text, "this address is no single host's")


def _is_address(host: str) -> bool:
    try:
        IPv4Address(host)
    except AddressValueError:
        return False
    return True


def _refused(text: str, why: str) -> HostRefused:
    return HostRefused(f"{text[:_MOST_SHOWN_CHARS]!r} cannot be let in: {why}")
