"""A real `python -m mindx_web.supervisor` in a data folder of its own, and what it said."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from tests.supervisor.processes import children, descendants, lives
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
_FIRST_GIVEN = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
_PORTS = range(10_240, _FIRST_GIVEN) or range(10_240, 60_000)
START_S = 180.0  # a time-out for a slow and crowded machine, not what a start takes


def free_port() -> int:
    """A port that nobody listens on now, nor is given by the kernel to a connection before we listen on it."""
    while True:
        number = random.SystemRandom().choice(_PORTS)  # the other is seeded alike in all processes
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", number))
            return number


class Running:
    """One `python -m mindx_web.supervisor` and what it said."""

    def __init__(self, data: Path, **environment: str) -> None:
        ours = ("MINDX_", "DJANGO_", "DATABASE_URL", "REDIS_URL", "PYTEST_")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        self.data = data
        self._said = data.with_name(f"{data.name}-said-{time.monotonic_ns()}")
        self.environment = {**clean, "MINDX_DATA": str(data), **environment}
        with self._said.open("wb") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "mindx_web.supervisor"],
                cwd=ROOT,
                env=self.environment,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )

    @property
    def said(self) -> str:
        """Everything it has printed."""
        return self._said.read_text()

    def wait_ready(self) -> Running:
        """Wait for the line with the address; fail at once when the process ends instead."""
        wait_until(
            lambda: "mindX is ready" in self.said or self.process.poll() is not None, within=START_S, what="ready"
        )
        assert self.process.poll() is None, self.said
        return self

    def refused(self) -> str:
        """Wait for a start that must not succeed; returns what it said."""
        assert self.process.wait(timeout=START_S) == 1
        return self.said

    def below(self) -> dict[int, str]:
        """All its processes."""
        return descendants(self.process.pid)

    def part(self, word: str) -> int | None:
        """The direct child whose command line holds the word, if it runs."""
        found = [pid for pid, line in children(self.process.pid).items() if word in line and "launch.py" not in line]
        return found[0] if len(found) == 1 else None

    def kill_and_see_back(self, name: str, word: str) -> None:
        """Kill a part; wait until it was named, started again and is ready."""
        wait_until(lambda: self.part(word), within=START_S, what=f"{name} running")
        first = self.part(word)
        assert first is not None
        os.kill(first, signal.SIGKILL)
        wait_until(
            lambda: re.search(rf"(?s){name} was ended by SIGKILL.*{name} is ready", self.said),
            within=START_S,
            what=name,
        )
        assert self.part(word) not in (None, first)

    def manage(self, *arguments: str) -> str:
        """What `manage.py` says when it is given nothing but the data folder."""
        done = self.manage_early(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def manage_early(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """As `manage`, when it may be refused."""
        line = [sys.executable, "manage.py", *arguments]
        return subprocess.run(line, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False)

    def script(self, name: str) -> subprocess.CompletedProcess[str]:
        """Run one of our scripts beside it."""
        line = [str(ROOT / "scripts" / name)]
        return subprocess.run(line, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False)

    def kill_everything(self) -> None:
        """SIGKILL for every process at one time, the servers included: nothing can tidy up."""
        below = self.below()
        for pid in [self.process.pid, *below]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(timeout=60)
        wait_until(lambda: not [pid for pid in below if lives(pid)], within=60, what="everything dead")

    def end(self, number: signal.Signals) -> None:
        """Send the signal and see that nothing of it is left."""
        below = self.below()
        assert below
        self.process.send_signal(number)
        assert self.process.wait(timeout=120) == (0 if number != signal.SIGKILL else -signal.SIGKILL)
        wait_until(
            lambda: not [line for pid, line in below.items() if lives(pid)],
            within=60,
            what=f"nothing left of {sorted(below.values())}",
        )
