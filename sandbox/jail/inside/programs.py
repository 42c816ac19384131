"""Running one program: its output as it comes, its limits, and an end that leaves no process behind.

The helper is process 1 of the jail, so nothing in it can signal the helper, every orphan becomes its child, and
`kill(-1)` reaches all the others at once, with no gap for one that forks meanwhile. In a jail without a process
namespace the uid, which no other session has, takes its part: `kill(-1)` then ends what has this uid.
"""

# ruff: noqa: PTH116, SIM105
# The helper starts with every session, without pathlib and contextlib.
from __future__ import annotations

import errno
import os
import select
import stat
import time

from .census import others
from .place import Place
from .tree import Refused
from .watch import Deadline, Watch

TYPE_CHECKING = False  # importing typing costs a session's start 3 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Limits = Mapping[str, int]

_TICK_S = 0.025
_PIPE_BYTES = 1 << 16
# The same on every architecture that has a filter; importing signal would cost as much as typing.
_SIGKILL, _SIGPIPE, _SIGXFSZ = 9, 13, 25


class _Run:
    """One program under way."""

    def __init__(
        self, pid: int, outputs: dict[int, str], stdin: int | None, unsent: memoryview, deadline: float, place: Place
    ) -> None:
        self.place = place
        self.pid = pid
        self.outputs = outputs
        self.input = stdin
        self.unsent = unsent
        self.deadline = Deadline(pid, deadline)
        self.status: int | None = None
        self.sent_bytes = 0
        self.limit: str | None = None
        self.killed = False
        self.left_running = 0
        self.poll = select.poll()


def find_program(candidates: list[list[str]], env: Mapping[str, str]) -> tuple[str, list[str]]:
    """The first of several command lines whose program exists, and that program's path. Raises Refused."""
    for argv in candidates:
        program = argv[0]
        places = [program] if "/" in program else [f"{place}/{program}" for place in env["PATH"].split(":")]
        for place in places:
            try:
                state = os.stat(place)
            except OSError:
                continue
            if stat.S_ISREG(state.st_mode) and os.access(place, os.X_OK):
                return place, argv
    name = candidates[0][0]
    if "/" in name:
        raise Refused("INVALID_PARAMETERS", f"{name}: there is no such file, or it is not executable")
    raise Refused("TOOL_UNAVAILABLE", f"{name}: this program is not installed where the jail can see it")


def run(
    program: str,
    argv: list[str],
    env: Mapping[str, str],
    stdin: bytes,
    timeout_s: float,
    limits: Limits,
    blame: int,
    place: Place,
    control: int,
    emit: Callable[[str, bytes], None],
    cancelled: Callable[[], bool],
) -> dict[str, Any]:
    """Runs a program in the current folder and tells how it ended.

    `emit` gets (stream, bytes) as they come; `control` is the descriptor that becomes readable when the session
    says something, `cancelled` then reads it.
    """
    started = time.monotonic()
    watch = Watch(place, limits)
    # When memory runs out the kernel shall take the program, which inherits this, before the helper.
    os.write(blame, b"500")
    try:
        state = _start(program, argv, env, stdin, started + timeout_s, place)
    finally:
        os.write(blame, b"0")
    state.poll.register(control, select.POLLIN)
    watched = os.pidfd_open(state.pid)
    state.poll.register(watched, select.POLLIN)
    next_tick = started + _TICK_S
    try:
        while state.status is None:
            for descriptor, _ in state.poll.poll(max(1, int((next_tick - time.monotonic()) * 1000))):
                if descriptor == control:
                    if cancelled():
                        _kill(state, "cancel")
                elif descriptor != watched:
                    _pump(state, descriptor, limits, emit)
            _reap(state)
            now = time.monotonic()
            if now >= next_tick and state.status is None:
                _look(state, watch, now)
                next_tick = time.monotonic() + _TICK_S
    finally:
        os.close(watched)
        _end(state)
        while state.outputs:
            for descriptor in list(state.outputs):
                _pump(state, descriptor, limits, emit)
        if state.input is not None:
            os.close(state.input)
    return _ending(state, watch, limits)


