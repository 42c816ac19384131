"""One running jail: started by the launcher, controlled by frames, and reliably ended."""

from __future__ import annotations

import json
import logging
import math
import os
import random
import select
import socket
import time
from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sandbox.contract import Limits, SandboxError, SandboxUnavailable
from sandbox.jail import bubblewrap, cgroup, interpreter, landlock, launching, seccomp, uids
from sandbox.jail.bubblewrap import STAGED
from sandbox.jail.inside.frames import BadFrame, Frame, Frames, pack
from sandbox.jail.inside.place import TMP
from sandbox.jail.launcher import NO_ENTRANCE
from sandbox.jail.launching import Launcher, uids_of
from sandbox.jail.network import OWN_SOCKETS
from sandbox.jail.published import publish
from sandbox.places import JAIL_UID, data_folder, owner

if TYPE_CHECKING:
    from sandbox.gate.gate import Gate
    from sandbox.gate.plan import Plan

logger = logging.getLogger(__name__)

_START_S = 20.0
_END_S = 10.0
_RECEIVE_BYTES = 1 << 18
_FILTERING = 2
_ROOT_ONLY = (
    "it needs a uid of its own, which only root can give; start mindX as root in the container, or let it have user "
    "namespaces for L3"
)


class CellEnded(SandboxError):
    """The jail has ended."""


@dataclass(frozen=True)
class Report:
    """How a jail ended: bubblewrap's exit code (None if it never ran), its message, whether memory ran out."""

    code: int | None
    said: str
    out_of_memory: bool


class Cell:
    """A jail with its helper. Not thread-safe: a session uses it from one thread at a time.

    `gate` serves its network; without one the network leads nowhere.
    """

    def __init__(
        self, root: Path, templates: Path, limits: Limits, level: str = "L3", plan: Plan | None = None
    ) -> None:
        """Starts a jail of `level` over `root` and checks its helper's report. Raises SandboxUnavailable."""
        self.level = level
        self.gate: Gate | None = None
        self._frames = Frames()
        self._group: cgroup.Group | None = None
        self._launcher: Launcher | None = None
        helper_end, self._channel = socket.socketpair()
        self._channel.settimeout(_START_S)
        try:
            with helper_end:
                if level == "L3":
                    self._launcher = _launch(root, templates, limits, helper_end.fileno(), plan)
                else:
                    self._launcher = _launch_confined(root, templates, limits, helper_end.fileno(), level)
            self._group = cgroup.named(self._launcher.group)
            if self._group is not None:
                self._group.limit(limits)
            # The helper does nothing before it has these.
            self.send({"limits": asdict(limits)})
            # While the helper starts: the network exists before it, and no program runs before the jail was checked.
            failed = self._open_gate(plan, self._launcher) if plan is not None else None
            facts, _ = self.receive(time.monotonic() + _START_S)
            _check(facts, self._launcher, level)
            if failed is not None:
                _do_without(plan, failed)
        except (CellEnded, BadFrame, EOFError, TimeoutError, OSError) as error:
            raise SandboxUnavailable(_why_not(error, self.end(), level)) from error
        except BaseException:
            self.end()
            raise

    def _open_gate(self, plan: Plan, launcher: Launcher) -> OSError | None:
        """Opens the gate, or returns why not, to be raised once the jail runs: a failed jail has a better reason."""
        from sandbox.gate.gate import Gate

        sockets: list[socket.socket] = []
        try:
            sockets = launcher.sockets(OWN_SOCKETS + len(plan.places))
            self.gate = Gate(plan, sockets)
        except OSError as error:
            for each in sockets:
                each.close()
            return error
        return None

    def send(self, message: dict[str, Any], body: bytes = b"") -> None:
        """Raises CellEnded if the jail has ended."""
        try:
            self._channel.sendall(pack(message, body))
        except OSError as error:
            raise CellEnded("the jail has ended") from error

    def receive(self, deadline: float) -> Frame:
        """The helper's next frame. Raises TimeoutError at the deadline, CellEnded, BadFrame."""
        while True:
            frame = self._frames.next()
            if frame is not None:
                return frame
            wait_s = deadline - time.monotonic()
            if wait_s <= 0 or not select.select([self._channel], [], [], wait_s)[0]:
                raise TimeoutError
            try:
                data = self._channel.recv(_RECEIVE_BYTES)
            except ConnectionResetError:
                data = b""
            if not data:
                raise CellEnded("the jail has ended")
            self._frames.feed(data)

    def run(self, words: list[str], timeout_s: float) -> tuple[dict[str, Any], bytes]:
        """Runs one of our own programs in a plain environment; returns its result and its output.

        Raises TimeoutError, CellEnded, BadFrame.
        """
        self.send(
            {
                "do": "run",
                "candidates": [words],
                "cwd": "",
                "env": {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "TMPDIR": TMP, "LANG": "C.UTF-8"},
                "timeout_s": timeout_s,
                "watch_deletions": False,
            }
        )
        deadline = time.monotonic() + timeout_s + _END_S
        output = b""
        while True:
            message, body = self.receive(deadline)
            output += body
            if message.get("end") is True:
                return message, output

    def memory_kills(self) -> int:
        """How often the kernel killed a process of this jail for lack of memory; 0 if it does not count."""
        return self._group.memory_kills() if self._group is not None else 0

    def end(self) -> Report:
        """Kills everything, waits until it is gone, and returns the launcher's report."""
        if self.gate is not None:
            self.gate.close()
        said = self._launcher.end(_END_S) if self._launcher is not None else b""
        self._launcher = None
        self._channel.close()  # only now: a helper that ends itself would take its time
        code, _, rest = said.decode("utf-8", "backslashreplace").partition("\n")
        failure, _, spoken = rest.partition("\n")
        out_of_memory = self.memory_kills() > 0
        if self._group is not None:
            self._group.remove()
        if self.gate is not None:
            self.gate.join()
            self.gate = None
        return Report(int(code) if code else None, failure or spoken.strip(), out_of_memory)


