"""Web addresses and header lines as steps hold them. Pure, and known in the jail too, so it needs nothing of mindX."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

MOST_CHARS = 2_000
MOST_HEADERS = 50
_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\Z")
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}\Z")
_VALUE = re.compile(r"[\t\x20-\x7e\xa0-\xff]{0,4000}\Z")
_SAFE = "%/:=&?~+!$,;'@()*[]"
# How a message is framed, and to whom it goes, is the tool's own to say; a hop's headers end at the next hop.
_FRAMING = frozenset(
    {"host", "connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "keep-alive", "expect"}
)
_SECRET = frozenset({"authorization", "cookie", "cookie2"})


@dataclass(frozen=True)
class Address:
    """A web address taken apart. `target` is what is asked for, path and query, as it goes over the wire."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def entry(self) -> str:
        """The host as a list of hosts says it; a port of the web needs no word."""
        return self.host if self.port == _PORTS[self.scheme] else f"{self.host}:{self.port}"

    @property
    def text(self) -> str:
        """The whole address again."""
        return f"{self.scheme}://{self.entry}{self.target}"

    def is_let_in_by(self, hosts: list[str]) -> bool:
        """Whether a list of hosts, in its one spelling, has this host and port."""
        return f"{self.host}:{self.port}" in hosts or (self.host in hosts and self.port in _PORTS.values())


def read(said: str) -> Address:
    """Take a web address apart. Raises ValueError, which says what is wrong with it."""
    if len(said) > MOST_CHARS:
        raise ValueError(f"the address has more than {MOST_CHARS:,} characters")
    if any(char.isspace() or not char.isprintable() or char in '\\<>"' for char in said):
        raise ValueError("the address holds a space, a hidden character or one that no address has")
    try:
        parts = urlsplit(said)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"the address cannot be read: {error}") from error
    if parts.scheme not in _PORTS:
        raise ValueError("an address begins with http:// or https://")
    if "@" in parts.netloc:
        raise ValueError("an address holds no user and no password: steps get no secrets")
    host = (parts.hostname or "").lower()
    if not _HOST.match(host):
        raise ValueError("the address names no host (IPv6 is not supported, and other letters are written as xn--…)")
    if port == 0:
        raise ValueError("a port is a number from 1 to 65535")
    query = f"?{quote(parts.query, safe=_SAFE)}" if parts.query else ""
    return Address(parts.scheme, host, port or _PORTS[parts.scheme], quote(parts.path or "/", safe=_SAFE) + query)


def headers(said: str) -> list[tuple[str, str]]:
    """Read lines such as `Accept: text/plain`. Raises ValueError for a line that is none or may not be set."""
    found = []
    for line in filter(None, (each.strip(" \r") for each in said.split("\n"))):
        name, colon, value = line.partition(":")
        if not colon or not _NAME.match(name) or not _VALUE.match(value.strip()):
            raise ValueError(f"{line[:60]!r} is no header: write one a line, as in Accept: text/plain")
        if name.lower() in _FRAMING or name.lower().startswith("proxy-"):
            raise ValueError(f"{name} may not be set: it says how the message travels")
        if name.lower() in _SECRET:
            raise ValueError(
                f"{name} may not be set: steps get no secrets, and what a step holds is shown to reviewers"
            )
        found.append((name, value.strip()))
    if len(found) > MOST_HEADERS:
        raise ValueError(f"more than {MOST_HEADERS} headers")
    return found
