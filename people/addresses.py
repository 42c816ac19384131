"""Where a request comes from: one answer for the login limit, the journal and `/metrics`."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from django.http import HttpRequest

_OF_ONE_HOUSEHOLD = 64


def client_address(request: HttpRequest) -> str:
    """The client's address in its shortest spelling; empty where there is none (a unix socket, a test).

    The server has put the forwarded address here already if the direct peer is a proxy that the operator named
    (MINDX_TRUSTED_PROXIES). Headers of anybody else are not looked at.
    """
    found = _parsed(request.META.get("REMOTE_ADDR", ""))
    return str(found) if found is not None else ""


def is_within(address: str, networks: Iterable[str]) -> bool:
    """Whether an address is one of these addresses or lies in one of these networks."""
    found = _parsed(address)
    return found is not None and any(found in ip_network(network) for network in networks)


def shared_by_one_client(address: str) -> str:
    """What one client can choose from: of IPv6 the network of 64 bits that a household gets, else the address."""
    found = _parsed(address)
    if isinstance(found, IPv6Address):
        return str(ip_network((found, _OF_ONE_HOUSEHOLD), strict=False))
    return str(found or "unknown")


def _parsed(address: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return None
    # A socket that listens for both spells IPv4 in IPv6.
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found