def _do_without(plan: Plan | None, failed: OSError) -> None:
    """A jail that nothing is let into does without a gate. Raises SandboxUnavailable for any other."""
    if plan is not None and plan.places:
        raise SandboxUnavailable(f"the network gate could not be opened: {failed}") from failed
    logger.warning("what programs ask of the network is not watched", extra={"error": str(failed)})


def _launch(root: Path, templates: Path, limits: Limits, helper_end: int, plan: Plan | None) -> Launcher:
    """Starts the launcher, which gets the helper's end of the session's socket, and small files."""
    program = bubblewrap.find()
    python = interpreter.choose()
    binds = bubblewrap.binds(root, publish(), templates, python)
    filter_file = _held(_filter())
    files = {name: _held(content) for name, content in bubblewrap.etc_files().items()}
    arguments = bubblewrap.arguments(binds, filter_file, files, helper_end, python)
    identity = owner()
    try:
        return launching.launch(
            "launcher",
            [
                *(str(helper_end), str(identity[0]) if identity else "", ",".join(map(str, _cpus(limits)))),
                *("y" if cgroup.shares_cpu() else "", _entrances(plan)),
                *(str(root), STAGED + str(program), *arguments),
            ],
            (helper_end, filter_file, *files.values()),
        )
    finally:
        for descriptor in (filter_file, *files.values()):
            os.close(descriptor)


def _entrances(plan: Plan | None) -> str:
    if plan is None:
        return ""
    return ",".join(f"{address}:{port}" for address, port in plan.places) or NO_ENTRANCE


