"""The launcher of jails without namespaces: it confines the helper, and stays outside to end everything.

Level L2 is a uid for this session alone, Landlock and the system call filter. Level L1 is only the uid, and allows only
file commands. Started as root, this process stays root, so that nothing in the jail can signal it; what it starts is
never root. As an ordinary user it offers only L1: an ordinary user cannot assign a separate uid, and with the worker's
uid a program could signal and trace the worker.

Standard library only, as the launcher of L3, whose watching and ending this uses.
"""

# ruff: noqa: PTH101, PTH112, PTH116, S606
# Starting quickly forbids pathlib and contextlib; a shell is the last thing wanted here.
from __future__ import annotations

import ctypes
import json
import os
import resource
import shutil
import signal
import tempfile
from collections.abc import Sequence

from sandbox.jail import landlock
from sandbox.jail.bundle import start_of
from sandbox.jail.launcher import (
    PR_SET_CHILD_SUBREAPER,
    PR_SET_NO_NEW_PRIVS,
    answer,
    check,
    end,
    hand_over,
    libc,
    watch,
)

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _MODE_FILTER = 1, 22, 2
_INSTRUCTION_BYTES = 8
_MOST_DESCRIPTORS = 1 << 16
# Each belongs to one session (see uids.py). `kill(-1)` under its uid ends a session; with any other uid, above all
# root's, it would end the machine's own processes.
UIDS = range(60_943, 61_007)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


class Order:
    """What the session's process wants, as it says it in JSON."""

    def __init__(self, text: str) -> None:
        told = json.loads(text)
        self.channel: int = told["channel"]
        self.root: str = told["root"]
        self.helper: str = told["helper"]
        self.templates: str = told["templates"]
        self.python: str = told["python"]
        self.readable: list[str] = told["readable"]
        self.passable: list[str] = told["passable"]
        self.uid: int | None = told["uid"]
        if self.uid is not None and self.uid not in UIDS:
            raise PermissionError(f"uid {self.uid} is not a jail's own")
        self.gid: int = told["gid"]
        self.filter: int | None = told["filter"]
        self.abi: int | None = told["abi"]
        self.cpus: list[int] = told["cpus"]
        self.group_shares_cpu: bool = told["group_shares_cpu"]


def open_up(order: Order) -> None:
    """Lets the jails' own group, and nobody else, pass those folders of ours that are closed to others.

    Only root's folders in our own data are opened; above them the operator's permissions stay.
    """
    for folder in order.passable:
        state = os.stat(folder)
        if state.st_uid == 0 and not state.st_mode & 0o001:
            os.chown(folder, -1, order.gid)
            os.chmod(folder, state.st_mode & 0o700 | 0o010)  # noqa: S103 - to pass, not to list


