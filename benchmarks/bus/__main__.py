"""Rounds of bare Celery, the bus and LangGraph in turn, then searches among many members; prints medians."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.bus.celery_call import Bare
from benchmarks.bus.ours import Ours
from benchmarks.library_search import texts
from benchmarks.servers import Servers, servers, set_up
from mindx_web.supervisor.postgres import DATABASE, OWNER

WORKERS = 2
WANTED_RATIO, WANTED_MS = 0.7, 10.0


def main() -> None:
    """Start the servers, measure in turns, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=2_000, help="in each round, of each")
    parser.add_argument("--members", type=int, default=10_000)
    parser.add_argument("--searches", type=int, default=300)
    asked = parser.parse_args()
    with servers() as started:
        set_up(started.place, started.postgres.url(OWNER), started.valkey.url())
        _rates(started, asked.rounds, asked.calls)
        _discovery(asked.members, asked.searches)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _rates(started: Servers, rounds: int, calls: int) -> None:
    from people.models import User
    from people.roles import Role

    by = User.objects.create_user(username="bench", roles=[Role.SUBMITTER.value])
    found: dict[str, list[float]] = {}

    def timed(name: str, what: Callable[[], None]) -> None:
        began = time.perf_counter()
        what()
        found.setdefault(name, []).append(calls / (time.perf_counter() - began))

    with ExitStack() as open_ones:
        bare, ours = Bare(started.valkey.url(), WORKERS), Ours(by, WORKERS)
        open_ones.callback(ours.close)
        open_ones.callback(bare.close)
        graph = open_ones.enter_context(_langgraph(started))
        for round_ in range(rounds + 1):
            bare.prepare(calls)
            timed("bare Celery, laid ready", bare.run)
            ours.prepare(calls)
            timed("the bus, laid ready", ours.run)
            timed("the bus, asked by one caller meanwhile", lambda: ours.ask_and_wait(calls))
            if graph is not None:
                timed("LangGraph, laid ready", lambda: graph(calls))
            if not round_:
                found.clear()  # the first round warms everything up
        answered = ours.answered()
    wanted = 2 * calls * (rounds + 1)
    say(f"{answered:,} of {wanted:,} requests were answered, each once and with its line in the log")
    say(f"{'calls that do nothing, ' + str(WORKERS) + ' workers':<44} median/s   least   most")
    for name, rates in found.items():
        say(f"{name:<44} {statistics.median(rates):8.0f} {min(rates):7.0f} {max(rates):6.0f}")
    ratio = statistics.median(found["the bus, laid ready"]) / statistics.median(found["bare Celery, laid ready"])
    say(f"the bus makes {ratio:.2f} of bare Celery's calls; wanted {WANTED_RATIO}: {_told(ratio >= WANTED_RATIO)}")


def _told(is_reached: bool) -> str:
    return "reached" if is_reached else "**not reached**"


@contextmanager
def _langgraph(started: Servers) -> Iterator[Callable[[int], None] | None]:
    """Two processes of LangGraph; None where its environment is not there (`make bench-durable` makes it)."""
    python = Path(os.environ.get("MINDX_BENCH_PYTHON", ".venv-bench/bin/python"))
    if not python.exists():
        say(f"LangGraph is left out: there is no {python}")
        yield None
        return
    url = _libpq(started.postgres.url(OWNER, DATABASE))
    lanes = []
    for _ in range(WORKERS):
        words = [str(python), "-m", "benchmarks.bus.langgraph_call"]
        lane = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        lanes.append(lane)
        _told_to(lane, url, "ready")

    def run(calls: int) -> None:
        for lane in lanes:
            _write(lane, str(calls // WORKERS))
        for lane in lanes:
            _read(lane, "done")

    try:
        yield run
    finally:
        for lane in lanes:
            if lane.stdin is not None:
                lane.stdin.close()
            lane.wait(timeout=30)


def _told_to(lane: Any, line: str, answer: str) -> None:
    _write(lane, line)
    _read(lane, answer)


def _write(lane: Any, line: str) -> None:
    lane.stdin.write(f"{line}\n")
    lane.stdin.flush()


def _read(lane: Any, wanted: str) -> None:
    if (said := lane.stdout.readline().strip()) != wanted:
        raise RuntimeError(f"LangGraph said “{said}”")


def _libpq(url: str) -> str:
    """The same address as a URL whose socket folder stands where every libpq client looks for it."""
    credentials, _, rest = url.removeprefix("postgres://").partition("@")
    folder, _, name = rest.partition("/")
    host, _, port = folder.rpartition(":")
    return f"postgresql://{credentials}@/{name}?host={host}&port={port}"


def _discovery(count: int, searches: int) -> None:
    """Search by a task in words and by a capability, with so many registered."""
    from agents.bus import discovery, in_step
    from agents.models import BusMember
    from library.language import embeddings

    said = texts.sentences()
    stored, asked = said[: count + 1], said[count + 1 :][:searches]
    if len(asked) < searches:
        stored, asked = said[: len(said) - searches], said[-searches:]
    _filled(stored)
    in_step.refresh()
    embeddings.embed(["warm"])
    by_task, ranked, by_name = [], [], []
    for number, task in enumerate(asked):
        by_task.append(_ms(lambda: discovery.search(task)))  # noqa: B023  # called at once
        # The question has its vector now: what is left is the search itself.
        ranked.append(_ms(lambda: discovery.search(task)))  # noqa: B023
        by_name.append(_ms(lambda: list(discovery.by_capability(f"do-{number}")[:20])))  # noqa: B023
    say(f"{BusMember.objects.count():,} members, two vectors each; {'search':<30} p50 ms   p95 ms")
    rows = (("task in words", by_task), ("the same, its vector known", ranked), ("capability by name", by_name))
    for name, times in rows:
        say(f"{name:<58} {statistics.median(times):8.2f} {_p95(times):8.2f}")
    say(f"p95 of a task in words: wanted {WANTED_MS:.0f} ms: {_told(_p95(by_task) <= WANTED_MS)}")


def _filled(stored: Sequence[str]) -> None:
    """Members that say real sentences of themselves, embedded, with a capability each."""
    from django.db import connection

    from agents.models import BusCapability, BusMember
    from library.language import embeddings, spaces

    vectors = [vector for at in range(0, len(stored), 256) for vector in embeddings.embed(stored[at : at + 256])]
    count = len(stored) - 1
    rows = BusMember.objects.bulk_create(
        (
            BusMember(
                name=f"bench {at}",
                kind=BusMember.Kind.FOREIGN,
                description=stored[at].replace("\0", ""),
                offer=stored[at + 1].replace("\0", ""),
                description_embedding=vectors[at],
                offer_embedding=vectors[at + 1],
                embedded_by=spaces.current(),
            )
            for at in range(count)
        ),
        batch_size=500,
    )
    BusCapability.objects.bulk_create(
        (BusCapability(member=row, name=f"do-{at % 1_000}") for at, row in enumerate(rows)), batch_size=1_000
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE agents_busmember")
        cursor.execute("ANALYZE agents_buscapability")


def _ms(what: Callable[[], object]) -> float:
    began = time.perf_counter()
    what()
    return (time.perf_counter() - began) * 1_000


def _p95(times: Sequence[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]


if __name__ == "__main__":
    main()
