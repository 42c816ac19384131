"""Programs that live on beside later commands: started, looked at, stopped, held to their limits all the while."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.contract import Limits, Result, SessionState
from sandbox.store.snapshots import SnapshotStore
from tests.sandbox.conftest import Hands, OpenHands
from tests.waiting import wait_until

_SERVER = (
    "import http.server\n"
    "server = http.server.ThreadingHTTPServer(('127.0.0.1', 8000), http.server.SimpleHTTPRequestHandler)\n"
    "print('up', flush=True)\nserver.serve_forever()\n"
)
_ASK = "import urllib.request as u\nprint(u.urlopen('http://127.0.0.1:8000/attempt.py').status)\n"


def _start(hands: Hands, code: str, name: str = "one", **params: str) -> Result:
    (hands.root / f"{name}.py").write_text(code)
    return hands.do("start", name=name, command_line=f"python {name}.py", **params)


def _log_when(hands: Hands, so: Callable[[Result], bool], name: str = "one") -> Result:
    found: list[Result] = []

    def looked() -> bool:
        found.append(hands.do("process_log", name=name))
        return so(found[-1])

    wait_until(looked, what="the program's log to say so")
    return found[-1]


def test_a_server_answers_later_commands_until_it_is_stopped(hands: Hands) -> None:
    assert _start(hands, _SERVER, "server").data["message"] == "server is running"
    _log_when(hands, lambda log: log.data["output"] == "up\n", "server")
    assert hands.python(_ASK).data["stdout"] == "200\n"
    assert hands.python(_ASK).data["stdout"] == "200\n"
    assert hands.session.living == ("server",)
    stopped = hands.do("stop", name="server")
    assert stopped.ok
    assert stopped.data["output"].count("GET /attempt.py") == 2
    assert stopped.data["return_code"] == -15
    assert hands.session.living == ()
    assert not hands.python(_ASK).ok
    assert hands.do("process_log", name="server").error_class == "INVALID_PARAMETERS"


def test_what_ends_within_a_moment_is_told_with_what_it_wrote(hands: Hands) -> None:
    # Programs that need no moment themselves: a Python may be slower than that where many others run.
    failed = hands.do("start", name="one", command_line="ls nowhere")
    assert (failed.error_class, failed.data["return_code"]) == ("TOOL_EXECUTION_ERROR", 2)
    assert "nowhere" in failed.data["output"]
    assert "is for run" in hands.do("start", name="one", command_line="true").reason
    assert hands.do("start", name="none", command_line="./none").error_class == "INVALID_PARAMETERS"
    assert hands.do("start", name="none", command_line="sh -c 1").error_class == "PERMISSION_ERROR"
    assert hands.session.living == ()


def test_a_name_is_short_and_plain_and_means_one_program(hands: Hands) -> None:
    for name in ("", "a b", "-a", "a/b", "a" * 33, "é"):
        for command in ("process_log", "stop"):
            assert hands.do(command, name=name).error_class == "INVALID_PARAMETERS"
        assert hands.do("start", name=name, command_line="sleep 60").error_class == "INVALID_PARAMETERS"
    assert hands.do("start", name="a-1_B", command_line="sleep 60").ok
    assert "stop it first" in hands.do("start", name="a-1_B", command_line="sleep 60").reason
    assert hands.do("stop", name="a-1_B").ok
    assert hands.do("start", name="a-1_B", command_line="sleep 60").ok


def test_at_most_eight_live_at_a_time(hands: Hands) -> None:
    for number in range(8):
        assert hands.do("start", name=f"n{number}", command_line="sleep 60").ok
    refused = hands.do("start", name="n8", command_line="sleep 60")
    assert refused.reason == "8 programs are running already; stop one first"
    assert hands.do("stop", name="n0").ok
    assert hands.do("start", name="n8", command_line="sleep 60").ok
    assert len(hands.session.living) == 8


def test_input_reaches_it_while_other_commands_run(hands: Hands) -> None:
    code = "import sys\nprint(len(sys.stdin.read()), flush=True)\nimport time; time.sleep(60)"
    assert _start(hands, code, stdin="x" * (1 << 20)).ok
    assert _log_when(hands, lambda log: bool(log.data["output"])).data["output"] == f"{1 << 20}\n"


def test_output_is_drained_between_commands_and_read_on_from_a_byte(open_hands: OpenHands) -> None:
    hands = open_hands(replace(Limits(), output_bytes=1000))
    code = "print('x' * 99_999)\nprint('end', flush=True)\nimport time; time.sleep(60)"
    assert _start(hands, code).ok
    log = _log_when(hands, lambda log: log.data["output"].endswith("end\n"))
    assert (log.data["total_bytes"], log.data["truncated"], log.data["running"]) == (100_004, True, True)
    assert "[99,004 bytes left out]" in log.data["output"]
    assert hands.do("process_log", name="one", from_byte=100_000).data["output"] == "end\n"
    assert hands.do("process_log", name="one", from_byte=100_004).data["output"] == ""
    assert hands.do("process_log", name="one", from_byte=499).data["output"].startswith("x\n[99,004 bytes left out]")
    assert hands.do("process_log", name="one", from_byte=-1).error_class == "INVALID_PARAMETERS"


def test_its_end_is_told_later(hands: Hands) -> None:
    _start(hands, "import time\ntime.sleep(0.5)\nraise SystemExit(7)")
    log = _log_when(hands, lambda log: not log.data["running"])
    assert (log.status, log.data["return_code"], log.data["message"]) == ("SUCCESS", 7, "one ended with exit status 7")
    assert hands.session.living == ()
    stopped = hands.do("stop", name="one")
    assert stopped.data["message"] == "one ended with exit status 7 before it was stopped"


def test_a_polite_signal_comes_first_and_what_ignores_it_ends_all_the_same(hands: Hands) -> None:
    told = "import signal, time\nsignal.signal(signal.SIGTERM, {})\nprint('up', flush=True)\nwhile True: time.sleep(1)"
    _start(hands, told.format("lambda *_: (print('bye', flush=True), exit(0))"), "polite")
    _start(hands, told.format("signal.SIG_IGN"), "deaf")
    for name in ("polite", "deaf"):
        _log_when(hands, lambda log: log.data["output"] == "up\n", name)
    polite, deaf = hands.do("stop", name="polite"), hands.do("stop", name="deaf")
    assert (polite.data["output"], polite.data["return_code"]) == ("up\nbye\n", 0)
    assert (deaf.status, deaf.data["return_code"]) == ("SUCCESS", -9)


@pytest.mark.parametrize("between", [True, False], ids=["between commands", "beside a command"])
@pytest.mark.parametrize(
    ("limit", "code"),
    [
        ("memory", "x = bytearray(200 << 20)\nimport time; time.sleep(60)"),
        ("output", "while True: print('x' * 999)"),
        ("time", "import time; time.sleep(60)"),
        ("workspace", "while True: open(str(__import__('os').urandom(8).hex()), 'wb').write(bytes(1 << 20))"),
    ],
)
def test_its_limits_are_watched_all_the_time(open_hands: OpenHands, limit: str, code: str, between: bool) -> None:
    hard_s = 6 if limit == "time" else 60
    tight = replace(Limits(), memory_bytes=64 << 20, output_file_bytes=1 << 20, soft_s=1, workspace_bytes=32 << 20)
    hands = open_hands(replace(tight, hard_s=hard_s))
    _start(hands, "import time; time.sleep(0.6)\n" + code)
    assert _start(hands, "import time; time.sleep(60)", "other").ok
    if not between:
        # What fills the workspace ends it as well, and where the time is short it is short for both.
        ran = hands.run("sleep 5.5" if limit == "time" else "sleep 1.4", timeout_s=hard_s)
        assert ran.ok or limit in ("time", "workspace")
    log = _log_when(hands, lambda log: not log.data["running"])
    assert log.data["limit_reached"] == limit
    stopped = hands.do("stop", name="one")
    assert (stopped.error_class, stopped.limit) == ("TOOL_EXECUTION_ERROR", limit)
    if limit in ("memory", "output"):
        assert hands.session.living == ("other",)


def test_a_program_that_is_waited_for_is_blamed_for_its_own_memory(open_hands: OpenHands) -> None:
    hands = open_hands(replace(Limits(), memory_bytes=96 << 20))
    assert _start(hands, "x = bytearray(20 << 20)\nprint('up', flush=True)\nimport time; time.sleep(60)").ok
    _log_when(hands, lambda log: log.data["output"] == "up\n")
    assert hands.python("x = bytearray(200 << 20)\nimport time; time.sleep(60)").limit == "memory"
    assert hands.session.living == ("one",)


def test_a_foreground_program_loses_what_it_left_and_the_started_one_stays(hands: Hands) -> None:
    code = "import os, time\nif os.fork() == 0: time.sleep(60)\nprint('up', flush=True)\ntime.sleep(60)"
    _start(hands, code)
    _log_when(hands, lambda log: log.data["output"] == "up\n")
    leaving = "import os, time\nfor _ in range(3):\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(60)"
    result = hands.python(leaving)
    assert result.data["left_running"] == 3
    # The helper, the started program, its child, and the one that looks.
    assert hands.run("find /proc -maxdepth 1 -name [0-9]*").data["stdout"].count("\n") == 4
    assert hands.session.living == ("one",)


def test_a_cancelled_or_late_program_leaves_the_started_one_alone(hands: Hands) -> None:
    _start(hands, _SERVER)
    _log_when(hands, lambda log: log.data["output"] == "up\n")
    assert hands.run("sleep 60", timeout_s=0.3).limit == "time"
    assert hands.python(_ASK).ok


def test_the_folder_is_still_while_it_is_looked_at_from_outside(hands: Hands) -> None:
    _start(hands, "import itertools\nfor n in itertools.count(): open('beat', 'w').write(str(n))")
    wait_until((hands.root / "beat").exists, what="its first beat")
    with hands.session.still():
        before, states = (hands.root / "beat").stat().st_mtime_ns, _states(hands.root)
        assert (hands.root / "beat").stat().st_mtime_ns == before
    assert states == {"T"}
    wait_until(lambda: (hands.root / "beat").stat().st_mtime_ns != before, what="it to go on")


def _states(root: Path) -> set[str]:
    """What the kernel says, outside of the jail, of the processes that work in a folder."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "cwd").stat().st_ino == root.stat().st_ino and (entry / "cmdline").read_bytes()[
                :6
            ] == b"python":
                found.add((entry / "stat").read_text().rpartition(")")[2].split()[0])
        except OSError:
            continue
    return found