def sweep(uid: int) -> None:
    """Kills every process of a jail's uid at once, so that even one that forks meanwhile is not missed."""
    if uid not in UIDS:
        raise PermissionError(f"uid {uid} is not a jail's own, so its processes are not to be ended")
    child = os.fork()
    if child == 0:
        try:
            _become(uid, uid)
            if os.getresuid() == (uid, uid, uid):
                os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            pass
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def start(order: Order, tmp: str, errors: int, *, grouped: bool) -> int:
    """Starts the confined helper; its process id. What fails in it is said on the descriptor `errors`."""
    if grouped and order.group_shares_cpu:
        order.cpus = []
    if order.uid is not None:
        sweep(order.uid)
        open_up(order)
        workspace = os.open(order.root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        hand_over(workspace, order.uid)
        os.close(workspace)
        os.chown(tmp, order.uid, order.uid)
    launcher = os.getpid()
    child = os.fork()
    if child == 0:
        try:
            nothing = os.open("/dev/null", os.O_RDWR)
            for descriptor, target in ((nothing, 0), (nothing, 1), (errors, 2)):
                os.dup2(descriptor, target)
            _confine(order, tmp, launcher)
        except BaseException as error:  # whatever it is, this must not go on as a second launcher
            os.write(2, f"{error}\n".encode())
        finally:
            os._exit(1)
    return child


def _confine(order: Order, tmp: str, launcher: int) -> None:
    """Drops all other rights and becomes the helper. Does not return."""
    rules = None
    if order.abi is not None:
        rules = landlock.ruleset(order.abi, _rules(order, tmp))
    # Opened before Landlock closes /proc for writing. It stays this process's own when that becomes the helper.
    blame = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    if order.cpus:
        os.sched_setaffinity(0, order.cpus)
    if order.uid is not None:
        _become(order.uid, order.gid)
    if 0 in os.getresuid():
        raise PermissionError("the jail would run as root, which is no jail")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    check(libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0), "parent-death signal")
    if os.getppid() != launcher:
        raise ProcessLookupError("the launcher has ended")
    check(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    _check_reach(order, tmp)
    place = (order.root, order.templates, tmp, order.uid if order.abi is not None else None)
    code = start_of(order.helper, f"main({order.channel}, Place(*{place!r}), {blame})")
    os.chdir("/")
    program = _filter(order.filter) if order.filter is not None else None
    if rules is not None:
        landlock.restrict(rules)
    _close_all_but({0, 1, 2, order.channel, blame})
    os.set_inheritable(order.channel, True)
    os.set_inheritable(blame, True)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    if program is not None:
        check(libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0), "system call filter")
    os.execve(order.python, [order.python, "-I", "-S", "-c", code], {})


def _rules(order: Order, tmp: str) -> list[tuple[str, int]]:
    """The allowed uses of files; everything else is closed."""
    return [
        *((path, landlock.READ_AND_RUN) for path in order.readable),
        (order.helper, landlock.READ),
        (order.templates, landlock.READ_AND_RUN),
        ("/proc", landlock.READ),
        *((device, landlock.READ_FILE | landlock.WRITE_FILE) for device in _DEVICES),
        (order.root, landlock.ALL),
        (tmp, landlock.ALL),
    ]


def _check_reach(order: Order, tmp: str) -> None:
    """Raises PermissionError, with what to do, when the jail's uid cannot pass a folder above what it needs."""
    for path in (order.root, tmp, f"{order.helper}/inside", order.templates, order.python):
        above = ""
        for name in path.strip("/").split("/"):
            above += f"/{name}"
            if os.path.isdir(above) and not os.access(above, os.X_OK):
                raise PermissionError(
                    f"{above} is closed to the jail's uid, and without namespaces nothing can be shown to it elsewhere:"
                    f" open the folder (chmod o+x) or name another data folder in MINDX_DATA"
                )


def _become(uid: int, group: int) -> None:
    os.setgroups([group])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


class _Program(ctypes.Structure):
    _fields_ = [("count", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def _filter(descriptor: int) -> _Program:
    content = os.read(descriptor, 1 << 20)
    return _Program(len(content) // _INSTRUCTION_BYTES, content)


def _close_all_but(kept: set[int]) -> None:
    low = 0
    for descriptor in [*sorted(kept), _MOST_DESCRIPTORS]:
        if low < descriptor:  # Python takes an empty range for one without an end
            os.closerange(low, descriptor)
        low = descriptor + 1


def main(session: int, words: list[str], guards: Sequence[int], grouped: bool) -> None:
    """As the launcher's of L3; the order is one word."""
    order = Order(words[0])
    check(libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "subreaper")
    errors, errors_write = os.pipe()
    os.set_blocking(errors, False)
    tmp = tempfile.mkdtemp(prefix="mindx-jail-")
    code, failure = "", ""
    try:
        jail = start(order, tmp, errors_write, grouped=grouped)
    except OSError as error:
        failure = str(error)
    else:
        os.close(order.channel)
        watch(session, guards, jail)
        if order.uid is not None:
            sweep(order.uid)
        code = str(end(jail))
    finally:
        shutil.rmtree(tmp, ignore_errors=True)
    answer(session, code, failure, errors)