def _start(program: str, argv: list[str], env: Mapping[str, str], stdin: bytes, deadline: float, place: Place) -> _Run:
    out_read, out_write = os.pipe()
    err_read, err_write = os.pipe()
    in_read, in_write = os.pipe() if stdin else (os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC), None)
    try:
        pid = os.posix_spawn(
            program,
            argv,
            env,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, in_read, 0),
                (os.POSIX_SPAWN_DUP2, out_write, 1),
                (os.POSIX_SPAWN_DUP2, err_write, 2),
            ],
            setsid=True,
            setsigmask=[],
            setsigdef=[_SIGPIPE, _SIGXFSZ],
        )
    except OSError as error:
        for descriptor in (out_read, err_read, in_write):
            if descriptor is not None:
                os.close(descriptor)
        raise _not_started(argv[0], error) from error
    finally:
        for descriptor in (out_write, err_write, in_read):
            os.close(descriptor)
    state = _Run(pid, {out_read: "stdout", err_read: "stderr"}, in_write, memoryview(stdin), deadline, place)
    for descriptor in state.outputs:
        state.poll.register(descriptor, select.POLLIN)
    if in_write is not None:
        os.set_blocking(in_write, False)
        state.poll.register(in_write, select.POLLOUT)
    return state


def _not_started(program: str, error: OSError) -> Refused:
    if error.errno == errno.ENOEXEC:
        return Refused("INVALID_PARAMETERS", f"{program}: no program; a script needs a first line such as #!/bin/sh")
    if error.errno in (errno.ENOENT, errno.EACCES):
        return Refused("INVALID_PARAMETERS", f"{program}: cannot be started ({os.strerror(error.errno)})")
    if error.errno == errno.E2BIG:
        return Refused("INVALID_PARAMETERS", "the command line is longer than the kernel takes")
    return Refused("TOOL_EXECUTION_ERROR", f"{program}: cannot be started ({error.strerror})")


def _pump(state: _Run, descriptor: int, limits: Limits, emit: Callable[[str, bytes], None]) -> None:
    """Moves what one pipe can give or take now."""
    if descriptor == state.input:
        _feed(state)
        return
    if descriptor not in state.outputs:
        return
    data = os.read(descriptor, _PIPE_BYTES)
    if not data:
        state.poll.unregister(descriptor)
        os.close(descriptor)
        del state.outputs[descriptor]
        return
    room = limits["output_file_bytes"] - state.sent_bytes
    state.sent_bytes += len(data)
    if room > 0:
        emit(state.outputs[descriptor], data[:room])
    if state.sent_bytes > limits["output_file_bytes"]:
        _kill(state, "output")


def _feed(state: _Run) -> None:
    descriptor = state.input
    if descriptor is None:
        return
    try:
        state.unsent = state.unsent[os.write(descriptor, state.unsent[:_PIPE_BYTES]) :]
    except BlockingIOError:
        return
    except BrokenPipeError:
        state.unsent = memoryview(b"")
    if not state.unsent:
        state.poll.unregister(descriptor)
        os.close(descriptor)
        state.input = None


def _look(state: _Run, watch: Watch, now: float) -> None:
    if not state.killed and state.deadline.kills(now):
        _kill(state, "time")
    if state.deadline.passed:
        state.limit = state.limit or "time"
    limit = watch.look(now)
    if limit is not None:
        _kill(state, limit)


def _kill(state: _Run, limit: str) -> None:
    state.killed = True
    state.limit = state.limit or limit
    kill_others(state.place)


def kill_others(place: Place) -> None:
    """Ends all processes of the jail but the helper."""
    if not place.ends_all:
        raise PermissionError("this would end processes that are not the jail's")
    try:
        os.kill(-1, _SIGKILL)
    except ProcessLookupError:
        pass


def _reap(state: _Run) -> None:
    """Takes up whatever has ended: the program, and orphans, which would otherwise count as processes."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        if pid == state.pid:
            state.status = status


def _end(state: _Run) -> None:
    """Kills what is left and returns when the helper is alone."""
    if state.status is not None:
        state.left_running = len(others())
    kill_others(state.place)
    while True:
        try:
            pid, status = os.waitpid(-1, 0)
        except ChildProcessError:
            return
        if pid == state.pid:
            state.status = status


def _ending(state: _Run, watch: Watch, limits: Limits) -> dict[str, Any]:
    code = os.waitstatus_to_exitcode(state.status or 0)
    limit = state.limit
    if limit is None and code == -_SIGXFSZ:
        limit = "file_bytes"
    if limit in (None, "time") and code != 0 and watch.peak_processes >= limits["processes"] - 1:
        limit = "processes"
    return {
        "return_code": code,
        "limit": limit,
        "left_running": state.left_running,
        "peak_memory_bytes": watch.peak_bytes,
        "peak_processes": watch.peak_processes,
    }
