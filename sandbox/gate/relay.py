"""One connection of a program to an approved host: its target, the outside connection, and the bytes both ways."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from sandbox.gate import greeting, outside
from sandbox.gate.budget import Budget, Spent
from sandbox.gate.greeting import Greeting, NotUnderstood
from sandbox.gate.hosts import Destination
from sandbox.gate.notes import Notes
from sandbox.gate.outside import NoWay, Streams
from sandbox.gate.plan import LOCALHOST

BLOCK_BYTES = 1 << 16
_GREETING_S = 30.0
_IDLE_S = 120.0


class Refused(Exception):
    """A refused connection; the host and port for the notes, and a reason if it is not obvious."""

    def __init__(self, host: str, port: int, why: str = "") -> None:
        super().__init__(why)
        self.host, self.port, self.why = host, port, why


async def relay(here: Streams, destination: Destination, notes: Notes, budget: Budget) -> None:
    """Serves one connection until it ends. Refusals are noted."""
    try:
        first, wanted = await _checked(here[0], destination)
        there = await outside.reach_one(wanted, destination.port)
    except Refused as refused:
        notes.refused(refused.host, refused.port, refused.why)
        return
    except NoWay as no_way:
        if no_way.refused:
            notes.refused(destination.host, destination.port, str(no_way))
        return
    traffic = notes.traffic(f"{destination.host}:{destination.port}")
    traffic.connections += 1

    def sent(count: int) -> None:
        budget.take(count)
        notes.traffic(f"{destination.host}:{destination.port}").sent_bytes += count

    def received(count: int) -> None:
        budget.take(count)
        notes.traffic(f"{destination.host}:{destination.port}").received_bytes += count

    try:
        if first:
            sent(len(first))
            there[1].write(first)
        await _both_ways(here, there, sent, received)
    except Spent as spent:
        notes.refused(destination.host, destination.port, str(spent))
    finally:
        there[1].transport.abort()


async def _checked(reader: asyncio.StreamReader, destination: Destination) -> tuple[bytes, list[str]]:
    """The first bytes to forward, and the addresses to try. Raises Refused, NoWay."""
    if destination.address is not None:
        return b"", [destination.address]
    if destination.host == LOCALHOST:
        return b"", ["127.0.0.1"]
    try:
        async with asyncio.timeout(_GREETING_S):
            greeted = await _greeting(reader)
    except TimeoutError:
        raise NoWay("the program said nothing") from None
    except NotUnderstood as error:
        raise Refused(destination.host, destination.port, str(error)) from error
    _check(greeted, destination)
    return greeted.onward, await outside.public_addresses(destination.host)


async def _greeting(reader: asyncio.StreamReader) -> Greeting:
    data = b""
    while True:
        block = await reader.read(BLOCK_BYTES)
        if not block:
            raise NoWay("the program said nothing")
        data += block
        found = greeting.read(data)
        if found is not None:
            return found


def _check(greeted: Greeting, destination: Destination) -> None:
    """Raises Refused if a connection to an approved name is for another host at the same address."""
    port = greeted.port or destination.port
    if greeted.host != destination.host or port != destination.port:
        raise Refused(greeted.host, port)


async def _both_ways(here: Streams, there: Streams, sent: Callable[[int], None], got: Callable[[int], None]) -> None:
    """Moves bytes until both sides have finished, one has gone, or nothing has come for a while. Raises Spent."""
    try:
        async with asyncio.timeout(_IDLE_S) as idle, asyncio.TaskGroup() as both:
            both.create_task(_one_way(here[0], there[1], sent, idle))
            both.create_task(_one_way(there[0], here[1], got, idle))
    except TimeoutError:
        pass
    except BaseExceptionGroup as failures:
        spent, others = failures.split(Spent)
        if spent is not None:
            raise Spent(str(_first(spent))) from failures
        if others is not None and others.split(OSError)[1] is not None:
            raise


async def _one_way(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, count: Callable[[int], None], idle: asyncio.Timeout
) -> None:
    while block := await reader.read(BLOCK_BYTES):
        count(len(block))
        writer.write(block)
        await writer.drain()
        idle.reschedule(asyncio.get_running_loop().time() + _IDLE_S)
    with suppress(OSError):
        writer.write_eof()


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    found: BaseException = group
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return found
