"""A session: a jailed, stateful terminal over one checkout, one command at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sandbox import commands
from sandbox.commands import Refusal
from sandbox.contract import DEFAULT_LIMITS, Limits, Request, Result, SandboxError, SandboxUnavailable, SessionState
from sandbox.gate.hosts import canonical
from sandbox.gate.plan import plan
from sandbox.gate.verdict import with_network
from sandbox.jail import probe
from sandbox.jail.cell import CellEnded
from sandbox.jail.inside.frames import BadFrame
from sandbox.jail.probe import LEVELS, Level
from sandbox.sessions import files, programs, states, tools
from sandbox.sessions.endings import Failed
from sandbox.sessions.ground import Ground
from sandbox.sessions.listening import Listener, OnOutput
from sandbox.sessions.undo import Undo
from sandbox.store.snapshots import SnapshotRefused, SnapshotStore

_PLAIN = {**files.COMMANDS, **states.COMMANDS}
_OF_PROGRAMS = {**programs.COMMANDS, **tools.COMMANDS}


@contextmanager
def open_session(
    root: Path,
    state: SessionState,
    limits: Limits = DEFAULT_LIMITS,
    minimum: str = "L3",
    store: SnapshotStore | None = None,
    hosts: Sequence[str] = (),
    jail_when_needed: bool = False,
    lay_out: Callable[[], None] | None = None,
) -> Iterator[Session]:
    """A session over the folder `root`, continuing from `state`.

    When the block is left, nothing that ran in it is alive. If the caller is root, the files under `root` become those
    of the jail's uid. With autonomous mode off, a program that deletes files it did not create is an ERROR; with a
    `store` its changes are also undone at once, without one the caller has to restore its own last snapshot.

    The jail has the best level of this machine. It starts at once, or, with `jail_when_needed`, with the first command
    that needs it. Only then must the folder exist; `lay_out` makes it before each jail, and its exceptions are passed
    on. Programs may reach exactly the `hosts` (entries as in `gate.hosts`). Raises SandboxUnavailable if the level is
    below `minimum` or does not support hosts, and HostRefused.
    """
    if minimum not in LEVELS:
        raise SandboxUnavailable(f"the wanted level {minimum!r} is none of {', '.join(LEVELS)}")
    wanted, found = canonical(hosts), _level(minimum)
    if wanted and found.name != "L3":
        raise SandboxUnavailable(found.why_no_hosts())
    session = Session(
        root if lay_out is not None else root.resolve(strict=True), state, limits, store, found.name, wanted, lay_out
    )
    try:
        if not jail_when_needed:
            session.start()
        yield session
    finally:
        session.close()


def is_at_hand(minimum: str, hosts: Sequence[str] = ()) -> bool:
    """Whether this machine is known to support a jail of that level, with hosts if wanted; starts nothing."""
    found = probe.known()
    return found is not None and not found.is_below(minimum) and (found.name == "L3" or not hosts)


def _level(minimum: str) -> Level:
    found = probe.level()
    if found.is_below(minimum):
        found = probe.level(refresh=True)  # what was missing may be installed by now
    if found.is_below(minimum):
        raise SandboxUnavailable(found.why_below(minimum))
    return found


class Session:
    """Runs requests and remembers folder, virtual environment and autonomous mode between them."""

    def __init__(
        self,
        root: Path,
        state: SessionState,
        limits: Limits,
        store: SnapshotStore | None = None,
        level: str = "L3",
        hosts: Sequence[str] = (),
        lay_out: Callable[[], None] | None = None,
    ) -> None:
        network = plan(hosts) if level == "L3" else None
        undo = Undo(root, store) if store is not None else None
        self._ground = Ground(root, state, limits, level, network, undo, lay_out or (lambda: None))

    @property
    def level(self) -> str:
        return self._ground.level

    @property
    def state(self) -> SessionState:
        return self._ground.state

    @property
    def living(self) -> tuple[str, ...]:
        """The names of the started programs that had not ended when the last command was answered."""
        return self._ground.living

    def start(self) -> None:
        """Start the jail now instead of with the first command that needs it. Raises SandboxUnavailable."""
        self._ground.jail()

    @property
    def may_have_written(self) -> bool:
        """Whether the folder can have changed since `looked_at`: only programs in a jail write there, and only during a
        command or while a started program lives.
        """
        return self._ground.was_asked or bool(self.living)

    def looked_at(self) -> None:
        """The caller has read the folder now."""
        self._ground.was_asked = False

    @contextmanager
    def still(self) -> Iterator[None]:
        """Stops all started programs during the block, so that the folder can be read from outside.

        Raises SnapshotRefused, before or after the block, if they did not stay stopped or deleted what they may not;
        they are then ended, and what was read must not be used.
        """
        if not self.living:
            yield
            return
        self._hold("hold_still")
        yield
        self._hold("let_go")

    def _hold(self, do: str) -> None:
        try:
            self._ground.ask({"do": do})
        except Refusal as refusal:
            raise SnapshotRefused(str(refusal)) from refusal
        except (CellEnded, BadFrame, TimeoutError) as error:
            said = self.close()
            raise SandboxError(f"the jail failed while its programs were held still: {said or error}") from error

    def close(self) -> str:
        """Ends everything in the jail; returns the jail's own last message (usually "")."""
        return self._ground.close()

    def execute(
        self,
        request: Request,
        on_output: OnOutput | None = None,
        cancel: threading.Event | None = None,
    ) -> Result:
        """Runs one request and returns when nothing that it started is alive.

        `on_output` gets (stream, bytes) as a program writes, in the caller's thread. `cancel`, once set, ends a
        running program within a second. Raises SandboxError if the sandbox failed, which says nothing about the step.
        The time for starting a jail does not count as the command's time.
        """
        started, starting_s = time.monotonic(), self._ground.starting_s
        try:
            commands.check(request.command, request.params)
            data = self._do(request.command, dict(request.params), Listener(on_output, cancel))
        except Refusal as refusal:
            result = Result("ERROR", {}, refusal.error_class, str(refusal))
        except Failed as failed:
            result = Result("ERROR", failed.data, failed.error_class, str(failed), limit=failed.limit)
        except (CellEnded, BadFrame, TimeoutError) as error:
            said = self.close()
            raise SandboxError(f"the jail failed during {request.command}: {said or error or 'no answer'}") from error
        else:
            result = Result("SUCCESS", data)
        cell = self._ground.cell
        if request.command in _OF_PROGRAMS and cell is not None and cell.gate is not None:
            result = with_network(result, cell.gate.take(go_on=bool(self.living)))
        starting_s = self._ground.starting_s - starting_s
        return replace(result, level=self.level, duration_s=time.monotonic() - started - starting_s)

    def _do(self, command: str, params: dict[str, Any], listener: Listener) -> dict[str, Any]:
        if command in _OF_PROGRAMS:
            return _OF_PROGRAMS[command](self._ground, params, listener)
        return _PLAIN[command](self._ground, params)
