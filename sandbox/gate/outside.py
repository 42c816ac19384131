"""Connections to the outside: resolves a name, checks its addresses, and connects to exactly one of these."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from contextlib import suppress
from ipaddress import ip_address

from sandbox.gate.internet import is_on_the_internet

_LOOK_UP_S = 10.0
_CONNECT_S = 10.0
_MOST_TRIED = 3

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class NoWay(Exception):
    """A host that could not be reached; the message says why. `refused` if it was not allowed."""

    def __init__(self, reason: str, refused: bool = False) -> None:
        super().__init__(reason)
        self.refused = refused


def look_up(name: str) -> list[str]:
    """The addresses of a name, those of IPv4 first. Blocks."""
    found = {str(each[4][0]) for each in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)}
    return sorted(found, key=lambda address: (":" in address, address))


def is_public(address: str) -> bool:
    """Whether an address is on the internet and not this machine's own."""
    return is_on_the_internet(address) and not _is_own(address)


def _is_own(address: str) -> bool:
    """Whether this machine has the address: only then can a socket be bound to it."""
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM) as trying:
        try:
            trying.bind((address, 0))
        except OSError:
            return False
        return True


async def public_addresses(name: str) -> list[str]:
    """The public ones among the addresses of a name. Raises NoWay when there is none."""
    found = await addresses(name)
    public = [each for each in found if is_public(each)]
    if not public:
        raise NoWay(f"the name leads to {found[0]}, which is no public address", refused=True)
    return public


async def addresses(name: str) -> list[str]:
    """As `look_up`, in a separate thread that nobody has to wait for. Raises NoWay."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[list[str]] = loop.create_future()

    def settle(result: list[str] | OSError | UnicodeError) -> None:
        if found.done():
            return
        if isinstance(result, list):
            found.set_result(result)
        else:
            found.set_exception(NoWay(f"the name cannot be looked up: {result}"))

    def work() -> None:
        result: list[str] | OSError | UnicodeError
        try:
            result = look_up(name)
        except (OSError, UnicodeError) as error:
            result = error
        with suppress(RuntimeError):  # the session has ended meanwhile, and its loop with it
            loop.call_soon_threadsafe(settle, result)

    threading.Thread(target=work, name="mindx-lookup", daemon=True).start()
    try:
        async with asyncio.timeout(_LOOK_UP_S):
            return await found
    except TimeoutError:
        raise NoWay(f"the name was not found within {_LOOK_UP_S:.0f} s") from None


async def reach(address: str, port: int, tls: ssl.SSLContext | None = None, name: str | None = None) -> Streams:
    """A connection to an address, never to a name, so the checked address is the one that is reached. Raises OSError.

    With `tls`, encrypted, to a server with a valid certificate for `name`.
    """
    ip_address(address)
    return await asyncio.open_connection(address, port, ssl=tls, server_hostname=name if tls else None)


async def reach_one(
    wanted: list[str], port: int, tls: ssl.SSLContext | None = None, name: str | None = None
) -> Streams:
    """A connection to the first address that answers. Raises NoWay."""
    why = "no address"
    for address in wanted[:_MOST_TRIED]:
        try:
            async with asyncio.timeout(_CONNECT_S):
                return await reach(address, port, tls, name)
        except TimeoutError:
            why = f"{address} does not answer within {_CONNECT_S:.0f} s"
        except OSError as error:
            why = f"{address}: {error.strerror or error}"
    raise NoWay(why)