def test_a_file_command_sees_nothing_move(open_hands: OpenHands) -> None:
    hands = open_hands(state=SessionState(autonomous=True))
    code = (
        "import os, itertools\nos.mkdir('many')\nfor n in range(500): open(f'many/{n:04}', 'w')\n"
        "print('up', flush=True)\n"
        "for n in itertools.count():\n"
        "    name = f'many/{n % 500:04}'\n    os.rename(name, name + '~')\n    os.rename(name + '~', name)\n"
    )
    assert _start(hands, code).ok
    _log_when(hands, lambda log: log.data["output"] == "up\n")
    for _ in range(20):
        assert hands.do("find", path="many").data["total"] == 500
    assert hands.session.living == ("one",)


def test_deleting_is_noticed_when_autonomous_mode_is_off(hands: Hands, tmp_path: Path) -> None:
    (hands.root / "kept").write_text("mine")
    _start(
        hands,
        "import os, time\nopen('own', 'w')\ntime.sleep(0.4)\nos.remove('own')\nprint('up', flush=True)\ntime.sleep(60)",
    )
    _log_when(hands, lambda log: log.data["output"] == "up\n")
    assert hands.do("ls").ok
    assert hands.do("write", path="later", content="also mine").ok
    _start(
        hands, "import os, time\ntime.sleep(0.4)\nos.remove('later')\nprint('gone', flush=True)\ntime.sleep(60)", "two"
    )
    _log_when(hands, lambda log: log.data["output"] == "gone\n", "two")
    noticed = hands.do("ls")
    assert noticed.error_class == "PERMISSION_ERROR"
    assert "deleted later, which it did not create" in noticed.reason
    assert hands.session.living == ()
    assert hands.do("ls").ok


