"""The programs of the jail together: at most one that is waited for, and those that were started to live on.

The helper is process 1 of the jail, so nothing in it can signal the helper, every orphan becomes its child, and
`kill(-1)` reaches all the others at once, with no gap for one that forks meanwhile. In a jail without a process
namespace the uid, which no other session has, takes its part: `kill(-1)` then ends what has this uid.

Where programs live on, those that are to go have to be told from those that stay. That is done while all are held
still, round by round, until nothing is left that belongs to none of those that stay. Where that does not come to
rest, everything is ended.
"""

# ruff: noqa: SIM105
# The helper starts with every session, without pathlib and contextlib.
from __future__ import annotations

import os
import select
import time

from . import stillness
from .census import others, touched_by_process
from .members import Members, Started, limit_of
from .place import Place
from .programs import Program, Wish, start
from .stillness import Restless
from .tree import Refused
from .watch import Watch

TYPE_CHECKING = False  # importing typing costs a session's start 3 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .programs import Emit

    Limits = Mapping[str, Any]

_TICK_S = 0.025
_MOMENT_S = 0.3
_GRACE_S = 2.0
_PATIENCE_S = 1.0
_ROUNDS = 8
_GONE_S = 5.0
# The same on every architecture that has a filter; importing signal would cost as much as typing.
_SIGKILL, _SIGTERM = 9, 15


