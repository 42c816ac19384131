"""Reading a card from another machine: never an internal one, never more than a card has, never for ever."""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from ipaddress import ip_address

from django.conf import settings

from agents.toolkit.web_address import Address
from people.timed_sockets import TimedSocket, left_s
from sandbox.gate.internet import is_on_the_internet

CARD_PATH = "/.well-known/agent-card.json"
MOST_BYTES = 256 * 1024
WHOLE_S = 10.0


class NotFetched(Exception):
    """The card could not be read; the message says why."""


def fetch(address: Address) -> bytes:
    """The bytes at this address. Raises NotFetched. A redirect is not followed: it could lead anywhere."""
    check_reachable(address)
    until = time.monotonic() + WHOLE_S
    try:
        # The very address that is checked is connected to: a name may mean another machine the second time.
        with socket.create_connection((_resolved(address), address.port), timeout=left_s(until)) as plain:
            plain.settimeout(left_s(until))
            return _asked(plain, address, until)
    except TimeoutError as error:
        raise NotFetched(f"{address.entry} takes longer than {WHOLE_S:.0f} s.") from error
    except (OSError, http.client.HTTPException) as error:
        raise NotFetched(f"{address.entry} cannot be reached: {error or type(error).__name__}.") from error


def check_reachable(address: Address) -> None:
    """Raises NotFetched for what is not encrypted, and for names and addresses of internal machines."""
    if settings.FOREIGN_AGENTS_INTERNAL:
        return
    if address.scheme != "https":
        raise NotFetched("The address must begin with https://.")
    _resolved(address)


def _resolved(address: Address) -> str:
    """One address of the host. Raises NotFetched when one of them is internal and that is not allowed."""
    try:
        found = {str(one[4][0]) for one in socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError) as error:
        raise NotFetched(f"The host {address.host} cannot be found.") from error
    if not settings.FOREIGN_AGENTS_INTERNAL and not all(is_on_the_internet(one) for one in found):
        raise NotFetched("The address leads to an internal machine, which the operator has not allowed.")
    return min(found, key=lambda one: (ip_address(one.partition("%")[0]).version, one))


def _asked(plain: socket.socket, address: Address, until: float) -> bytes:
    link = plain
    if address.scheme == "https":
        link = ssl.create_default_context().wrap_socket(plain, server_hostname=address.host)
    with link:
        connection = http.client.HTTPConnection(address.host, address.port)
        connection.sock = TimedSocket(link, until)
        headers = {"Host": address.entry, "Accept": "application/json", "User-Agent": "mindX", "Connection": "close"}
        connection.request("GET", address.target, headers=headers)
        response = connection.getresponse()
        if response.status != http.HTTPStatus.OK:
            raise NotFetched(f"{address.entry} answered with status {response.status}.")
        data = b""
        while part := response.read1(64 * 1024):
            data += part
            if len(data) > MOST_BYTES:
                raise NotFetched(f"The card has more than {MOST_BYTES // 1024} KB.")
        return data
