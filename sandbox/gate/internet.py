"""Which addresses are on the internet. Everything that connects to the outside asks here: the gate and notices."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

# The only part of IPv6 that is allocated. Others are internal (::1, fe80::/10, fec0::/10, fc00::/7) or contain an IPv4
# address, which could be internal (::127.0.0.1, ::ffff:0:0/96, NAT64).
_GIVEN_OUT = IPv6Network("2000::/3")
# Azure's metadata service, which has a public address.
_NEVER = frozenset({IPv4Address("168.63.129.16")})


def is_on_the_internet(address: str) -> bool:
    """Whether this is the address of a machine on the internet; False for anything else."""
    try:
        at = ip_address(address)
    except ValueError:
        return False
    if isinstance(at, IPv6Address) and not _is_plain(at):
        return False
    return at.is_global and not at.is_multicast and not at.is_reserved and at not in _NEVER


def _is_plain(at: IPv6Address) -> bool:
    """Allocated, and without an IPv4 address in it (6to4, Teredo)."""
    return at in _GIVEN_OUT and at.sixtofour is None and at.teredo is None
