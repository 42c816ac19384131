"""The process that keeps launchers ready: what it has of the worker and of sessions, and whose it is."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sandbox.contract import Request, SessionState
from sandbox.jail import cgroup, launching
from sandbox.sessions.session import open_session
from tests.sandbox.conftest import Hands
from tests.waiting import wait_until

_REPOSITORY = Path(__file__).resolve().parents[3]
# A worker with a session that forks as pools do; parent and child then each go on with sessions of their own.
_POOL = """
import os, sys
from pathlib import Path
from sandbox.contract import Request, SessionState
from sandbox.jail import cgroup, launching
from sandbox.sessions.session import open_session

def use(name):
    root = Path(sys.argv[1], name)
    root.mkdir()
    with open_session(root, SessionState()) as session:
        assert session.execute(Request("run", {"command_line": "true"})).ok
    print(name, launching._warm["launcher"]._process.pid, flush=True)

use("before")
if os.fork() == 0:
    assert launching._warm == {}
    use("child")
    sys.exit()  # with all that runs at exit, which must not end the parent's
os.wait()
use("after")
"""


def _warm_pid() -> int:
    return launching._warm["launcher"]._process.pid


def _children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _holds(pid: int, text: bytes) -> bool:
    """Whether `text` is anywhere in a process's writable memory."""
    with Path(f"/proc/{pid}/maps").open() as maps, Path(f"/proc/{pid}/mem").open("rb", 0) as memory:
        for line in maps:
            found = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw", line)
            if found and "[v" not in line:
                low, high = (int(each, 16) for each in found.groups())
                memory.seek(low)
                if text in memory.read(high - low):
                    return True
    return False


def test_a_child_of_the_worker_has_its_own_and_leaves_its_parents_alone(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _POOL, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(_REPOSITORY)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    said = dict(line.split() for line in done.stdout.splitlines())
    assert said["before"] == said["after"] != said["child"]
    wait_until(lambda: not any(Path("/proc", pid).exists() for pid in said.values()), what="the end of both")


def test_threads_start_sessions_at_the_same_time(tmp_path: Path) -> None:
    done: list[str] = []

    def use(name: str) -> None:
        root = tmp_path / name
        root.mkdir()
        (root / "name").write_text(name)
        with open_session(root, SessionState()) as session:
            done.append(session.execute(Request("run", {"command_line": "cat name"})).data["stdout"])

    threads = [threading.Thread(target=use, args=(f"session {number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [f"session {number}" for number in range(8)]


def test_without_it_launchers_are_started_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: str) -> None:
        raise OSError("no process can be kept")

    monkeypatch.setattr(launching, "_kept", fails)
    before = set(_children(os.getpid()))
    with open_session(tmp_path, SessionState()) as session:
        (own,) = set(_children(os.getpid())) - before
        assert b"warm.once(launcher.main)" in Path(f"/proc/{own}/cmdline").read_bytes()
        assert session.execute(Request("run", {"command_line": "true"})).ok
    assert set(_children(os.getpid())) == before


def test_a_killed_one_is_replaced_by_the_next_session(tmp_path: Path, hands: Hands) -> None:
    first = _warm_pid()
    launching._warm["launcher"]._process.kill()
    launching._warm["launcher"]._process.wait()
    with open_session(tmp_path, SessionState()) as session:
        assert session.execute(Request("ls")).ok
    assert _warm_pid() != first


def _held(pid: int) -> list[str]:
    """What the process's descriptors lead to; one that it closes while we look is not held."""
    held = []
    with contextlib.suppress(FileNotFoundError):
        for each in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                held.append(str(each.readlink()))
    return held


def test_it_has_no_descriptor_of_the_worker_and_neither_have_launchers(tmp_path: Path, hands: Hands) -> None:
    ordinary = {"/dev/null", "socket", "pipe", "anon_inode:[pidfd]", "/memfd:mindx (deleted)", "pidfd"}
    mine = os.open(tmp_path, os.O_RDONLY)
    os.set_inheritable(mine, True)

    def processes() -> list[int]:
        return [_warm_pid(), *_children(_warm_pid())]

    def beyond() -> set[str]:
        return {re.sub(r"\[?:?\[?\d+\]?$", "", each) for pid in processes() for each in _held(pid)} - ordinary

    try:
        with open_session(tmp_path, SessionState()):
            wait_until(lambda: len(processes()) == 4, what="two sessions, and the launcher that waits")
            # A launcher that gets ready has its control group open for a moment; what it inherited stays open.
            wait_until(lambda: not beyond(), what="nothing but its own descriptors")
    finally:
        os.close(mine)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may look into another process's memory everywhere")
def test_nothing_of_a_session_is_in_its_memory_nor_in_another_sessions_launcher(tmp_path: Path) -> None:
    roots = [tmp_path / "root-of-the-first", tmp_path / "root-of-the-second"]
    for root in roots:
        root.mkdir()
    with open_session(roots[0], SessionState()):
        launchers = set(_children(_warm_pid()))
        (first,) = [pid for pid in launchers if _children(pid)]
        with open_session(roots[1], SessionState()):
            (second,) = [pid for pid in _children(_warm_pid()) if _children(pid) and pid != first]
            held = {name: (_holds(first, name), _holds(second, name)) for name in (b"of-the-first", b"of-the-second")}
            assert held == {b"of-the-first": (True, False), b"of-the-second": (False, True)}
            assert not any(_holds(_warm_pid(), name) for name in held)


# A worker that tells of each control group with how many processes are in it: during a session and behind it.
_GROUPS = """
import sys
from pathlib import Path
from sandbox.contract import SessionState
from sandbox.jail import cgroup, launching
from sandbox.sessions.session import open_session

def told():
    for parent in map(Path, cgroup.parents()):
        for folder in parent.glob("mindx-*"):
            stat = Path("/proc", folder.name.split("-")[1], "stat")
            if stat.exists() and int(stat.read_text().rpartition(")")[2].split()[1]) == warm.pid:
                print(folder, len((folder / "cgroup.procs").read_text().split()), sep=",", end=" ")
    print(flush=True)

with open_session(Path(sys.argv[1]), SessionState()):
    warm = launching._warm["launcher"]._process
    sys.stdin.readline()
    told()
sys.stdin.readline()
told()
sys.stdin.readline()
"""


@pytest.mark.skipif(not cgroup.parents(), reason="control groups can be made by root only, where they are")
def test_the_launcher_that_waits_is_in_a_control_group_which_goes_with_it(tmp_path: Path) -> None:
    worker = subprocess.Popen(
        [sys.executable, "-c", _GROUPS, str(tmp_path)],
        cwd=_REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    asks, tells = worker.stdin, worker.stdout
    assert asks is not None
    assert tells is not None

    def groups() -> dict[str, int]:
        asks.write("\n")
        asks.flush()
        return {name: int(count) for name, count in (each.split(",") for each in tells.readline().split())}

    during = groups()
    # The session's, with launcher, bubblewrap and helper, and that of the next one, which is alone or on its way.
    assert sorted(count for count in during.values() if count > 1)[0] >= 3
    behind = groups()
    assert not [name for name, count in during.items() if count > 1 and name in behind]
    assert set(behind.values()) <= {0, 1}
    worker.communicate("\n")
    wait_until(lambda: not any(Path(name).exists() for name in {*during, *behind}), what="the groups to be removed")
