"""One part and its keeper, with small programs in place of the real parts."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mindx_web.supervisor.keeper import Keeper, PartFailed
from mindx_web.supervisor.part import Part
from mindx_web.supervisor.service_user import AS_WE_ARE, Launch
from tests.supervisor.processes import lives
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
WAITS = "import pathlib, sys, time; pathlib.Path(sys.argv[1]).write_text('up'); time.sleep(600)"
ENDS = "import sys; print('the reason is here', flush=True); sys.exit(3)"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + WAITS
WITH_CHILD = (
    "import pathlib, subprocess, sys, time; "
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); "
    "pathlib.Path(sys.argv[1]).write_text(str(child.pid)); time.sleep(600)"
)


def part(program: str, mark: Path, *, grace_s: float = 5.0) -> Part:
    """A part that is ready when it has written `mark`."""

    async def ready() -> bool:
        return mark.exists() and mark.read_text() != ""

    def prepare() -> None:
        mark.unlink(missing_ok=True)

    launch = Launch(AS_WE_ARE, Path("/"), {}, signal.SIGKILL, private=False)
    line = [sys.executable, "-c", program, str(mark)]
    return Part("example", lambda: launch.argv(line), dict(os.environ), ready, prepare, grace_s=grace_s)


async def until(condition: Callable[[], object]) -> None:
    await asyncio.to_thread(wait_until, condition)


def pid_of(keeper: Keeper) -> int:
    assert keeper._process is not None
    return keeper._process.pid


def test_a_part_that_is_killed_is_started_again_and_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    async def story() -> None:
        keeper = Keeper(part(WAITS, tmp_path / "mark"), tmp_path)
        await keeper.start(within_s=45)
        first = pid_of(keeper)
        os.kill(first, signal.SIGKILL)
        await until(lambda: pid_of(keeper) != first and caplog.text.count("example is ready") == 2)
        assert "example was ended by SIGKILL; starting it again" in caplog.text
        second = pid_of(keeper)
        assert lives(second)
        await keeper.stop()
        assert not lives(second)

    asyncio.run(story())


def test_a_part_that_never_becomes_ready_fails_the_start_with_the_end_of_its_log(tmp_path: Path) -> None:
    async def story() -> None:
        keeper = Keeper(part(ENDS, tmp_path / "mark"), tmp_path)
        with pytest.raises(PartFailed, match=r"(?s)example ended with exit code 3.*the reason is here"):
            await keeper.start(within_s=45)
        await keeper.stop()

    asyncio.run(story())


def test_a_part_that_does_not_answer_in_time_fails_the_start(tmp_path: Path) -> None:
    async def story() -> None:
        keeper = Keeper(part("import time; time.sleep(600)", tmp_path / "mark"), tmp_path)
        with pytest.raises(PartFailed, match=r"did not answer within 0\.3 s"):
            await keeper.start(within_s=0.3)
        await keeper.stop()
        assert not lives(pid_of(keeper))

    asyncio.run(story())


def test_a_preparation_that_fails_counts_as_an_end_and_is_tried_again(tmp_path: Path) -> None:
    tries = []

    def refuse() -> None:
        tries.append(1)
        raise OSError("the disk is full")

    async def story() -> None:
        good = part(WAITS, tmp_path / "mark")
        bad = Part(good.name, good.argv, good.environment, good.ready, refuse)
        with pytest.raises(PartFailed, match="the disk is full"):
            await Keeper(bad, tmp_path).start(within_s=45)

    asyncio.run(story())
    assert len(tries) == 3


def test_a_stubborn_part_is_killed_after_its_grace(tmp_path: Path) -> None:
    async def story() -> None:
        keeper = Keeper(part(STUBBORN, tmp_path / "mark", grace_s=0.3), tmp_path)
        await keeper.start(within_s=45)
        began = time.monotonic()
        await keeper.stop()
        assert 0.3 <= time.monotonic() - began < 45
        assert not lives(pid_of(keeper))

    asyncio.run(story())


@pytest.mark.parametrize("how", ["stopped", "killed"])
def test_a_part_that_ends_leaves_no_child(tmp_path: Path, how: str) -> None:
    mark = tmp_path / "mark"

    async def story() -> None:
        keeper = Keeper(part(WITH_CHILD, mark), tmp_path)
        await keeper.start(within_s=45)
        child = int(mark.read_text())
        assert lives(child)
        if how == "killed":
            os.kill(pid_of(keeper), signal.SIGKILL)
            await until(lambda: not lives(child))
        await keeper.stop()
        await until(lambda: not lives(child))  # killed already; the kernel may need a moment to take it down

    asyncio.run(story())


def test_a_big_log_is_turned_before_a_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindx_web.supervisor.keeper.LONGEST_LOG_BYTES", 10)
    (tmp_path / "example.log").write_text("much more than ten bytes")

    async def story() -> None:
        keeper = Keeper(part(WAITS, tmp_path / "mark"), tmp_path)
        await keeper.start(within_s=45)
        await keeper.stop()

    asyncio.run(story())
    assert (tmp_path / "example.log.1").read_text() == "much more than ten bytes"


def test_a_part_dies_with_a_killed_supervisor(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    program = "import os, pathlib, sys, time; pathlib.Path(sys.argv[1]).write_text(str(os.getpid())); time.sleep(600)"
    supervisor_program = (
        "import signal, subprocess, sys, time; from pathlib import Path; "
        "from mindx_web.supervisor.service_user import AS_WE_ARE, Launch; "
        "launch = Launch(AS_WE_ARE, Path('/'), {}, signal.SIGKILL, private=False); "
        "subprocess.Popen(launch.argv([sys.executable, '-c', *sys.argv[1:]])); time.sleep(600)"
    )
    supervisor = subprocess.Popen([sys.executable, "-c", supervisor_program, program, str(mark)], cwd=ROOT)
    wait_until(lambda: mark.exists() and mark.read_text())
    running = int(mark.read_text())
    assert lives(running)
    supervisor.kill()
    supervisor.wait()
    wait_until(lambda: not lives(running), what="the part ending with its parent")
