"""All of mindX as `make up` starts it, in a folder of its own, and what it holds: processes, threads, connections."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.durable.lanes import ROOT

_START_S = 120.0
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Held:
    """What an application holds: medians over some seconds, and how much of a processor it used meanwhile."""

    processes: int
    threads: int
    database_connections: int
    broker_connections: int
    processors: float


@contextmanager
def application() -> Iterator[int]:
    """Start all of it, with Django set up here on its database; yields the supervisor's process number."""
    place = Path(tempfile.mkdtemp(prefix="mindx-bench-"))
    place.chmod(0o755)  # the servers run under uids of their own
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    os.environ.update(MINDX_DATA=str(place / "data"), MINDX_PORT=str(port), DJANGO_SETTINGS_MODULE="mindx_web.settings")
    os.environ["MINDX_GOALS_PER_MINUTE"] = "0"
    for name in ("DATABASE_URL", "REDIS_URL"):
        os.environ.pop(name, None)
    with (place / "up.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "mindx_web.supervisor", "--end-with-parent"], cwd=ROOT, stdout=log, stderr=log
        )
    try:
        _wait_until_ready(process, f"http://127.0.0.1:{port}/api/v1/health", place / "up.log")
        import django

        django.setup()
        yield process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
        shutil.rmtree(place, ignore_errors=True)


def _wait_until_ready(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    until = time.monotonic() + _START_S
    while True:
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:  # noqa: S310  # our own address
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            pass
        if process.poll() is not None or time.monotonic() > until:
            raise RuntimeError(log.read_text(errors="replace")[-4000:])
        time.sleep(0.2)


def held(supervisor: int, seconds: float) -> Held:
    """Look some seconds long at what the application holds; what this process holds does not count."""
    used, started = _used_s(_tree(supervisor)), time.monotonic()
    samples = []
    while time.monotonic() - started < seconds:
        tree = _tree(supervisor)
        samples.append((len(tree), sum(map(_threads, tree)), _database_connections(), _broker_connections()))
        time.sleep(0.5)
    spent = _used_s(_tree(supervisor)) - used
    middle = [int(statistics.median(values)) for values in zip(*samples, strict=True)]
    processes, threads, database, broker = middle
    return Held(processes, threads, database, broker, spent / (time.monotonic() - started))


def _tree(root: int) -> list[int]:
    """The process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and (fields := _stat(int(folder.name))):
            children.setdefault(int(fields[1]), []).append(int(folder.name))
    found = [root]
    for one in found:
        found += children.get(one, [])
    return found


def _stat(number: int) -> Sequence[str]:
    """The fields of a process behind its name; none when it has ended."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ()


def _threads(number: int) -> int:
    fields = _stat(number)
    return int(fields[17]) if fields else 0


def _used_s(numbers: Sequence[int]) -> float:
    """Seconds of processor that these have used, ended children included."""
    return sum(sum(map(int, fields[11:15])) for number in numbers if (fields := _stat(number))) * _TICK_S


def _database_connections() -> int:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname IS NOT NULL AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend'"
        )
        return int(cursor.fetchone()[0])


def _broker_connections() -> int:
    import redis
    from django.conf import settings

    with redis.Redis.from_url(settings.REDIS_URL) as client:
        own = str(client.client_id())
        return sum(one["id"] != own for one in client.client_list())
