"""The address of each approved host in the jail's network. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from sandbox.gate.hosts import PACKAGES, Destination, destinations

LOCALHOST = "localhost"
_LOOPBACK = "127.0.0.1"
_OWN_ADDRESSES = "127.77"  # names get addresses in this range; nothing else listens there
_INDEX_PORT = 80
# A download is verified before its first byte enters the jail, and pip would give up after 15 s of waiting.
_PIP_PATIENCE_S = 180


@dataclass(frozen=True)
class Entrance:
    """An address and port in the jail, and the host behind it; None means the package index."""

    address: str
    port: int
    destination: Destination | None


@dataclass(frozen=True)
class Plan:
    """`names` maps names to addresses; `environment` has the variables that programs need."""

    entrances: tuple[Entrance, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def places(self) -> list[tuple[str, int]]:
        return [(each.address, each.port) for each in self.entrances]


def plan(hosts: Sequence[str]) -> Plan:
    """The plan for a canonical list. A host given by address keeps it; a name gets one of our addresses."""
    wanted = destinations(hosts)
    free = _free_addresses({each.host for each in wanted})
    names: dict[str, str] = {}
    entrances: dict[tuple[str, int], Entrance] = {}
    environment: dict[str, str] = {}
    if PACKAGES in hosts:
        address = next(free)
        entrances[address, _INDEX_PORT] = Entrance(address, _INDEX_PORT, None)
        environment = {"PIP_INDEX_URL": f"http://{address}/simple/", "PIP_DEFAULT_TIMEOUT": str(_PIP_PATIENCE_S)}
    for each in wanted:
        address = each.address or (_LOOPBACK if each.host == LOCALHOST else names.get(each.host) or next(free))
        if each.address is None and each.host != LOCALHOST:
            names[each.host] = address
        entrances.setdefault((address, each.port), Entrance(address, each.port, each))
    return Plan(tuple(entrances.values()), names, environment)


def _free_addresses(taken: set[str]) -> Iterator[str]:
    for number in count(1):
        address = f"{_OWN_ADDRESSES}.{number // 250}.{number % 250 + 1}"
        if address not in taken:
            yield address