def _launch_confined(
    root: Path,
    templates: Path,
    limits: Limits,
    helper_end: int,
    level: str,
) -> Launcher:
    """Starts the launcher of a jail without namespaces, which gets what the other one does, and its uid's lock."""
    is_root = os.geteuid() == 0
    if level == "L2" and not is_root:
        raise SandboxUnavailable(f"no jail of level L2 could be started: {_ROOT_ONLY}")
    abi = _landlock_abi() if level == "L2" else None
    python = interpreter.choose()
    helper = publish()
    uid, lock = uids.claim() if is_root else (None, None)
    held = [] if lock is None else [lock]
    try:
        if abi is not None:
            old = {"truncate"} if abi < landlock.SINCE_TRUNCATE else ()
            held.append(_held(_filter(shared=True, without=old)))
        order = {
            "channel": helper_end,
            "root": str(root),
            "helper": str(helper),
            "templates": str(templates),
            "python": python.program,
            "readable": bubblewrap.readable(python),
            "passable": _ours_above(root, helper / "inside", templates / "any") if is_root else [],
            "uid": uid,
            "gid": JAIL_UID,
            "filter": held[-1] if abi is not None else None,
            "abi": abi,
            "cpus": _cpus(limits),
            "group_shares_cpu": cgroup.shares_cpu(),
        }
        return launching.launch("confined", [json.dumps(order)], (helper_end, *held))
    finally:
        for descriptor in held:
            os.close(descriptor)


def _filter(shared: bool = False, without: Collection[str] = ()) -> bytes:
    try:
        return seccomp.program(shared=shared, without=without)
    except KeyError as error:
        raise SandboxUnavailable(f"there is no system call filter for this architecture ({error})") from error


def _landlock_abi() -> int:
    """The newest ABI that both sides know. Raises SandboxUnavailable when there is none that makes a jail."""
    abi = min(landlock.kernel_abi(), landlock.NEWEST_ABI)
    try:
        landlock.handled(abi)
    except ValueError as error:
        raise SandboxUnavailable(f"no jail of level L2 could be started: {error}") from error
    return abi


def _ours_above(*paths: Path) -> list[str]:
    """The folders of our own data above these paths, outermost first; they may be closed to the jail's uid."""
    data = data_folder()
    return [str(folder) for path in paths for folder in reversed(path.parents) if folder.is_relative_to(data)]


def _held(content: bytes) -> int:
    """A descriptor from which a program that inherits it can read `content`."""
    descriptor = os.memfd_create("mindx")
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _cpus(limits: Limits) -> list[int]:
    """The processors of a jail, [] for all. Chosen at random, so that jails spread."""
    available = sorted(os.sched_getaffinity(0))
    wanted = math.ceil(limits.cpus)
    return random.sample(available, wanted) if 0 < wanted < len(available) else []


def _check(facts: dict[str, Any], launcher: Launcher, level: str) -> None:
    """Refuses a jail whose guards are not as they should be. Its helper is still alone, so its report can be trusted.

    The uid is read from outside, because inside every uid is mapped. A jail of L3 has its launcher's uid.
    """
    faults = []
    if 0 in (launcher.uids() if level == "L3" else uids_of(facts["pid"])):
        faults.append("it would run as root")
    if facts["seccomp"] != _FILTERING and level != "L1":
        faults.append("no system call filter is active")
    if facts["no_new_privs"] != 1:
        faults.append("programs could gain privileges")
    if facts["capabilities"] != 0:
        faults.append("it holds capabilities")
    if facts["pid"] != 1 and level == "L3":
        faults.append("it shares its process ids")
    if level == "L2" and facts["lists_root"]:
        faults.append("Landlock is not active")
    if level == "L2" and uids_of(facts["pid"]) & uids_of(os.getpid()):
        faults.append("it would have the worker's own uid")
    if faults:
        raise SandboxUnavailable("the jail is not tight: " + ", ".join(faults))


def _why_not(error: Exception, report: Report, level: str) -> str:
    said = report.said
    if isinstance(error, TimeoutError):
        said = said or f"it gave no answer within {_START_S:.0f} s"
    why = said.splitlines()[-1] if said else str(error) or "it ended at once"
    return f"no jail {'' if level == 'L3' else f'of level {level} '}could be started: {why}"
