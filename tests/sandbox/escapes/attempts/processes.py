"""Other processes: seeing them, their environments, the helper that watches, and outliving a command."""

# ruff: noqa: PTH110, PTH116, PTH207, PTH208
# The system's own calls, as an attacker makes them.
from __future__ import annotations

import glob
import os
import pwd
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from .row import ENDS, SEEN, Place, Row, by_level, limit, weaker

_BEATS_S = 3.0


def _environ(pid: int | str) -> bytes:
    return Path(f"/proc/{pid}/environ").read_bytes()


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def _own_proc(_: Place) -> object:
    return _state(os.getpid())


def _opens(path: str, flags: int) -> object:
    os.close(os.open(path, flags))
    return True


def _blame(pid: int | str) -> object:
    """Makes a process the first that the kernel kills when memory runs out."""
    return Path(f"/proc/{pid}/oom_score_adj").write_text("900")


PROC = [
    Row("proc", "see the worker among the processes", lambda at: os.path.exists(f"/proc/{at.peer}"), _own_proc,
        weaker(SEEN)),
    Row("proc", "list the helper's descriptors", lambda at: os.listdir(f"/proc/{at.guard}/fd"), _own_proc),
    Row("proc", "change a kernel setting",
        lambda _: _opens("/proc/sys/kernel/core_pattern", os.O_RDWR), _own_proc, needs="root"),
    Row("proc", "read the worker's command line",
        lambda at: Path(f"/proc/{at.peer}/cmdline").read_bytes(), _own_proc, weaker(SEEN)),
    Row("proc", "read where the worker's memory is", lambda at: Path(f"/proc/{at.peer}/maps").read_bytes(), _own_proc),
    Row("proc", "have the kernel kill the worker first", lambda at: _blame(at.peer),
        by_level(lambda _: _blame("self"), _own_proc)),
]  # fmt: skip


def _anybodys(at: Place) -> object:
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            if at.marker.encode() in Path(path).read_bytes():
                return path
        except OSError:
            continue
    return None


def _own_environment(_: Place) -> object:
    return os.environ["PATH"]


ENVIRONMENT = [
    Row("environment", "inherit the worker's variables", lambda at: at.marker in str(os.environ), _own_environment),
    Row("environment", "read them in /proc/self", lambda at: at.marker.encode() in _environ("self"), _own_environment),
    Row("environment", "read the helper's environment", lambda at: _environ(at.guard), _own_environment),
    Row("environment", "search everybody's environment", _anybodys, _own_environment),
    Row("environment", "find the worker's home",
        lambda _: Path("~/credentials").expanduser().read_text(), lambda _: os.listdir(os.environ["HOME"]) is not None),
    Row("environment", "list the host's accounts",
        lambda _: len(pwd.getpwall()) > 1, by_level(lambda _: pwd.getpwuid(os.getuid()), _own_environment)),
]  # fmt: skip


def _signalled(at: Place, number: int, wanted: str) -> object:
    """True when the guard is in the wanted state soon after the signal."""
    os.kill(at.guard, number)
    deadline = time.monotonic() + 0.3
    while time.monotonic() < deadline:
        if _state(at.guard) == wanted:
            return True
    return False


def _own_child(_: Place) -> object:
    pid = os.fork()
    if pid == 0:
        time.sleep(20)
        os._exit(0)
    os.kill(pid, signal.SIGKILL)
    return os.waitpid(pid, 0)[1] == signal.SIGKILL


def _lame(at: Place) -> object:
    resource.prlimit(at.guard, resource.RLIMIT_NOFILE, (3, 3))
    return True


def _slow(at: Place) -> object:
    os.setpriority(os.PRIO_PROCESS, at.guard, 19)
    return True


def _slow_self(_: Place) -> object:
    os.setpriority(os.PRIO_PROCESS, 0, 5)
    return True


PARENT = [
    Row("parent", "kill the helper", lambda at: _signalled(at, signal.SIGKILL, "Z"), _own_child,
        weaker(ENDS)),
    Row("parent", "stop the helper", lambda at: _signalled(at, signal.SIGSTOP, "T"), _own_child,
        weaker(ENDS)),
    Row("parent", "interrupt the helper", lambda at: _signalled(at, signal.SIGINT, "Z"), _own_child,
        weaker(ENDS)),
    Row("parent", "lower the helper's limits", _lame, lambda _: resource.getrlimit(resource.RLIMIT_NOFILE)),
    Row("parent", "slow the helper down", _slow, _slow_self),
    Row("parent", "open the helper's memory",
        lambda at: _opens(f"/proc/{at.guard}/mem", os.O_RDONLY), lambda _: _opens("/proc/self/mem", os.O_RDONLY)),
]  # fmt: skip


def _beat() -> None:
    """Goes on in the background for a while, and ends at last where nothing ends it."""
    end = time.monotonic() + _BEATS_S
    while time.monotonic() < end:
        with open("beat", "a") as file:
            file.write("x")
        time.sleep(0.005)
    os._exit(0)


def _apart() -> None:
    """Away from the program's session and from its output."""
    os.setsid()
    nothing = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)


def _leaving(work: Callable[[], None]) -> Callable[[Place], object]:
    """Starts `work` two generations away, waits for its first beat, and leaves it there."""

    def attempt(_: Place) -> object:
        Path("program").write_text(str(os.getpid()))
        if os.fork() == 0:
            _apart()
            if os.fork() == 0:
                work()
            os._exit(0)
        while not os.path.exists("beat"):
            time.sleep(0.002)
        return False

    return attempt


