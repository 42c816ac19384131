"""Each limit ends what exceeds it, says its name, and leaves a session that works."""

from __future__ import annotations

import pytest

from sandbox.contract import Limits, Request, Result
from sandbox.jail import cgroup
from tests.sandbox.conftest import Hands, OpenHands

MIB = 1 << 20

# A program that has to have done something before it expired: a crowded machine may take seconds to begin it.
_BEGUN_S = 6


def _ends_at(hands: Hands, result: Result, limit: str) -> None:
    assert result.status == "ERROR", result
    assert result.limit == limit, result
    assert result.error_class == "TOOL_EXECUTION_ERROR"
    assert result.reason
    assert hands.run("echo alive").data["stdout"] == "alive\n"


def test_time_with_what_was_written_until_then(hands: Hands) -> None:
    result = hands.python("import time; print('begun', flush=True); time.sleep(60)", timeout_s=_BEGUN_S)
    _ends_at(hands, result, "time")
    assert result.data["stdout"] == "begun\n"
    assert result.duration_s < 60


def test_time_for_a_program_that_ignores_the_polite_signal(hands: Hands) -> None:
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(1)"
    _ends_at(hands, hands.python(code, timeout_s=0.3), "time")


def test_a_program_told_to_end_may_still_write_what_it_has(hands: Hands) -> None:
    code = "import signal, sys, time; signal.signal(15, lambda *_: sys.exit(print('tidied up')))\ntime.sleep(60)"
    result = hands.python(code, timeout_s=_BEGUN_S)
    assert result.data["stdout"] == "tidied up\n"
    assert result.limit == "time"


def test_memory_of_one_program(open_hands: OpenHands) -> None:
    hands = open_hands(limits=Limits(memory_bytes=96 * MIB))
    code = "held = []\nwhile True: held.append(bytearray(b'x') * (1 << 20))"
    _ends_at(hands, hands.python(code), "memory")


def test_memory_of_many_programs_together(open_hands: OpenHands) -> None:
    hands = open_hands(limits=Limits(memory_bytes=128 * MIB))
    code = """
import os, time
for _ in range(8):
    if os.fork() == 0:
        held = bytearray(b'x') * (40 << 20)
        time.sleep(60)
time.sleep(60)
"""
    _ends_at(hands, hands.python(code), "memory")


def test_memory_shared_by_many_is_counted_once(open_hands: OpenHands) -> None:
    hands = open_hands(limits=Limits(memory_bytes=200 * MIB))
    code = """
import os, time
held = bytearray(b'x') * (80 << 20)
for _ in range(4):
    if os.fork() == 0:
        time.sleep(0.5); os._exit(0)
for _ in range(4): os.wait()
"""
    assert hands.python(code).ok


def test_a_large_program_that_starts_others_is_counted_once(open_hands: OpenHands) -> None:
    hands = open_hands(limits=Limits(memory_bytes=96 * MIB))
    started = (
        "import subprocess, time\nheld = bytearray(b'x') * (60 << 20)\nuntil = time.monotonic() + 2\n"
        "while time.monotonic() < until: subprocess.run(['/bin/true'])\nprint('whole')"
    )
    result = hands.python(started)
    assert result.data["stdout"] == "whole\n", result


def test_processes(open_hands: OpenHands) -> None:
    hands = open_hands(limits=Limits(processes=24))
    code = "import os, time\nwhile True:\n    try: os.fork()\n    except OSError: time.sleep(60)"
    result = hands.python(code, timeout_s=_BEGUN_S)
    _ends_at(hands, result, "processes")
    assert result.data["peak_processes"] <= 24


def test_output_is_cut_in_the_middle_and_counted(open_hands: OpenHands) -> None:
    hands = open_hands(limits=Limits(output_bytes=2000))
    result = hands.python("print('start'); print('x' * 100_000); print('finish')")
    assert result.ok
    assert result.data["stdout"].startswith("start\n")
    assert result.data["stdout"].endswith("finish\n")
    assert "bytes left out" in result.data["stdout"]
    assert len(result.data["stdout"]) < 2100
    assert (result.data["truncated"], result.data["stdout_bytes"]) == (True, 100_014)


