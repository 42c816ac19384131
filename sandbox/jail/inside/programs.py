"""One program: how it is found and started, and what goes through its pipes or its terminal.

Which programs there are, what they may use and how they end is `company.py`'s.
"""

# ruff: noqa: PTH116
# The helper starts with every session, without pathlib.
from __future__ import annotations

import errno
import os
import select
import stat

from .terminal import Terminal
from .tree import Refused
from .watch import Deadline

TYPE_CHECKING = False  # importing typing costs a session's start 3 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Emit = Callable[[str, bytes], None]

_PIPE_BYTES = 1 << 16
# The same on every architecture that has a filter; importing signal would cost as much as typing.
_SIGHUP, _SIGINT, _SIGQUIT, _SIGKILL, _SIGPIPE, _SIGXFSZ = 1, 2, 3, 9, 13, 25


class Program:
    """One program under way. `limit` names what it ran into, `status` is there when it has ended."""

    def __init__(self, pid: int, outputs: dict[int, str], poll: select.poll, deadline: float, emit: Emit) -> None:
        self.pid = pid
        self.deadline = Deadline(pid, deadline)
        self.status: int | None = None
        self.limit: str | None = None
        self.killed = False
        self.sent_bytes = 0
        self.wrote = False
        self.terminal: Terminal | None = None
        self._outputs = outputs
        self._emit = emit
        self._poll = poll
        self._input: int | None = None
        self._unsent = memoryview(b"")
        self._ended = os.pidfd_open(pid)
        for descriptor in (*outputs, self._ended):
            os.set_blocking(descriptor, False)
            poll.register(descriptor, select.POLLIN)

    def feed_through(self, descriptor: int, stdin: bytes) -> None:
        """Gives the program `stdin` through a pipe, as it takes it."""
        self._input, self._unsent = descriptor, memoryview(stdin)
        os.set_blocking(descriptor, False)
        self._poll.register(descriptor, select.POLLOUT)

    def pump(self, descriptor: int, most_bytes: int) -> bool:
        """Moves what this descriptor can give or take now; whether there may be more at once.

        Of the output no more than `most_bytes` in all is passed on; `sent_bytes` counts the rest too.
        """
        if descriptor == self._input:
            self._feed(descriptor)
            return False
        if descriptor not in self._outputs:
            return False
        data = self._read(descriptor)
        if data is None:
            return False
        if not data:
            self._poll.unregister(descriptor)
            del self._outputs[descriptor]
            if self.terminal is None:
                os.close(descriptor)
            return False
        self.wrote = True
        room = most_bytes - self.sent_bytes
        self.sent_bytes += len(data)
        if room > 0:
            self._emit(self._outputs[descriptor] if self.terminal is None else "stdout", data[:room])
        return True

    def _read(self, descriptor: int) -> bytes | None:
        if self.terminal is not None:
            return self.terminal.read(_PIPE_BYTES)
        try:
            return os.read(descriptor, _PIPE_BYTES)
        except BlockingIOError:
            return None

    def _feed(self, descriptor: int) -> None:
        try:
            self._unsent = self._unsent[os.write(descriptor, self._unsent[:_PIPE_BYTES]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._unsent = memoryview(b"")
        if not self._unsent:
            self._close_input()

    def _close_input(self) -> None:
        if self._input is not None:
            self._poll.unregister(self._input)
            os.close(self._input)
            self._input = None

    def ended(self, status: int) -> None:
        """Notes how it ended. It is no longer waited for; what it wrote may still be in its pipes."""
        self.status = status
        self._poll.unregister(self._ended)
        os.close(self._ended)

    def close(self, most_bytes: int) -> None:
        """Takes what is left in the pipes. They may have got another writer, who is not waited for."""
        for descriptor in list(self._outputs):
            while self.sent_bytes <= most_bytes and self.pump(descriptor, most_bytes):
                pass
        if self.sent_bytes > most_bytes:
            self.limit = self.limit or "output"
        for descriptor in self._outputs:
            self._poll.unregister(descriptor)
            if self.terminal is None:
                os.close(descriptor)
        self._outputs = {}
        self._close_input()
        if self.terminal is not None:
            self.terminal.close()
            self.terminal = None

    @property
    def return_code(self) -> int | None:
        return None if self.status is None else os.waitstatus_to_exitcode(self.status)


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


class Wish:
    """What is to be started. `program` is a path; with `together` both outputs are one stream."""

    def __init__(
        self,
        program: str,
        argv: list[str],
        env: Mapping[str, str],
        stdin: bytes,
        *,
        terminal: bool = False,
        together: bool = False,
    ) -> None:
        self.program, self.argv, self.env, self.stdin = program, argv, env, stdin
        self.terminal, self.together = terminal, together


def start(wish: Wish, poll: select.poll, deadline: float, emit: Emit) -> Program:
    """Starts a program in the current folder, at the head of a session of its own. Raises Refused."""
    return _at_a_terminal(wish, poll, deadline, emit) if wish.terminal else _with_pipes(wish, poll, deadline, emit)


def _at_a_terminal(wish: Wish, poll: select.poll, deadline: float, emit: Emit) -> Program:
    terminal = Terminal(wish.stdin)
    try:
        # The session is begun before the file is opened, so the terminal becomes the one that controls it.
        opened = (os.POSIX_SPAWN_OPEN, 0, terminal.path, os.O_RDWR, 0)
        pid = _spawn(wish, [opened, (os.POSIX_SPAWN_DUP2, 0, 1), (os.POSIX_SPAWN_DUP2, 0, 2)])
        if terminal.was_taken_from(pid):
            os.killpg(pid, _SIGKILL)
            os.waitpid(pid, 0)
            reason = f"{wish.argv[0]}: another program of this session took its terminal, so it was ended"
            raise Refused("TOOL_EXECUTION_ERROR", reason)
    except Refused:
        terminal.close()
        raise
    program = Program(pid, {terminal.master: "stdout"}, poll, deadline, emit)
    program.terminal = terminal
    return program


def _with_pipes(wish: Wish, poll: select.poll, deadline: float, emit: Emit) -> Program:
    out_read, out_write = os.pipe()
    err_read, err_write = (None, out_write) if wish.together else os.pipe()
    in_read, in_write = os.pipe() if wish.stdin else (os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC), None)
    ends = ((in_read, 0), (out_write, 1), (err_write, 2))
    try:
        pid = _spawn(wish, [(os.POSIX_SPAWN_DUP2, end, number) for end, number in ends])
    except Refused:
        for descriptor in (out_read, err_read, in_write):
            if descriptor is not None:
                os.close(descriptor)
        raise
    finally:
        for descriptor in {out_write, err_write, in_read}:
            os.close(descriptor)
    outputs = {out_read: "stdout"} | ({err_read: "stderr"} if err_read is not None else {})
    program = Program(pid, outputs, poll, deadline, emit)
    if in_write is not None:
        program.feed_through(in_write, wish.stdin)
    return program


def _spawn(wish: Wish, actions: list[tuple[int, ...] | tuple[int, int, str, int, int]]) -> int:
    try:
        return os.posix_spawn(
            wish.program,
            wish.argv,
            wish.env,
            file_actions=actions,
            setsid=True,
            setsigmask=[],
            # Python ignores the first two; the others are ignored where mindX itself was started in the background.
            setsigdef=[_SIGPIPE, _SIGXFSZ, _SIGHUP, _SIGINT, _SIGQUIT],
        )
    except OSError as error:
        raise _not_started(wish.argv[0], error) from error


def _not_started(program: str, error: OSError) -> Refused:
    if error.errno == errno.ENOEXEC:
        return Refused("INVALID_PARAMETERS", f"{program}: no program; a script needs a first line such as #!/bin/sh")
    if error.errno in (errno.ENOENT, errno.EACCES):
        return Refused("INVALID_PARAMETERS", f"{program}: cannot be started ({os.strerror(error.errno)})")
    if error.errno == errno.E2BIG:
        return Refused("INVALID_PARAMETERS", "the command line is longer than the kernel takes")
    return Refused("TOOL_EXECUTION_ERROR", f"{program}: cannot be started ({error.strerror})")
