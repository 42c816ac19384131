"""What a step's programs did on the network, as its result tells it: read carefully, bounded, and said in words. Pure.

A result holds `network` only when something happened. Names in it come from programs: they are foreign text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.toolkit.hosts import host_problem
from agents.toolkit.packages import fetches_packages
from sandbox.gate.hosts import PACKAGES, canonical

KEY = "network"
# Kept of each list; a program can ask for as many names as it likes.
MOST_KEPT = 500
_MOST_CHARS = 260


@dataclass(frozen=True, order=True)
class Refused:
    """A host that was asked for and not let in; the port is 0 when only its name was looked up.

    `why` is said of one that was approved and yet could not be let in.
    """

    host: str
    port: int = 0
    why: str = ""

    @property
    def name(self) -> str:
        """The host, with its port when that is not one of the web's."""
        return self.host if self.port in (0, 80, 443) else f"{self.host}:{self.port}"


@dataclass(frozen=True)
class Download:
    """A file that came from the package index, or from what was kept of it."""

    file: str
    sha256: str
    size_bytes: int
    cached: bool


@dataclass(frozen=True)
class Reached:
    """An approved host that was talked to."""

    host: str
    connections: int
    sent_bytes: int
    received_bytes: int


@dataclass(frozen=True)
class Network:
    """All of it; `left_out` counts the entries that were too many to keep."""

    refused: tuple[Refused, ...] = ()
    downloads: tuple[Download, ...] = ()
    hosts: tuple[Reached, ...] = ()
    left_out: int = 0

    @property
    def refused_names(self) -> tuple[str, ...]:
        """The hosts that were not approved, each once, by name."""
        return tuple(dict.fromkeys(one.name for one in self.refused if not one.why))

    @property
    def not_let_in(self) -> tuple[Refused, ...]:
        """The hosts that were approved and yet could not be let in."""
        return tuple(one for one in self.refused if one.why)

    def __bool__(self) -> bool:
        return bool(self.refused or self.downloads or self.hosts)


_NONE = Network()


def network_of(result: Any) -> Network:
    """Read a result's network; what is not there or not as it should be is left out."""
    raw = result.get(KEY) if isinstance(result, Mapping) else None
    if not isinstance(raw, Mapping):
        return _NONE
    refused = [_refused(one) for one in _entries(raw, "refused")]
    downloads = [_download(one) for one in _entries(raw, "downloads")]
    hosts = [_reached(one) for one in _entries(raw, "hosts")]
    more = sum(max(0, len(found) - MOST_KEPT) for found in (refused, downloads, hosts))
    return Network(
        refused=tuple(refused[:MOST_KEPT]),
        downloads=tuple(downloads[:MOST_KEPT]),
        hosts=tuple(hosts[:MOST_KEPT]),
        left_out=_count(raw.get("left_out")) + more,
    )


def bounded(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The answer with no more of its network than is kept with an intent."""
    if KEY not in answer:
        return dict(answer)
    found = network_of(answer)
    rest = {name: value for name, value in answer.items() if name != KEY}
    return rest | {KEY: _as_json(found)} if found else rest


def refusal_words(network: Network) -> str:
    """What was asked for and not approved or not let in, as clauses; nothing for nothing."""
    names = network.refused_names
    said = [f"{listed(names)} {'was' if len(names) == 1 else 'were'} asked for and not approved"] if names else []
    return "; ".join([*said, *(f"{one.name} is approved but was not let in: {one.why}" for one in network.not_let_in)])


def listed(names: Sequence[str]) -> str:
    """Names as a sentence lists them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def lacking(network: Network, hosts: Iterable[str], command_line: object = None) -> tuple[str, ...]:
    """The entries that would let in what was refused, beside those a step has; what nobody could approve falls out.

    What pip asked of the public index is the package index, which is what may be approved for it.
    """
    have = set(hosts)
    by_pip = fetches_packages(command_line)
    asked = (PACKAGES if by_pip and _is_of_index(one.host) else one.name for one in network.refused if not one.why)
    fitting = {entry for name in asked if host_problem([name]) is None for entry in canonical([name])} - have
    return tuple(sorted(fitting)) if fitting and host_problem([*have, *fitting]) is None else ()


def _is_of_index(host: str) -> bool:
    return host == "pypi.org" or host.endswith("pythonhosted.org")


def reached_words(one: Reached) -> str:
    """How much was talked with a host."""
    times = "once" if one.connections == 1 else f"{one.connections} times"
    return f"{one.host} was reached {times}: {one.sent_bytes:,} bytes sent, {one.received_bytes:,} received"


def _as_json(network: Network) -> dict[str, Any]:
    kept: dict[str, Any] = {
        "refused": [
            {"host": one.host, "port": one.port or None} | ({"why": one.why} if one.why else {})
            for one in network.refused
        ],
        "downloads": [vars(one) for one in network.downloads],
        "hosts": [vars(one) for one in network.hosts],
    }
    return kept | ({"left_out": network.left_out} if network.left_out else {})


def _entries(raw: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    found = raw.get(name)
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def _refused(raw: Mapping[str, Any]) -> Refused:
    return Refused(_text(raw.get("host")), _count(raw.get("port")), _text(raw.get("why")))


def _download(raw: Mapping[str, Any]) -> Download:
    return Download(
        _text(raw.get("file")), _text(raw.get("sha256")), _count(raw.get("size_bytes")), raw.get("cached") is True
    )


def _reached(raw: Mapping[str, Any]) -> Reached:
    counts = (_count(raw.get(name)) for name in ("connections", "sent_bytes", "received_bytes"))
    return Reached(_text(raw.get("host")), *counts)


def _text(value: Any) -> str:
    return value[:_MOST_CHARS] if isinstance(value, str) else ""


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
