"""Whatever is killed, in whatever order: nothing of a session stays alive."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.contract import Request, SandboxError, SessionState
from sandbox.sessions.session import Session, open_session
from tests.sandbox.conftest import Hands
from tests.waiting import wait_until

_REPOSITORY = Path(__file__).resolve().parents[3]
_WORKER = """
import os, sys, time
from pathlib import Path
from sandbox.contract import Request, SessionState
from sandbox.sessions.session import open_session
with open_session(Path(sys.argv[1]), SessionState()) as session:
    # A child that never executes anything keeps all of the worker's sockets open, as children of libraries do.
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        time.sleep(600)
    session.execute(Request("run", {"command_line": "python beat.py"}))
"""
# Two generations away from the program itself, in a process group and session of its own.
_BEAT = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True:
            open('beat', 'a').write('x')
            time.sleep(0.01)
time.sleep(600)
"""


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process with a session in which a program and its grandchild run."""
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "beat.py").write_text(_BEAT)
    environment = {**os.environ, "PYTHONPATH": str(_REPOSITORY)}
    process = subprocess.Popen([sys.executable, "-c", _WORKER, str(root)], env=environment, stdout=subprocess.PIPE)
    assert process.stdout is not None
    holder = int(process.stdout.readline())
    wait_until((root / "beat").exists, what="the program's first beat")
    # The warm process, the launcher that waits, the session's launcher, bubblewrap, helper, program, grandchild.
    wait_until(lambda: len(_descendants(process.pid)) >= 7, what="the launcher that waits")
    yield process
    process.kill()
    process.wait()
    process.stdout.close()
    os.kill(holder, signal.SIGKILL)


def _descendants(pid: int) -> list[int]:
    """The session's processes below `pid`, nearest first; not the child that holds sockets."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        parent = waiting.pop(0)
        for path in Path(f"/proc/{parent}/task").glob("*/children"):
            children = [int(each) for each in path.read_text().split()]
            if parent == pid:
                children = [each for each in children if _command(each) != _command(pid)]
            found += children
            waiting += children
    return found


def _warm(worker: int) -> list[int]:
    """The processes that a worker keeps to start launchers."""
    return [pid for pid in _children(worker) if b"warm.serve(launcher.main)" in _command(pid)]


def _jails(worker: int) -> list[int]:
    """All of a worker's sessions, nearest first: its launchers but the one that waits, and what is below them."""
    launchers = [pid for warm in _warm(worker) for pid in _children(warm) if _children(pid)]
    return launchers + [below for each in launchers for below in _descendants(each)]


def _children(pid: int) -> list[int]:
    found = (path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children"))
    return [int(each) for children in found for each in children]


def _zombies() -> list[int]:
    """Launchers that have ended and that nobody reaped. The warm process does it when it hears of it."""
    wait_until(lambda: len(_children(_warm(os.getpid())[0])) == 1, what="one launcher, which waits")
    return [pid for pid in _children(os.getpid()) if not _runs(pid)]


def _gone(pids: list[int]) -> bool:
    return not any(_runs(pid) for pid in pids)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_killed_worker_takes_everything_in_its_jail_along(worker: subprocess.Popen[bytes]) -> None:
    below = _descendants(worker.pid)
    assert len(below) >= 7
    os.kill(worker.pid, signal.SIGKILL)
    wait_until(lambda: _gone(below), what="the end of the jail")


@pytest.mark.parametrize("generation", [0, 1, 2, 3], ids=["warm", "launcher", "bubblewrap", "helper"])
def test_whichever_wall_is_killed_the_programs_die_and_the_worker_goes_on(
    worker: subprocess.Popen[bytes], generation: int
) -> None:
    (warm,) = _warm(worker.pid)
    below = _jails(worker.pid)
    os.kill([warm, *below][generation], signal.SIGKILL)
    wait_until(lambda: _gone(below), what="the end of the jail")
    assert worker.wait(timeout=60) == 0


def test_nobody_between_worker_and_program_has_the_workers_environment(worker: subprocess.Popen[bytes]) -> None:
    below = _descendants(worker.pid)
    assert len(below) >= 7
    names = {
        pair.split(b"=")[0] for pid in below[:5] for pair in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    }
    assert names <= {b"", b"PWD", b"LC_CTYPE"}


def test_a_session_that_is_left_leaves_nothing(tmp_path: Path) -> None:
    # What other tests of this process left is not this session's.
    before, left = set(_jails(os.getpid())), set(_children(os.getpid()))
    with open_session(tmp_path, SessionState()) as session:
        inside = [pid for pid in _jails(os.getpid()) if pid not in before]
        assert len(inside) == 3
        assert session.execute(Request("ls")).ok
    assert _gone(inside)
    assert left.issuperset(_zombies())


def test_after_its_jail_was_killed_a_session_says_so_and_then_works_again(hands: Hands, tmp_path: Path) -> None:
    hands.do("write", path="kept", content="x")
    _kill_helper(hands.session)
    with pytest.raises(SandboxError):
        hands.do("ls")
    assert [item["name"] for item in hands.do("ls").data["items"]] == ["kept"]


def test_a_program_whose_jail_is_killed_is_a_failed_step(hands: Hands) -> None:
    heard: list[object] = []

    def kill_now(*said: object) -> None:
        if not heard:
            _kill_helper(hands.session)
        heard.append(said)

    (hands.root / "wait.py").write_text("import time; print('up', flush=True); time.sleep(600)")
    result = hands.session.execute(Request("run", {"command_line": "python wait.py"}), on_output=kill_now)
    assert result.error_class == "TOOL_EXECUTION_ERROR"
    assert result.data["stdout"].startswith("up")
    assert hands.run("echo again").ok


def _kill_helper(session: Session) -> None:
    """Kills process 1 of the session's jail from outside and waits until it is gone."""
    mine = [pid for pid in _descendants(os.getpid()) if _command(pid).startswith(b"/usr/bin/python3\0-I\0-S\0-c")]
    helper = mine[-1]
    assert session.level == "L3"
    os.kill(helper, signal.SIGKILL)
    wait_until(lambda: not _runs(helper), what="the helper's end")


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
