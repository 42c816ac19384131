"""A backup of a running mindX, restored into another: nothing is missing, and nothing runs by itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.prepared import Prepared
from tests.supervisor.running import ROOT, Running, free_port
from tests.whole.started import LEASE_S, Whole

pytestmark = pytest.mark.xdist_group("whole")


@contextmanager
def frozen(running: Running) -> Iterator[None]:
    """No worker takes anything until the block ends."""
    found = [pid for pid, line in running.below().items() if "celery" in line and " worker" in line]
    assert found
    for pid in found:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in found:
            os.kill(pid, signal.SIGCONT)


def read_back(backup: Path, data: Path) -> subprocess.CompletedProcess[str]:
    """`python -m mindx_web.backup restore`, into this data folder."""
    ours = ("MINDX_", "DJANGO_", "DATABASE_URL", "REDIS_URL", "PYTEST_")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    line = [sys.executable, "-m", "mindx_web.backup", "restore", str(backup)]
    return subprocess.run(
        line, cwd=ROOT, env={**clean, "MINDX_DATA": str(data)}, capture_output=True, text=True, check=False
    )


def test_a_restored_mindx_has_every_file_and_asks_again_before_it_runs_anything(
    whole: Whole, prepared: Prepared, tmp_path: Path
) -> None:
    write = {"tool": "simple_coder", "command": "write", "params": {"path": "a.txt", "content": "kept\n"}}
    done, plan = whole.plan_by_hand(write)
    whole.approve(plan)
    whole.wait_for(done, "achieved")
    number, plan = whole.plan_by_hand(write)
    backup = tmp_path / "backup"
    with frozen(whole.running):
        whole.approve(plan)
        said = whole.running.manage("backup", str(backup), "--with-keys")
    assert "snapshots as of" in said
    assert backup.stat().st_mode & 0o077 == 0
    whole.wait_for(number, "achieved")  # what the backup does not know

    other = tmp_path / "data"
    other.mkdir(mode=0o700)
    prepared.lend(other)
    restored = read_back(backup, other)
    assert restored.returncode == 0, restored.stdout + restored.stderr
    assert "1 approved plans went back to review" in restored.stdout
    assert read_back(backup, other).returncode == 1, "never over a mindX that is there"

    port = free_port()
    running = Running(other, MINDX_PORT=str(port), MINDX_LEASE_S=str(LEASE_S)).wait_ready()
    try:
        headers = dict(whole.api.headers)  # tokens are rows: those of the backup hold
        with httpx.Client(base_url=f"http://127.0.0.1:{port}/api/v1/", headers=headers, timeout=30) as api:
            again = Whole(running, port, api)
            assert again.file(done, "a.txt") == b"kept\n"
            goal: dict[str, Any] = again.goal(number)
            assert goal["state"] == "awaiting_review"
            assert any("restored from a backup" in line for line in again.log(number))
            asked = api.get(f"intent-plans/{goal['intent_plan']}").raise_for_status().json()
            assert asked["revision"] == plan["revision"] + 1
            found = running.manage("doctor", "--json", "--whole-store")
            assert '"fail": 0' in found
            again.approve(asked)
            again.wait_for(number, "achieved")
            assert again.file(number, "a.txt") == b"kept\n"
    finally:
        running.process.terminate()
        running.process.wait(timeout=60)