def test_moving_by_a_command_is_no_deletion(hands: Hands) -> None:
    (hands.root / "here").write_text("mine")
    assert hands.do("start", name="idle", command_line="sleep 60").ok
    assert hands.do("mv", path="here", to="there").ok
    assert hands.do("ls").ok
    assert hands.run("rm there").error_class == "PERMISSION_ERROR"


def test_autonomous_mode_lets_it_delete(open_hands: OpenHands) -> None:
    hands = open_hands(state=SessionState(autonomous=True))
    (hands.root / "kept").write_text("mine")
    _start(hands, "import os, time\ntime.sleep(0.4)\nos.remove('kept')\nprint('gone', flush=True)\ntime.sleep(60)")
    _log_when(hands, lambda log: log.data["output"] == "gone\n")
    assert hands.do("ls").ok
    assert hands.do("toggle_autonomous_mode", on=False).ok
    assert hands.do("ls").ok
    assert hands.session.living == ("one",)


def test_an_undone_deletion_ends_what_was_started(open_hands: OpenHands, tmp_path: Path) -> None:
    hands = open_hands(store=SnapshotStore(tmp_path / "store"))
    (hands.root / "kept").write_text("mine")
    assert hands.do("start", name="idle", command_line="sleep 60").ok
    result = hands.run("rm kept")
    assert (result.error_class, result.data["undone"]) == ("PERMISSION_ERROR", True)
    assert (hands.root / "kept").read_text() == "mine"
    assert hands.session.living == ()


def test_nothing_started_costs_nothing(hands: Hands) -> None:
    with hands.session.still():
        assert hands.do("ls").ok


@pytest.mark.parametrize("level", ["L2", "L1"])
def test_below_the_full_level_nothing_lives_on(hands: Hands, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hands.session._ground, "level", level)
    result = hands.do("start", name="one", command_line="sleep 60")
    assert result.error_class == "PERMISSION_ERROR"
    assert "need level L3" in result.reason
