"""What a worker keeps alive beside itself: what dies or is silent is replaced, and the model server is a program."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from library.language import embeddings
from mindx_web.processes import children, models
from mindx_web.processes.children import Child, Work
from mindx_web.processes.life import Pulse
from tests.waiting import wait_until


def until_told(stop: threading.Event, pulse: Pulse) -> None:
    """Waits, and beats once a look."""
    while not stop.wait(0.01):
        pulse.beat()


def hangs(_: threading.Event, __: Pulse) -> None:
    """Neither beats nor hears."""
    threading.Event().wait()


@pytest.fixture
def kept() -> Iterator[list[Child]]:
    """Children that are ended after the test."""
    found: list[Child] = []
    yield found
    for child in found:
        child.stop()
        child.end(within_s=0.0)


def started(kept: list[Child], work: Work) -> Child:
    child = Child("mindx-test", lambda: work)
    kept.append(child)
    child.start()
    return child


def name_of(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text().strip()


def a_beat_of(pulse: Pulse) -> None:
    """Wait for it."""
    seen = pulse.count()
    wait_until(lambda: pulse.count() > seen, what="a beat")


def is_gone(child: Child) -> bool:
    return child._process is None or not child._process.is_alive()


def test_one_that_beats_is_left_alone(kept: list[Child]) -> None:
    child = started(kept, until_told)
    pid = child.pid
    assert pid is not None
    wait_until(lambda: name_of(pid) == "mindx-test", what="its name")
    for _ in range(2 * children.SILENT_LOOKS):
        a_beat_of(child._pulse)
        child.keep()
    assert child.pid == pid
    child.stop()
    wait_until(lambda: is_gone(child), what="its end")


def test_one_that_is_silent_is_killed_and_replaced(kept: list[Child], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "FIRST_PAUSE_S", 0.0)
    monkeypatch.setattr(children, "LONGEST_PAUSE_S", 0.0)
    child = started(kept, hangs)
    pid = child.pid
    for _ in range(children.SILENT_LOOKS - 1):
        child.keep()
    assert not is_gone(child)
    child.keep()
    wait_until(lambda: is_gone(child), what="its end")
    child.keep()
    child.keep()
    assert child.pid not in {None, pid}


def test_one_that_dies_at_once_waits_longer_each_time(kept: list[Child], monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(children, "time", SimpleNamespace(monotonic=lambda: now[0]))
    child = started(kept, lambda *_: None)
    pauses = []
    for _ in range(8):
        assert child._process is not None
        child._process.join(30)
        child.keep()
        pauses.append(child._not_before - now[0])
        child.keep()
        assert child.pid is None, "it starts again only after the pause"
        now[0] = child._not_before
        child.keep()
    assert pauses == [pytest.approx(each) for each in (0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 15.0, 15.0)]


def test_the_model_server_is_a_program_that_says_that_it_lives(tmp_path: Path, settings: Any) -> None:
    settings.MODEL_SERVER = str(tmp_path / "models" / "socket")
    pulse = Pulse()
    pid = os.fork()
    if pid == 0:
        try:
            models.execute(pulse)
        finally:
            os._exit(1)
    try:
        wait_until(lambda: pulse.count() > 0 and Path(settings.MODEL_SERVER).exists(), what="the server")
        assert name_of(pid) == models.NAME
        assert [len(vector) for vector in embeddings.embed(["Two words"])] == [384]
        a_beat_of(pulse)
    finally:
        os.kill(pid, signal.SIGTERM)
        _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert not Path(settings.MODEL_SERVER).exists()


def test_the_model_server_imports_next_to_nothing() -> None:
    question = "import sys; from mindx_web.processes import models; print(*sys.modules)"
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "mindx_web.settings"}
    words = [sys.executable, "-c", question]
    said = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=True).stdout.split()
    assert {"celery", "psycopg", "redis", "litellm", "django.db.models", "agents", "review"}.isdisjoint(said)
