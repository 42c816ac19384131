"""Starts the servers, takes the engines in turns, counts, audits ours, and prints it all."""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from psycopg import sql

from benchmarks.durable import counts, report
from benchmarks.durable.counts import Counts
from benchmarks.durable.goals import make_people
from benchmarks.durable.lanes import Lane, lanes, prepare, run
from benchmarks.durable.protocol import BY_KEY, ENGINES, STEPS, Entry
from benchmarks.servers import Servers, servers, set_up
from mindx_web.supervisor.postgres import DATABASE, OWNER

if TYPE_CHECKING:
    from collections.abc import Iterator

# Postgres plans a prepared statement five times for its values, and then once for all: behind that a plan is warm.
_WARM_PLANS = 12


@dataclass
class Measured:
    """All that a run has found so far."""

    rates: dict[tuple[str, int], list[float]] = field(default_factory=dict)
    counts: dict[str, Counts] = field(default_factory=dict)


class Bench:
    """The servers, with a database for each engine, and what to ask of the engines."""

    def __init__(self, started: Servers, engines: Sequence[Entry]) -> None:
        self._servers = started
        self.engines = engines
        with counts.superuser(started) as connection:
            for name in {entry.database for entry in engines} - {DATABASE}:
                owned = sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(name), sql.Identifier(OWNER))
                connection.execute(owned)

    @contextmanager
    def warm(self, entry: Entry, number: int) -> Iterator[list[Lane]]:
        """Lanes of an engine that have run some plans already, on a database without leftovers."""
        url = self._servers.postgres.url(OWNER, entry.database)
        if not entry.ours:
            # Ours is a Django URL, whose host is percent-encoded; libpq reads it from the query.
            url = _libpq(url)
        log = self._servers.place / f"{entry.key}.log"
        with lanes(entry, number, url, self._servers.valkey.url(), log) as made:
            prepare(made, _WARM_PLANS)
            run(made)
            yield made

    def rate(self, entry: Entry, number: int, plans: int) -> float:
        """Plans per second of an engine in so many lanes, so many plans in each.

        A lane's share does not shrink with their number: what each pays once after the servers are settled (`ANALYZE`
        has its statements planned anew) and the last one's lateness would otherwise weigh four times as much on four.
        """
        with self.warm(entry, number) as made:
            prepare(made, plans)
            counts.settle(self._servers, entry.database)
            return plans * number / run(made)

    def count(self, entry: Entry, plans: int, logged: int) -> Counts:
        """What a step of the engine costs in Postgres."""
        with self.warm(entry, 1) as made:
            return counts.count(self._servers, entry.database, made, plans, logged)


def _libpq(url: str) -> str:
    """The same address as a URL whose socket folder stands where every libpq client looks for it."""
    credentials, _, rest = url.removeprefix("postgres://").partition("@")
    folder, _, name = rest.partition("/")
    host, _, port = folder.rpartition(":")
    return f"postgresql://{credentials}@/{name}?host={host}&port={port}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.durable", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each engine and number of lanes")
    parser.add_argument("--plans", type=int, default=100, help="plans of each lane in each measurement")
    parser.add_argument("--lanes", type=int, nargs="+", default=[1, 4], help="numbers of lanes")
    parser.add_argument("--counted", type=int, default=500, help="plans over which a step's cost is counted; 0: not")
    parser.add_argument("--logged", type=int, default=20, help="plans whose statements are counted")
    parser.add_argument("--engines", nargs="+", choices=sorted(BY_KEY), default=[one.key for one in ENGINES])
    parser.add_argument("--minutes", type=float, default=60.0, help="begin nothing new after so many minutes")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # servers and folders go with us
    until = time.monotonic() + 60 * asked.minutes
    with servers(counts.LOG_PREFIX) as started:
        set_up(started.place, started.postgres.url(OWNER), started.valkey.url())
        make_people()
        bench = Bench(started, [one for one in ENGINES if one.key in asked.engines])
        found = Measured()
        for _, number in itertools.product(range(asked.rounds), asked.lanes):
            if time.monotonic() < until:
                _turns(bench, number, asked.plans, found)
        for entry in bench.engines:
            if asked.counted and entry.has_truth_in_postgres and time.monotonic() < until:
                found.counts[entry.key] = bench.count(entry, asked.counted, asked.logged)
                _progress(f"counted {entry.key}")
        _say(found, asked.plans, any(entry.ours for entry in bench.engines))


def _turns(bench: Bench, number: int, plans: int, found: Measured) -> None:
    """Every engine once in this number of lanes, one after another, so that a slow minute meets all of them."""
    for entry in bench.engines:
        rate = bench.rate(entry, number, plans)
        found.rates.setdefault((entry.key, number), []).append(rate)
        _progress(f"{entry.key} in {number}: {rate:.1f} plans/s")


def _progress(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def _say(found: Measured, plans: int, ours: bool) -> None:
    rounds = max((len(each) for each in found.rates.values()), default=0)
    head = f"{plans} plans of {STEPS} steps a lane in each of {rounds} rounds, by turns; {os.cpu_count()} processors,"
    lines = [f"{head} load {os.getloadavg()[0]:.1f}; synchronous_commit and fsync are on.", ""]
    lines += [*report.throughput(found.rates), ""] if found.rates else []
    lines += [*report.costs(found.counts), ""] if found.counts else []
    lines += [*report.rows(report.figures(found.rates, found.counts)), ""]
    if ours:
        from benchmarks.durable.audit import audit

        result = audit()
        lines += report.audited(result)
        sys.stdout.write("\n".join(lines) + "\n")
        if result.faults:
            sys.exit(1)
    else:
        sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
