"""What the running application has used so far: processor seconds by part, and the counters of its servers."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
# The part of a process, by a word of the command line of the supervisor's child above it.
_PARTS = {"uvicorn": "web", " worker ": "worker", "postgres": "Postgres", "valkey": "broker"}
_SUPERVISOR = "supervisor"


@dataclass(frozen=True)
class Used:
    """Counters by name, each with its unit in the name; the difference of two is what came between them."""

    of: Mapping[str, float]
    at_s: float

    def minus(self, other: Used) -> Used:
        """What came since `other`."""
        return Used({name: value - other.of.get(name, 0.0) for name, value in self.of.items()}, self.at_s - other.at_s)

    def without(self, idle: Used) -> Used:
        """Without what an idle application would have used in the same time."""
        share = self.at_s / idle.at_s
        return Used({name: value - idle.of.get(name, 0.0) * share for name, value in self.of.items()}, self.at_s)


def used(supervisor: int, data: Path) -> Used:
    """All counters now."""
    from django.conf import settings

    found = {f"{part}, processor s": seconds for part, seconds in _processors(supervisor).items()}
    return Used(found | _database() | _broker(settings.REDIS_URL) | _store(data), time.monotonic())


def _processors(supervisor: int) -> dict[str, float]:
    """Seconds of processor by part, ended children included; this process's own database session is left out."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        ours = cursor.fetchone()[0]
    seconds = dict.fromkeys([*_PARTS.values(), _SUPERVISOR], 0.0)
    parents = {
        int(folder.name): _fields(int(folder.name)) for folder in Path("/proc").iterdir() if folder.name.isdigit()
    }
    for number, fields in parents.items():
        way = _way_up(number, parents)
        if supervisor not in way or number == ours:
            continue
        part = _part_of(way[: way.index(supervisor)])
        seconds[part] += sum(map(int, fields[11:15])) * _TICK_S
    return seconds


def _way_up(number: int, parents: Mapping[int, list[str]]) -> list[int]:
    way = [number]
    while len(parents.get(way[-1], ())) > 1 and int(parents[way[-1]][1]) > 1:
        way.append(int(parents[way[-1]][1]))
    return way


def _part_of(way: list[int]) -> str:
    """The part that the topmost process of the way is."""
    for number in reversed(way):
        line = _line(number)
        for word, part in _PARTS.items():
            if word in line:
                return part
    return _SUPERVISOR


def _line(number: int) -> str:
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def _fields(number: int) -> list[str]:
    """The fields of a process behind its name; none when it has ended."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _database() -> dict[str, float]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT sum(n_tup_ins), sum(n_tup_upd), sum(n_tup_del) FROM pg_stat_user_tables")
        inserted, updated, deleted = map(float, cursor.fetchone())
        cursor.execute(
            "SELECT xact_commit, pg_current_wal_insert_lsn() - '0/0'::pg_lsn, pg_database_size(current_database()),"
            " (SELECT count(*) FROM agents_logline) FROM pg_stat_database WHERE datname = current_database()"
        )
        commits, wal, size, lines = map(float, cursor.fetchone())
    return {
        "rows inserted": inserted,
        "rows updated": updated,
        "rows deleted": deleted,
        "transactions": commits,
        "WAL, bytes": wal,
        "database, bytes": size,
        "log lines": lines,
    }


def _broker(address: str) -> dict[str, float]:
    """Messages of Celery (a list is pushed to) and all commands."""
    import redis

    with redis.Redis.from_url(address) as client:
        commands = client.info("commandstats")
        total = client.info("stats")["total_commands_processed"]
    return {
        "wake-ups": float(commands.get("cmdstat_lpush", {}).get("calls", 0)),
        "broker commands": float(total),
    }


def _store(data: Path) -> dict[str, float]:
    files = [path for part in ("manifests", "blobs") for path in (data / "store" / part).rglob("*") if path.is_file()]
    return {
        "store, files": float(len(files)),
        "store, bytes": float(sum(path.stat().st_size for path in files)),
        "store, bytes on disk": float(sum(path.stat().st_blocks * 512 for path in files)),
    }
