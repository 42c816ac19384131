"""A process that a worker keeps ready, which forks a launcher for each jail: starting Python anew takes longer.

It starts with an empty environment and only one end of a socket pair from the worker. The next launcher is forked ahead
and reads its order from the socket itself, so no session's paths, descriptors or memory ever enter this process, and a
launcher has nothing of other sessions. While it waits it enters a control group of its own (`grouping.py`). When the
worker or this process ends, for whatever reason, every launcher notices and ends its jail.

Standard library only, and little of it, as the launchers themselves.
"""

# Starting quickly forbids socket, which imports far more than the one class that is needed.
from __future__ import annotations

import _socket
import fcntl
import os
import select
import sys

from sandbox.jail import grouping

TYPE_CHECKING = False  # importing typing costs a start 3 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    # Session, order, what to watch, and whether this process is in a control group of its own.
    Launch = Callable[[int, list[str], Sequence[int], bool], None]

_MOST_ORDER_BYTES = 1 << 18
_MOST_DESCRIPTORS = 64
_DESCRIPTOR_BYTES = 4


def once(launch: Launch) -> None:
    """Launches one jail according to the command line.

    Which is the worker's process id, the folders for control groups, the session's descriptor, and the order.
    """
    worker, parents, session, *order = sys.argv[1:]
    guard = _guard(int(worker))
    if guard is not None:
        _launch(launch, int(session), order, [guard], grouping.enter(_folders(parents)))


def serve(launch: Launch) -> None:
    """Forks a launcher for each order, until the worker ends or closes its end.

    On the command line are the worker's process id, the folders for control groups, and the descriptor of our end.
    """
    worker, parents, control = int(sys.argv[1]), _folders(sys.argv[2]), int(sys.argv[3])
    os.set_inheritable(control, False)
    guard = _guard(worker)
    if guard is None:
        return
    guards = [guard, os.pidfd_open(os.getpid())]
    poll = select.poll()
    poll.register(guard, select.POLLIN)
    poll.register(control, 0)  # the waiting launcher handles orders; this process handles only the end of the channel
    launchers: dict[int, int] = {}
    while True:
        taken = _fork(launch, control, guards, launchers, poll, parents)
        waits = True
        while waits:
            for descriptor, _ in poll.poll():
                if descriptor in (guard, control):
                    os._exit(0)
                poll.unregister(descriptor)
                os.close(descriptor)
                if descriptor in launchers:
                    os.waitpid(launchers.pop(descriptor), 0)
                elif descriptor == taken:
                    waits = False


def _folders(text: str) -> list[str]:
    return text.split(":") if text else []


def _guard(worker: int) -> int | None:
    """A descriptor that becomes readable when the worker ends; None when it has ended."""
    try:
        guard = os.pidfd_open(worker)
    except ProcessLookupError:
        return None
    return guard if os.getppid() == worker else None


def _fork(
    launch: Launch, control: int, guards: list[int], launchers: dict[int, int], poll: select.poll, parents: list[str]
) -> int:  # fmt: skip
    """Forks the next launcher; the descriptor that becomes readable when it has taken an order or has ended."""
    taken, taken_write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            for other in launchers:
                os.close(other)
            _wait(launch, control, taken_write, guards, parents)
        finally:
            os._exit(0)
    os.close(taken_write)
    ended = os.pidfd_open(child)
    launchers[ended] = child
    poll.register(ended, select.POLLIN)
    poll.register(taken, select.POLLIN)
    return taken


def _wait(launch: Launch, control: int, taken: int, guards: list[int], parents: list[str]) -> None:
    """Waits for an order, and carries it out unless a process that it serves has ended before."""
    group = grouping.enter(parents)
    poll = select.poll()
    for descriptor in (control, *guards):
        poll.register(descriptor, select.POLLIN)
    if any(descriptor in guards for descriptor, _ in poll.poll()):
        grouping.leave(parents, group)
        return
    socket = _socket.socket(fileno=control)
    text, ancillary, _, _ = socket.recvmsg(
        _MOST_ORDER_BYTES, _socket.CMSG_SPACE(_MOST_DESCRIPTORS * _DESCRIPTOR_BYTES), _socket.MSG_CMSG_CLOEXEC
    )
    socket.close()
    os.close(taken)
    if ancillary:
        numbers, *order = os.fsdecode(text).split("\0")
        wanted = [int(each) for each in numbers.split(",")]
        received = memoryview(ancillary[0][2]).cast("i").tolist()
        guards = _place(received, wanted, guards)
        _launch(launch, wanted[0], order, guards, group)
    else:
        grouping.leave(parents, group)  # the worker has closed its end


def _place(received: list[int], wanted: list[int], kept: list[int]) -> list[int]:
    """Gives each received descriptor the number that its order speaks of; the new numbers of those to be kept."""
    above = max(wanted) + 1
    moved = [_move(each, above) for each in [*received, *kept]]
    for descriptor, number in zip(moved[: len(received)], wanted, strict=True):
        os.dup2(descriptor, number)
        os.close(descriptor)
    return moved[len(received) :]


def _move(descriptor: int, above: int) -> int:
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, above)
    os.close(descriptor)
    return moved


def _launch(launch: Launch, session: int, order: list[str], guards: list[int], group: str) -> None:
    """Identifies this process by a pidfd, and its group; then launches."""
    os.set_inheritable(session, False)
    own = os.pidfd_open(os.getpid())
    socket = _socket.socket(fileno=session)
    rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, own.to_bytes(_DESCRIPTOR_BYTES, sys.byteorder))
    socket.sendmsg([group.ljust(grouping.NAME_BYTES).encode()], [rights])
    socket.detach()
    os.close(own)
    launch(session, order, guards, bool(group))