def test_an_output_without_end(open_hands: OpenHands) -> None:
    hands = open_hands(limits=Limits(output_file_bytes=4 * MIB))
    heard = 0

    def count(_: str, data: bytes) -> None:
        nonlocal heard
        heard += len(data)

    line = "python -c \"while True: print('y' * 1000)\""
    result = hands.session.execute(Request("run", {"command_line": line}), on_output=count)
    _ends_at(hands, result, "output")
    assert heard <= 4 * MIB
    assert result.duration_s < 60


def test_a_file_too_large(open_hands: OpenHands) -> None:
    hands = open_hands(limits=Limits(file_bytes=MIB))
    result = hands.python("import signal; signal.signal(25, 0); open('big', 'wb').write(bytes(5 << 20))")
    _ends_at(hands, result, "file_bytes")
    assert (hands.root / "big").stat().st_size <= MIB


@pytest.mark.parametrize(
    "code",
    ["for n in range(400): open(f'f{n}', 'w')", "for n in range(20): open(f'f{n}', 'wb').write(bytes(1 << 20))"],
    ids=["files", "bytes"],
)
def test_a_workspace_too_large(open_hands: OpenHands, code: str) -> None:
    hands = open_hands(limits=Limits(workspace_files=300, workspace_bytes=10 * MIB))
    result = hands.python(code)
    assert (result.status, result.limit) == ("ERROR", "workspace")


def test_a_workspace_that_fills_the_disk_is_stopped_on_the_way(open_hands: OpenHands) -> None:
    hands = open_hands(limits=Limits(workspace_bytes=30 * MIB))
    code = "n = 0\nwhile True:\n    open(f'f{n % 100}', 'wb').write(bytes(4 << 20)); n += 1"
    result = hands.python(code, timeout_s=60)
    assert (result.status, result.limit) == ("ERROR", "workspace")
    assert result.duration_s < 60


def test_temporary_space_has_a_size(open_hands: OpenHands) -> None:
    hands = open_hands(limits=Limits(file_bytes=1 << 30))
    for place in ("/tmp", "/dev/shm"):
        result = hands.python(f"f = open('{place}/big', 'wb')\nfor _ in range(300): f.write(bytes(1 << 20))")
        assert "No space left" in result.data["stderr"], result


def test_descriptors(open_hands: OpenHands) -> None:
    hands = open_hands(limits=Limits(descriptors=64))
    result = hands.python("held = [open('/dev/null') for _ in range(100)]")
    assert "Too many open files" in result.data["stderr"]


def test_a_program_in_the_background_does_not_outlive_the_command(hands: Hands) -> None:
    code = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True:
            open('beat', 'a').write('x'); time.sleep(0.01)
    os._exit(0)
while not os.path.exists('beat'): pass
"""
    result = hands.python(code)
    assert result.ok, result
    assert result.data["left_running"] >= 1
    size = (hands.root / "beat").stat().st_size
    assert hands.run("ls /proc").data["stdout"].split().count("1") == 1
    assert len([name for name in hands.run("ls /proc").data["stdout"].split() if name.isdigit()]) == 2
    assert (hands.root / "beat").stat().st_size == size


@pytest.mark.skipif(not cgroup.parents(), reason="control groups can be made by root only, where they are")
def test_memory_that_no_process_seems_to_hold_is_the_kernels_to_count(open_hands: OpenHands) -> None:
    """Shared pages that were touched and let go: no process has them, the memory is gone all the same."""
    hands = open_hands(limits=Limits(memory_bytes=64 * MIB))
    code = """
import mmap
held = []
while True:
    block = mmap.mmap(-1, 8 << 20)
    block.write(b'x' * (8 << 20))
    block.madvise(mmap.MADV_DONTNEED)
    held.append(block)
"""
    _ends_at(hands, hands.python(code), "memory")


def test_timers_wait_in_the_kernel_only_so_many(hands: Hands) -> None:
    code = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
timer = ctypes.c_void_p()
made = 0
while made < 5000 and libc.timer_create(1, None, ctypes.byref(timer)) == 0: made += 1
print(made)
"""
    result = hands.python(code)
    assert 0 < int(result.data["stdout"]) <= 1024, result
