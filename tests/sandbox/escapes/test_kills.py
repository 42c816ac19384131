"""Launcher, helper and the process that keeps launchers ready killed at random, a hundred times."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
from pathlib import Path

from sandbox.contract import Request, Result, SandboxError, SessionState
from sandbox.sessions.session import Session, open_session
from tests.waiting import wait_until

_KILLS = 100
_MOST_BEFORE_S = 0.03
# What a killed command may leave: a program's own doing, and the helper's file that was not renamed yet.
_BEAT = """
import os, time
if os.fork() == 0:
    os.setsid()
    while True:
        time.sleep(0.01)
open('began', 'w').write('x')
time.sleep(60)
"""


def test_a_hundred_random_kills_leave_no_process_and_harm_no_file(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    sys.stdout.write(f"seed {seed}\n")  # shown when the test fails
    chance = random.Random(seed)
    (tmp_path / "beat.py").write_text(_BEAT)
    kept = {f"kept{number}": f"content {number}\n" * number for number in range(20)}
    for name, content in kept.items():
        (tmp_path / name).write_text(content)
    with open_session(tmp_path, SessionState()) as session:
        for number in range(_KILLS):
            _kill_one(session, chance, number)
            assert _alive_again(session).ok, number
            assert {name: (tmp_path / name).read_text() for name in kept} == kept, number
            assert (tmp_path / "target").read_text() in {"", *(_content(each) for each in range(number + 1))}


def _content(number: int) -> str:
    return f"{number} " * 20_000


def _kill_one(session: Session, chance: random.Random, number: int) -> None:
    """Kills one of them while a command is under way, and waits until all of the session is gone."""
    below = _descendants(_launcher())
    target = chance.choice([_warm(), _launcher(), below[-1]])
    request = chance.choice(
        [
            Request("run", {"command_line": "python beat.py"}),
            Request("write", {"path": "target", "content": _content(number)}),
            Request("ls", {}),
        ]
    )
    launcher = _launcher()
    seen: set[int] = {launcher, *below}

    def kill() -> None:
        time.sleep(chance.random() * _MOST_BEFORE_S)
        seen.update(_descendants(launcher))
        os.kill(target, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        session.execute(request)
    except SandboxError:
        pass  # killed during it
    finally:
        killer.join()
    wait_until(lambda: not any(map(_runs, seen)), what="the end of all processes")


def _alive_again(session: Session) -> Result:
    """The next command. One that had ended before the kill leaves its session to notice only now."""
    try:
        return session.execute(Request("write", {"path": "target", "content": ""}))
    except SandboxError:
        return session.execute(Request("write", {"path": "target", "content": ""}))


def _warm() -> int:
    (found,) = [pid for pid in _children(os.getpid()) if _runs(pid) and b"warm.serve(launcher.main)" in _command(pid)]
    return found


def _launcher() -> int:
    """The session's; the one that waits for the next has no child."""
    (found,) = [pid for pid in _children(_warm()) if _children(pid)]
    return found


def _descendants(pid: int) -> list[int]:
    """All processes below `pid`, nearest first."""
    found = _children(pid)
    for each in found:
        found += _children(each)
    return found


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(each) for each in path.read_text().split()]
        except OSError:
            continue
    return found


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
