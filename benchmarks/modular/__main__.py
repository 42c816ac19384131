"""`make bench-modular`: our share of a step at several sizes beside LangGraph, in turn, and a hundred random kills."""

from __future__ import annotations

import argparse
import json
import logging
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.modular import kills, ours
from benchmarks.servers import Servers, servers, set_up
from mindx_web.supervisor.postgres import DATABASE, OWNER
from tests.models.server import serving

WANTED_MS = 15.0
_SIDES = ("aware", "plain")


def main() -> None:
    """Start the servers, measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, nargs="+", default=[10, 500, 5_000])
    parser.add_argument("--steps", type=int, default=80, help="of each side in each round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kills", type=int, default=100)
    asked = parser.parse_args()
    os.environ.update(OPENAI_API_KEY="none", MINDX_MODEL="openai/bench", MINDX_MODEL_CACHE_DAYS="0")
    # What is measured is no goal of somebody in a hurry.
    os.environ["MINDX_GOALS_PER_MINUTE"] = "0"
    for model in serving():
        os.environ["OPENAI_API_BASE"] = model.address
        with servers() as started:
            set_up(started.place, started.postgres.url(OWNER), started.valkey.url())
            _measure(started, model, asked)


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _measure(started: Servers, model: Any, asked: argparse.Namespace) -> None:
    from mindx_web import wiring
    from people.models import User
    from people.roles import Role

    wiring.connect()
    logging.disable(logging.WARNING)
    by = User.objects.create_user("bench", roles=[Role.SUBMITTER])
    if asked.steps:
        model.will_say(lambda one: one.stream(ours.says(len(one.server.asked))))
        with _langgraph(started) as graph:
            _steps(asked.nodes, asked.steps, asked.rounds, by, graph)
    if asked.kills:
        reviewer = User.objects.create_user("reviewer", roles=[Role.REVIEWER])
        model.will_say(lambda one: one.stream(kills.answer(one.server.asked[-1])))
        _tell(kills.killed(asked.kills, by=by, reviewer=reviewer, asked=model.asked))


def _steps(sizes: Sequence[int], steps: int, rounds: int, by: Any, graph: Any) -> None:
    say(f"load of the machine at the beginning: {os.getloadavg()[0]:.1f}")
    say(
        f"{'a step without the model':<46} {'p50 ms':>8} {'p95 ms':>8} {'cpu p50':>8} {'cpu p95':>8}"
        "   first step of a worker: p50, p95"
    )
    for nodes in sizes:
        found: dict[str, ours.Measured] = {}
        for _ in range(rounds):
            for prompter in _SIDES:
                measured = ours.stepped(ours.prepared(nodes, prompter, by), steps, by=by)
                _add(found, f"mindX, prompter “{prompter}”, {nodes:,} nodes", measured)
            if graph is not None:
                warm, cold = graph(nodes, steps, 0), graph(nodes, max(4, steps // 10), 1)
                measured = ours.Measured([one for one, _ in warm], [one for one, _ in cold], [cpu for _, cpu in warm])
                _add(found, f"LangGraph, {nodes:,} messages", measured)
        for name, measured in found.items():
            say(f"{name:<46} {_both(measured.warm)} {_both(measured.cpu)}   {_both(measured.cold)}")
        ours_at = found[f"mindX, prompter “{_SIDES[0]}”, {nodes:,} nodes"]
        reached = _p95(ours_at.warm) <= WANTED_MS
        if nodes == max(sizes):
            say(f"p95 at {nodes:,} nodes: wanted {WANTED_MS:.0f} ms: {'reached' if reached else '**not reached**'}")


def _add(found: dict[str, ours.Measured], name: str, measured: ours.Measured) -> None:
    held = found.setdefault(name, ours.Measured())
    held.warm += measured.warm
    held.cold += measured.cold
    held.cpu += measured.cpu


def _both(times: Sequence[float]) -> str:
    return f"{statistics.median(times):8.1f} {_p95(times):8.1f}"


def _p95(times: Sequence[float]) -> float:
    return sorted(times)[min(len(times) - 1, int(0.95 * len(times)))]


def _tell(found: kills.Result) -> None:
    say(
        f"{found.kills} workers killed at random moments in {found.runs} runs ({found.missed} had ended already):"
        f" {found.differ} runs differ from one that nobody disturbed, {found.replays_differ} from their replay,"
        f" {found.twice} made a call twice; {found.paused} paused, for one step had cost six workers;"
        f" the model was asked {found.asked_again} times more than without kills"
    )


@contextmanager
def _langgraph(started: Servers) -> Iterator[Any]:
    """A process of LangGraph; None where its environment is not there."""
    python = Path(os.environ.get("MINDX_BENCH_PYTHON", ".venv-bench/bin/python"))
    if not python.exists():
        say(f"LangGraph is left out: there is no {python}")
        yield None
        return
    words = [str(python), "-m", "benchmarks.modular.langgraph_steps"]
    lane = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    # Of pipes that were asked for both ends are there.
    to: Any = lane.stdin
    out: Any = lane.stdout

    def asked(line: str) -> str:
        to.write(f"{line}\n")
        to.flush()
        return str(out.readline()).strip()

    if asked(_libpq(started.postgres.url(OWNER, DATABASE))) != "ready":
        raise RuntimeError("LangGraph did not begin")
    try:
        yield lambda nodes, steps, cold: json.loads(asked(f"{nodes} {steps} {cold}"))
    finally:
        to.close()
        lane.wait(timeout=60)


def _libpq(url: str) -> str:
    """The same address as a URL whose socket folder stands where every libpq client looks for it."""
    credentials, _, rest = url.removeprefix("postgres://").partition("@")
    folder, _, name = rest.partition("/")
    host, _, port = folder.rpartition(":")
    return f"postgresql://{credentials}@/{name}?host={host}&port={port}"


if __name__ == "__main__":
    main()
