"""Lanes as processes, seen from the runner: started, told what to do, waited for."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path

from benchmarks.durable.protocol import Entry, Place

ROOT = Path(__file__).resolve().parents[2]
_PEERS = ROOT / ".venv-bench" / "bin" / "python"


class LaneFailed(Exception):
    """A lane ended before it was told to; the message holds the end of what it wrote."""


class Lane:
    """One process."""

    def __init__(self, entry: Entry, database_url: str, redis_url: str, log: Path) -> None:
        self._log = log
        python = sys.executable if entry.ours else str(_PEERS)
        with log.open("ab") as file:
            self._process = subprocess.Popen(
                [python, "-m", "benchmarks.durable.lane", entry.key],
                cwd=ROOT,
                env=_environment(entry),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=file,
                text=True,
            )
        if self._process.stdin is None or self._process.stdout is None:
            raise LaneFailed("the lane was started without pipes")
        self._orders, self._answers = self._process.stdin, self._process.stdout
        self.tell(asdict(Place(database_url, redis_url, f"{entry.key}-{secrets.token_hex(4)}")))

    def tell(self, order: dict[str, object]) -> None:
        """Give an order; `wait` returns when it is carried out."""
        try:
            self._orders.write(json.dumps(order) + "\n")
            self._orders.flush()
        except BrokenPipeError:
            self._failed()

    def wait(self) -> None:
        """Until the lane answers. Raises LaneFailed."""
        if not self._answers.readline():
            self._failed()

    def end(self) -> None:
        """Let the lane close what it has open, and wait for it."""
        self._orders.close()
        try:
            self._process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _failed(self) -> None:
        self._process.wait(timeout=60)
        raise LaneFailed(self._log.read_text(errors="replace")[-4000:])


def _environment(entry: Entry) -> dict[str, str]:
    """Ours needs its settings; peers get no secrets of ours."""
    if entry.ours:
        return dict(os.environ)
    kept = ("PATH", "HOME", "LANG", "TMPDIR")
    return {name: os.environ[name] for name in kept if name in os.environ} | {"LANGSMITH_TRACING": "false"}


@contextmanager
def lanes(entry: Entry, count: int, database_url: str, redis_url: str, log: Path) -> Iterator[list[Lane]]:
    """This many lanes of an engine, connected. The first is ready before the others start: it makes the tables."""
    with ExitStack() as open_lanes:
        made: list[Lane] = []
        for number in range(count):
            lane = Lane(entry, database_url, redis_url, log)
            open_lanes.callback(lane.end)
            made.append(lane)
            if number == 0:
                lane.wait()
        for lane in made[1:]:
            lane.wait()
        yield made


def prepare(made: Sequence[Lane], plans: int) -> None:
    """Lay this many plans ready in each lane."""
    _all(made, {"do": "prepare", "plans": plans})


def run(made: Sequence[Lane]) -> float:
    """Run what was prepared in all lanes at once; the seconds until the last one is done."""
    started = time.perf_counter()
    _all(made, {"do": "run"})
    return time.perf_counter() - started


def _all(made: Sequence[Lane], order: dict[str, object]) -> None:
    for lane in made:
        lane.tell(order)
    for lane in made:
        lane.wait()
