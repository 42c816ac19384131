"""Started programs that try to outlive their end, and to work on files while these are looked at.

Each attempt needs several commands of one session, so they stand here and not in the table of single programs. A bare
run is in `test_each_gets_through_where_nothing_holds_it`: the same programs, with nobody who stops or ends them.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from sandbox.contract import Request, Result, SessionState
from sandbox.sessions.session import open_session
from sandbox.store.snapshots import SnapshotRefused
from tests.sandbox.conftest import Hands
from tests.waiting import wait_until

_BEATS = (
    "def beat():\n    while True:\n        open('beat', 'a').write('x')\n        time.sleep(0.002)\n"
    "def apart():\n    os.setsid()\n    open('group', 'w').write(str(os.getpid()))\n"
)
_HEAD = "import ctypes, os, signal, sys, time\n" + _BEATS

# What a started program leaves, by how it gets away. Each says `ready` once it is there.
_LEFT = {
    "a child": "if os.fork() == 0: beat()\n",
    "a session of its own": "if os.fork() == 0:\n    apart()\n    beat()\n",
    "out of its tree": "if os.fork() == 0:\n    apart()\n    if os.fork() == 0: beat()\n    os._exit(0)\n",
    "deaf to signals": (
        "if os.fork() == 0:\n    apart()\n"
        "    for n in set(range(1, 65)) - {9, 19, 32, 33}: signal.signal(n, signal.SIG_IGN)\n"
        "    if os.fork() == 0: beat()\n    os._exit(0)\n"
    ),
    "always another process": (
        "if os.fork() == 0:\n    apart()\n    while True:\n        open('beat', 'a').write('x')\n"
        "        if os.fork() != 0: os._exit(0)\n"
    ),
}
_STAYS = "for n in (2, 15): signal.signal(n, signal.SIG_IGN)\nif os.fork() == 0: beat()\n"
_WAIT = "while not os.path.exists('beat'): time.sleep(0.001)\nprint('ready', flush=True)\ntime.sleep(60)\n"

# A timer of the kernel's sends SIGCONT, which nobody else could while all are stopped.
_TIMER = (
    "class Event(ctypes.Structure):\n"
    "    _fields_ = [('value', ctypes.c_void_p), ('signo', ctypes.c_int), "
    "('notify', ctypes.c_int), ('pad', ctypes.c_char * 48)]\n"
    "libc = ctypes.CDLL(None)\n"
    "timer = ctypes.c_void_p()\n"
    "signal.signal(18, lambda *_: None)\n"
    "assert libc.timer_create(1, ctypes.byref(Event(None, 18, 0)), ctypes.byref(timer)) == 0\n"
    "def wake(after_ms):\n"
    "    times = (ctypes.c_long * 4)(0, 0, 0, after_ms * 1_000_000)\n"
    "    assert libc.timer_settime(timer, 0, times, None) == 0\n"
)
_WAKES_LATER = _TIMER + (
    "open('beat', 'w').write('x')\nprint('ready', flush=True)\n"
    "while True:\n    wake(100)\n    open('beat', 'a').write('x')\n    time.sleep(0.001)\n"
)
# Who waits for a child that has not become a program yet cannot be stopped before that one is one.
_NEVER_RESTS = "if ctypes.CDLL(None).vfork() == 0:\n    print('ready', flush=True)\n    while True: time.sleep(1)\n"


@pytest.fixture
def hands(tmp_path: Path) -> Iterator[Hands]:
    root = tmp_path / "workspace"
    root.mkdir()
    with open_session(root, SessionState(autonomous=True)) as session:
        yield Hands(session, root)


def _begin(hands: Hands, code: str, name: str = "one") -> Result:
    (hands.root / f"{name}.py").write_text(_HEAD + code)
    result = hands.do("start", name=name, command_line=f"python {name}.py")
    wait_until(lambda: "ready" in hands.do("process_log", name=name).data["output"], what="it to be ready")
    return result


def _goes_on(root: Path, within: float = 0.3) -> bool:
    """Whether something still writes; what was written before is on the disk by now, since it has ended or is seen."""
    size = (root / "beat").stat().st_size
    try:
        wait_until(lambda: (root / "beat").stat().st_size != size, within=within, what="a beat")
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize("way", _LEFT)
def test_each_gets_through_where_nothing_holds_it(tmp_path: Path, way: str) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", _HEAD + _LEFT[way] + _WAIT],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        program.kill()
        program.wait()
        assert _goes_on(tmp_path, within=45)
    finally:
        # Its groups at once: one that forks all the time is not met one by one.
        for group in {program.pid, *map(int, (tmp_path / "group").read_text().split() if way != "a child" else [])}:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)


@pytest.mark.parametrize("way", _LEFT)
def test_nothing_outlives_its_stop(hands: Hands, way: str) -> None:
    assert _begin(hands, _LEFT[way] + _WAIT).ok
    assert hands.do("stop", name="one").ok
    assert not _goes_on(hands.root)


def test_what_will_not_be_stopped_is_ended_by_its_stop(hands: Hands) -> None:
    assert _begin(hands, _STAYS + _WAIT).ok
    stopped = hands.do("stop", name="one")
    assert stopped.ok
    assert stopped.data["return_code"] == -signal.SIGKILL
    assert not _goes_on(hands.root)


@pytest.mark.parametrize("way", _LEFT)
def test_nothing_outlives_its_stop_beside_another_one(hands: Hands, way: str) -> None:
    assert hands.do("start", name="other", command_line="sleep 60").ok
    _begin(hands, _LEFT[way] + _WAIT)
    hands.do("stop", name="one")
    assert not _goes_on(hands.root)


@pytest.mark.parametrize("way", _LEFT)
def test_nothing_outlives_the_session(tmp_path: Path, way: str) -> None:
    root = tmp_path / "workspace"
    root.mkdir()
    with open_session(root, SessionState(autonomous=True)) as session:
        _begin(Hands(session, root), _LEFT[way] + _WAIT)
    assert not _goes_on(root)


@pytest.mark.parametrize("way", ["out of its tree", "always another process"])
def test_what_left_its_tree_ends_with_the_next_program(hands: Hands, way: str) -> None:
    _begin(hands, _LEFT[way] + _WAIT)
    hands.run("true")
    assert not _goes_on(hands.root)


@pytest.mark.parametrize("way", _LEFT)
def test_what_a_foreground_program_leaves_does_not_hide_behind_a_started_one(hands: Hands, way: str) -> None:
    assert hands.do("start", name="other", command_line="sleep 60").ok
    ready = "while not os.path.exists('beat'): time.sleep(0.001)\n"
    hands.python(_HEAD + _LEFT[way] + ready)
    assert not _goes_on(hands.root)


def test_a_program_that_lets_itself_go_on_is_noticed_during_a_file_command(hands: Hands) -> None:
    (hands.root / "slow").write_text("a" * 24 + "b")
    _begin(hands, _WAKES_LATER)
    noticed = hands.do("grep", text="(a+)+$", path="slow", regular=True)
    assert noticed.error_class == "PERMISSION_ERROR"
    assert "did not hold still" in noticed.reason
    assert hands.session.living == ()
    assert hands.do("ls").ok


def test_a_program_that_lets_itself_go_on_is_noticed_during_a_snapshot(hands: Hands) -> None:
    _begin(hands, _WAKES_LATER)
    with pytest.raises(SnapshotRefused, match="did not hold still"):
        _look_until_it_moves(hands)
    assert hands.session.living == ()


def _look_until_it_moves(hands: Hands) -> None:
    with hands.session.still():
        size = (hands.root / "beat").stat().st_size
        wait_until(lambda: (hands.root / "beat").stat().st_size != size, what="it to let itself go on")


def test_a_program_that_never_comes_to_rest_is_ended_before_files_are_worked_on(hands: Hands) -> None:
    _begin(hands, _NEVER_RESTS)
    assert hands.do("ls").ok
    assert hands.session.living == ()
    assert hands.do("process_log", name="one").data["limit_reached"] == "restless"


def test_no_link_is_put_in_the_way_of_a_file_command(hands: Hands) -> None:
    """A folder that is a link every other moment: what is read lies in the folder, or there is a link; never beyond."""
    code = (
        "os.mkdir('real')\nopen('real/passwd', 'w').write('inside')\n"
        "print('ready', flush=True)\n"
        "while True:\n    os.symlink('/etc', 'way')\n    os.remove('way')\n"
        "    os.rename('real', 'way')\n    os.rename('way', 'real')\n"
    )
    _begin(hands, code)
    for _ in range(100):
        result = hands.session.execute(Request("read", {"path": "way/passwd"}))
        assert result.error_class in ("PERMISSION_ERROR", "INVALID_PARAMETERS") or result.data["content"] == "inside"


def test_nobody_types_into_the_terminal_of_another_nor_takes_it_unseen(hands: Hands) -> None:
    """Taking it (0x540E) can come before its program has it: then that one is ended, with the reason. Typing never."""
    code = (
        "import fcntl\nsignal.signal(1, signal.SIG_IGN)\nprint('ready', flush=True)\n"  # hung up on when seen
        "while not os.path.exists('/dev/pts/0'): time.sleep(0.001)\n"
        "if os.fork() == 0:\n    os.setsid()\n    terminal = os.open('/dev/pts/0', os.O_RDWR | os.O_NOCTTY)\n"
        "    for call in (0x540E, 0x5412):\n"
        "        try: fcntl.ioctl(terminal, call, b'x'); open('through', 'a').write(hex(call))\n"
        "        except OSError: pass\n"
        "    open('tried', 'w')\n    time.sleep(60)\ntime.sleep(60)\n"
    )
    _begin(hands, code)
    waits = "import os, time\nwhile not os.path.exists('tried'): time.sleep(0.001)\nprint('end')"
    result = hands.python(waits, terminal=True)
    if "took its terminal" in result.reason:
        wait_until((hands.root / "tried").exists, what="the attempt")
        assert (hands.root / "through").read_text() == "0x540e"
    else:
        assert result.data["stdout"] == "end\n"
        assert not (hands.root / "through").exists()