def _hop() -> None:
    """A chain of processes, each of which starts the next and ends: whoever is killed has gone already."""
    end = time.monotonic() + _BEATS_S
    while time.monotonic() < end:
        with open("beat", "a") as file:
            file.write("x")
        if os.fork() != 0:
            os._exit(0)
    os._exit(0)


def _many_hops() -> None:
    for _number in range(8):
        if os.fork() == 0:
            _hop()
    os._exit(0)


def _deaf() -> None:
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            continue
    _beat()


def _another_program() -> None:
    code = "import time\nend = time.monotonic() + 3\nwhile time.monotonic() < end: open('beat', 'a').write('x')"
    os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", code])


def _orphan() -> None:
    """Starts its work only once the program has ended and was taken up."""
    program = int(Path("program").read_text())
    Path("beat").touch()
    end = time.monotonic() + 1
    while time.monotonic() < end:
        try:
            os.kill(program, 0)
        except ProcessLookupError:
            break
    if os.fork() == 0:
        _beat()
    os._exit(0)


def _still_beats(_: Place) -> object:
    size = os.stat("beat").st_size
    end = time.monotonic() + 0.2
    while time.monotonic() < end:
        if os.stat("beat").st_size > size:
            return True
    return False


RACE = [
    Row("race", name, _leaving(work), _own_child, alone=True, later=_still_beats)
    for name, work in [
        ("go on in the background", _beat),
        ("go on by forking faster than one is killed", _hop),
        ("go on as many that fork at once", _many_hops),
        ("go on deaf to every signal", _deaf),
        ("go on as another program", _another_program),
        ("begin when the parent has ended", _orphan),
    ]
]


def _busy(at: Place) -> object:
    end = time.monotonic() + at.patience_s
    while time.monotonic() < end:
        pass
    return True


def _ignoring(at: Place) -> object:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return _busy(at)


def _blocking(at: Place) -> object:
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    return _busy(at)


def _in_sessions_of_their_own(at: Place) -> object:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    pid = os.fork()
    if pid == 0:
        os.setsid()
        time.sleep(at.patience_s)
        os._exit(0)
    os.waitpid(pid, 0)
    return True


def _relay(at: Place) -> object:
    end = time.monotonic() + at.patience_s
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while time.monotonic() < end:
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
    return True


def _all_processors(_: Place) -> object:
    os.sched_setaffinity(0, os.sched_getaffinity(0))
    return True


def _briefly(_: Place) -> object:
    time.sleep(0.01)
    return True


TIME = [
    *(
        Row("time", name, attempt, _briefly, limit("time"), alone=True)
        for name, attempt in [
            ("compute for ever", _busy),
            ("ignore the polite signal", _ignoring),
            ("block every signal", _blocking),
            ("wait for a child in a session of its own", _in_sessions_of_their_own),
            ("go on in short-lived children", _relay),
        ]
    ),
    Row("time", "choose the processors itself", _all_processors, lambda _: os.sched_getaffinity(0)),
]


def _kept(pids: list[int]) -> object:
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return True


_MANY = 30  # above the limit in use, below what a control group would let through


def _forks(_: Place) -> object:
    return _kept([_child() for _number in range(_MANY)])


def _child(work: Callable[[], object] = lambda: time.sleep(5)) -> int:
    pid = os.fork()
    if pid == 0:
        _apart()
        work()
        os._exit(0)
    return pid


def _threads(_: Place) -> object:
    import threading

    ended = threading.Event()
    threads = [threading.Thread(target=ended.wait) for _number in range(_MANY)]
    try:
        for thread in threads:
            thread.start()
    finally:
        ended.set()
    return True


def _programs(_: Place) -> object:
    started = [subprocess.Popen(["/bin/sleep", "5"], stdout=subprocess.DEVNULL) for _number in range(_MANY)]
    return _kept([each.pid for each in started])


def _below_each_other(_: Place) -> object:
    return _line_of(_MANY)


def _line_of(generations: int) -> bool:
    """Each process starts the next and waits for it, so all are alive at one time."""
    if generations == 0:
        return True
    try:
        pid = os.fork()
    except OSError:
        return False
    if pid == 0:
        os._exit(0 if _line_of(generations - 1) else 1)
    return os.waitpid(pid, 0)[1] == 0


def _from_branches(_: Place) -> object:
    pids = [os.fork() for _number in range(2)]
    if 0 in pids:
        try:
            for _number in range(_MANY // 2):
                _child()
        except OSError:
            os._exit(1)
        os._exit(0)
    return all(os.waitpid(pid, 0)[1] == 0 for pid in pids)


def _raised(_: Place) -> object:
    _soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    wanted = hard + 1 if hard != resource.RLIM_INFINITY else hard
    resource.setrlimit(resource.RLIMIT_NPROC, (wanted, wanted))
    return True


FORK = [
    Row("fork", "more children", _forks, _own_child, alone=True),
    Row("fork", "more threads", _threads, _own_child, alone=True),
    Row("fork", "more programs", _programs, lambda _: subprocess.run(["true"]).returncode == 0, alone=True),
    Row("fork", "children that start each other", _below_each_other, _own_child, alone=True),
    Row("fork", "children of several parents", _from_branches, _own_child, alone=True),
    Row("fork", "a higher limit", _raised, lambda _: resource.getrlimit(resource.RLIMIT_NPROC),
        needs="the right to raise limits"),
]  # fmt: skip

ROWS = [*PROC, *ENVIRONMENT, *PARENT, *RACE, *TIME, *FORK]
