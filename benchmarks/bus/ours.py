"""Requests of the bus that do nothing, on two workers of mindX, with everything that a request has: a sealed row, a
lease, a route, an answer that is kept, a record and a line in the log.
"""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agents.bus.providers import Answer, Asked
    from people.models import User

_WAIT_S = 300.0


class Nothing:
    """Answers without doing anything."""

    def answer(self, request: Asked) -> Answer:
        """The empty answer."""
        from agents.bus.providers import Answer

        return Answer()


def connect() -> None:
    """Have the provider answer in this process. Django is set up."""
    from agents.bus import providers
    from agents.bus.members import Offer

    providers.connect(providers.Connected("bench", "does nothing", (Offer("noop"),), Nothing()))


class Ours:
    """So many workers, and requests for them."""

    def __init__(self, by: User, workers: int) -> None:
        from agents.bus import in_step

        self._by = by
        connect()
        in_step.refresh()
        line = [sys.executable, "-m", "benchmarks.bus.ours", "worker", "--pool", "solo"]
        line += ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "ERROR"]
        self._workers = [
            subprocess.Popen(
                [*line, "--hostname", f"ours{number}@bench"],
                stdin=subprocess.DEVNULL,
                stdout=2,
            )
            for number in range(workers)
        ]

    def prepare(self, calls: int) -> None:
        """Lay requests ready; while everything stands still no worker takes one up."""
        from agents.models import Standstill

        Standstill.objects.create(by=self._by, reason="requests are laid ready")
        self.ask(calls)

    def ask(self, calls: int) -> None:
        """Ask so many times."""
        from agents.bus import requests

        for number in range(calls):
            requests.request(by=self._by, capability="noop", content={"n": number})

    def ask_and_wait(self, calls: int) -> None:
        """Ask so many times, while the workers answer, until everything was answered."""
        self.ask(calls)
        self.wait()

    def run(self) -> None:
        """Let the workers go, and wait until everything was answered."""
        from agents.bus import settling
        from agents.models import Standstill

        Standstill.objects.all().delete()
        settling.sweep()
        self.wait()

    def wait(self) -> None:
        """Wait until nothing is open."""
        from agents.models import BusRequest

        until = time.monotonic() + _WAIT_S
        while BusRequest.objects.filter(ended_at=None).exists():
            if time.monotonic() > until:
                raise RuntimeError("the bus did not come to an end")
            time.sleep(0.01)

    def answered(self) -> int:
        """How many requests were answered, each with its one line in the log."""
        from agents.models import BusEntry, BusRequest

        answered = BusRequest.objects.filter(state="answered").count()
        if answered != BusEntry.objects.filter(event="answered").values("request").distinct().count():
            raise RuntimeError("a request was answered twice, or without a line in the log")
        return answered

    def close(self) -> None:
        """End the workers."""
        for worker in self._workers:
            worker.terminate()
        for worker in self._workers:
            worker.wait(timeout=30)


def _work() -> None:
    import django

    django.setup()
    from mindx_web.celery import app

    connect()
    app.worker_main(sys.argv[1:])


if __name__ == "__main__":
    _work()