class Company:
    """All programs of one jail. `blame` is the descriptor of the helper's own oom_score_adj."""

    def __init__(self, place: Place, blame: int, limits: Limits) -> None:
        self.limits = limits
        self._place = place
        self._blame = blame
        self._poll = select.poll()
        self._members = Members()
        self._watch: Watch | None = None
        self._next_tick = 0.0
        self._held: stillness.Threads | None = None

    @property
    def living(self) -> list[str]:
        """The names of the started programs that have not ended."""
        return self._members.living

    # -- one program that is waited for -----------------------------------------------------------------------
    def run(
        self, wish: Wish, timeout_s: float, control: int, emit: Emit, cancelled: Callable[[], bool]
    ) -> dict[str, Any]:
        """Runs a program in the current folder and tells how it ended; all it left is gone then.

        `emit` gets (stream, bytes) as they come; `control` is the descriptor that becomes readable when the session
        says something, `cancelled` then reads it.
        """
        watch = self._looked_after()
        program = self._members.foreground = self._start(wish, timeout_s, emit)
        self._poll.register(control, select.POLLIN)
        try:
            while program.status is None:
                if self._turn(control) and cancelled():
                    self._end(program, "cancel")
        finally:
            self._poll.unregister(control)
            left_running = self._clear()
            program.close(self.limits["output_file_bytes"])
            self._members.foreground = None
        return self._ending(program, watch) | {"left_running": left_running}

    def _ending(self, program: Program, watch: Watch) -> dict[str, Any]:
        code, limit = program.return_code or 0, limit_of(program)
        if limit in (None, "time") and code != 0 and watch.peak_processes >= self.limits["processes"] - 1:
            limit = "processes"
        return {
            "return_code": code,
            "limit": limit,
            "peak_memory_bytes": watch.peak_bytes,
            # One that ended before anybody looked was one.
            "peak_processes": max(1, watch.peak_processes),
        }

    # -- programs that live on --------------------------------------------------------------------------------
    def start(self, name: str, wish: Wish) -> tuple[dict[str, Any], bytes]:
        """Starts a program that lives on. Raises Refused; of one that ended within a moment tells what it wrote."""
        self._members.check_name(name)
        self._looked_after()
        started = Started(name, self.limits["output_bytes"])
        started.program = self._start(wish, self.limits["hard_s"], started.hear)
        self._members.add(started)
        self._wait_for(started, _MOMENT_S)
        return started.told(0)

    def check_name(self, name: str) -> None:
        """Raises Refused for a name that is taken, or when too many programs live."""
        self._members.check_name(name)

    def log(self, name: str, from_byte: int) -> tuple[dict[str, Any], bytes]:
        """What a started program wrote, as far as it is kept, and how it fares. Raises Refused."""
        started = self._members[name]
        self._turn(None, wait=False)
        return started.told(from_byte)

    def stop(self, name: str) -> tuple[dict[str, Any], bytes]:
        """Ends a started program and its whole tree, politely and then for certain; what is to be said of it."""
        started = self._members[name]
        ended_before = not started.living
        if not ended_before:
            self._signal(started.program, _SIGTERM)
            self._wait_for(started, _GRACE_S)
            started.program.killed = True
        self._clear(besides=started.program.pid)
        self._close(started)
        self._members.forget(started)
        answer, body = started.told(0)
        return answer | {"ended_before": ended_before}, body

    def attend(self, control: int) -> None:
        """Looks after the started programs until the session says something."""
        if not self._looks_after_any():
            return
        self._poll.register(control, select.POLLIN)
        try:
            while self._looks_after_any() and not self._turn(control):
                pass
        finally:
            self._poll.unregister(control)

    def _looks_after_any(self) -> bool:
        # Held still nothing can happen; what was written before waits in the pipes.
        return self._held is None and bool(self.living)

    def _wait_for(self, started: Started, most_s: float) -> None:
        deadline = time.monotonic() + most_s
        while started.living and time.monotonic() < deadline:
            self._turn(None)

    # -- holding still ----------------------------------------------------------------------------------------
    def hold_still(self) -> None:
        """Stops all programs, and ends what belongs to none that was started. `let_go` takes it back."""
        if self.living and self._held is None:
            self._settle(lambda owner: owner is None)

    def let_go(self) -> None:
        """Lets the programs go on. Raises Refused when one had moved while all were to be still: it has ended then."""
        held, self._held = self._held, None
        if held is None:
            return
        if stillness.moved(held):
            self.end_all()
            reason = "a started program did not hold still while files were worked on, so all of them were ended"
            raise Refused("PERMISSION_ERROR", reason)
        stillness.let_go()

    def _settle(self, doomed: Callable[[int | None], bool]) -> int:
        """Ends every process whose owner is doomed; how many there were. The others are held still at the end."""
        count = 0
        try:
            for _ in range(_ROUNDS):
                self._held = stillness.hold()
                owned = stillness.owners(self._members.roots)
                found = {pid for pid, owner in owned.items() if doomed(owner)}
                if not found:
                    return count
                count += len(found)
                for pid in found:
                    _signal(pid, _SIGKILL)
                self._wait_until_gone(found)
        except Restless:
            pass
        # What does not come to rest is not told apart any more.
        for name in self.living:
            self._members[name].program.limit = "restless"
        self.end_all()
        return count

    def _wait_until_gone(self, pids: set[int]) -> None:
        deadline = time.monotonic() + _GONE_S
        while pids & stillness.owners(set()).keys():
            self._members.reap()
            if time.monotonic() > deadline:
                raise Restless
            time.sleep(0.001)
        self._members.reap()

    # -- the turns of the loop --------------------------------------------------------------------------------
    def _looked_after(self) -> Watch:
        """The watch, fresh when nothing runs yet: what the disk had then is what growth is measured from."""
        if self._watch is None or not self.living:
            self._watch = Watch(self._place, self.limits)
        self._watch.peak_bytes = self._watch.peak_processes = 0
        self._next_tick = time.monotonic() + _TICK_S
        return self._watch

    def _start(self, wish: Wish, most_s: float, emit: Emit) -> Program:
        if not self._place.ends_all:
            raise Refused("PERMISSION_ERROR", "no program is run where it could not be ended for certain")
        # When memory runs out the kernel shall take the program, which inherits this, before the helper.
        os.write(self._blame, b"500")
        try:
            return start(wish, self._poll, time.monotonic() + most_s, emit)
        finally:
            os.write(self._blame, b"0")

    def _turn(self, control: int | None, *, wait: bool = True) -> bool:
        """Moves what can be moved and looks at the limits when it is time; whether the session said something."""
        said = False
        wait_ms = max(1, int((self._next_tick - time.monotonic()) * 1000)) if wait else 0
        for descriptor, _ in self._poll.poll(wait_ms):
            if descriptor == control:
                said = True
                continue
            for program in self._members.alive:
                program.pump(descriptor, self.limits["output_file_bytes"])
        for program in self._members.alive:
            if program.sent_bytes > self.limits["output_file_bytes"]:
                self._end(program, "output")
        self._members.reap()
        for started in self._members:
            if not started.living and started.took_s is None:
                self._end_tree(started.program)
                self._close(started)
        now = time.monotonic()
        if now >= self._next_tick and self._members.alive:
            self._look(now)
            self._next_tick = time.monotonic() + _TICK_S
        return said

    def _look(self, now: float) -> None:
        for program in self._members.alive:
            if not program.killed and program.deadline.kills(now):
                self._end(program, "time")
            if program.deadline.passed:
                program.limit = program.limit or "time"
        limit = self._watch.look(now) if self._watch is not None else None
        if limit == "memory":
            self._end(self._heaviest(), limit)
        elif limit is not None:
            # Who filled the workspace is not to be seen.
            for program in self._members.alive:
                program.limit = program.limit or limit
            self.end_all()
        self._type()

    def _type(self) -> None:
        """Types to a program at a terminal once it waits: it wrote nothing since the last look and computes nothing."""
        program = self._members.foreground
        if program is None or program.terminal is None or not program.terminal.has_more:
            return
        waits = not program.wrote and stillness.all_wait(self._members.roots)
        program.wrote = False
        if waits or time.monotonic() > program.terminal.typed_at + _PATIENCE_S:
            program.terminal.type()

    def _heaviest(self) -> Program:
        """The program whose processes hold the most memory. What belongs to no started one is the other one's."""
        alive = {program.pid: program for program in self._members.alive}
        first = self._members.foreground or next(iter(alive.values()))
        held = dict.fromkeys(alive, 0)
        owned = stillness.owners(self._members.roots) if len(alive) > 1 else {}
        for pid, size_bytes in touched_by_process().items() if owned else ():
            owner = owned.get(pid) or first.pid
            held[owner] = held.get(owner, 0) + size_bytes
        return alive.get(max(held, key=lambda pid: held[pid]), first)

    # -- ending -----------------------------------------------------------------------------------------------
    def _end(self, program: Program, limit: str) -> None:
        """Kills a program with all that is its own."""
        program.killed = True
        program.limit = program.limit or limit
        self._end_tree(program)

    def _end_tree(self, program: Program) -> None:
        stays = [each for each in self._members.alive if each is not program]
        if not stays:
            kill_others(self._place)
            return
        own = None if program is self._members.foreground else program.pid
        self._settle(lambda owner: owner == own)
        self._go_on()

    def _clear(self, besides: int | None = None) -> int:
        """Ends all that belongs to no started program other than `besides`; how many processes that were."""
        if any(each.living and each.program.pid != besides for each in self._members):
            count = self._settle(lambda owner: owner in (None, besides))
            self._go_on()
            return count
        count = len(others())
        self.end_all()
        return count

    def _go_on(self) -> None:
        if self._held is not None:
            self._held = None
            stillness.let_go()

    def end_all(self) -> None:
        """Kills every program and returns when the helper is alone."""
        self._held = None
        kill_others(self._place)
        self._members.reap_all()
        for started in self._members:
            self._close(started)

    def _close(self, started: Started) -> None:
        if started.took_s is None:
            started.took_s = time.monotonic() - started.began
            started.program.close(self.limits["output_file_bytes"])

    def _signal(self, program: Program, number: int) -> None:
        try:
            os.killpg(program.pid, number)
        except (ProcessLookupError, PermissionError):
            pass


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def kill_others(place: Place) -> None:
    """Ends all processes of the jail but the helper."""
    if not place.ends_all:
        raise PermissionError("this would end processes that are not the jail's")
    try:
        os.kill(-1, _SIGKILL)
    except ProcessLookupError:
        pass
