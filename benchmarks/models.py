"""`make bench-models`: what planning by a model costs beside the model itself, and what LiteLLM costs a worker.

A provider on the loopback answers at once, over the real client. Of each planning the time inside requests is taken
off: what is left is ours (perception, prompt, reading and validating the answer, storing, proposing). Beside it, in
turns, the same goal planned by a rule.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from benchmarks.servers import database
from tests.models.server import serving

if TYPE_CHECKING:
    from library.language.asking import Said
    from people.models import User

_MOST_MS = 30
_PLAN = {
    "steps": [
        {"tool": "simple_coder", "command": "mkdir", "params": {"path": f"part{n}"}, "why": "A place for the part."}
        if n % 2
        else {
            "tool": "simple_coder",
            "command": "write",
            "params": {"path": f"text{n}.txt", "content": "line\n" * 40, "mode": "create"},
            "why": "The text of the part.",
        }
        for n in range(8)
    ]
}
_MEMORY = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "mindx_web.settings"
import django
django.setup()
from agents import tasks
from agents.services import cycle
if sys.argv[1] == "with":
    from library.language import provider
    provider._library()
with open("/proc/self/smaps_rollup") as lines:
    print(next(int(line.split()[1]) for line in lines if line.startswith("Pss:")))
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--goals", type=int, default=60)
    asked = parser.parse_args()
    os.environ.update(OPENAI_API_KEY="none", MINDX_MODEL="openai/bench", MINDX_MODEL_CACHE_DAYS="0")
    os.environ.update(MINDX_MODEL_PRICES="openai/bench=1/2")
    for server in serving():
        os.environ["OPENAI_API_BASE"] = server.address
        server.will_say(json.dumps(_PLAN))
        with database():
            _planning(asked.goals)
            _memory()


def _planning(count: int) -> None:
    from django.core.management import call_command

    from library.language import provider
    from people.models import User
    from people.roles import Role

    logging.disable(logging.WARNING)
    call_command("load_starters", verbosity=0)
    owner = User.objects.create_user("owner", roles=[Role.SUBMITTER])
    asking_s = 0.0
    ask: Callable[..., Said] = provider.request

    def timed(*args: Any, **more: Any) -> Said:
        nonlocal asking_s
        began = time.perf_counter()
        try:
            return ask(*args, **more)
        finally:
            asking_s += time.perf_counter() - began

    provider.request = timed
    ours: list[float] = []
    inside: list[float] = []
    ruled: list[float] = []
    for number in range(count + 5):
        asking_s = 0.0
        whole = _planned(owner, f"Part the long text of chapter {number} as you think best", "model")
        by_rule = _planned(owner, f"Write a note named chapter{number} saying it is parted", "rule")
        if number >= 5:  # the first ones load what is loaded once
            ours.append(1000 * (whole - asking_s))
            inside.append(1000 * asking_s)
            ruled.append(1000 * by_rule)
    say = sys.stdout.write
    say(f"\nPlanning, {count} goals of eight steps in turns with a rule's, load {os.getloadavg()[0]:.1f}\n")
    say(f"| what | median | p95 |\n|---|---|---|\n{_row('our side of a plan by a model', ours)}")
    say(_row("inside requests to a provider that answers at once", inside) + _row("a whole plan by a rule", ruled))
    reached = "reached" if statistics.median(ours) <= _MOST_MS else "**not reached**"
    say(f"our side at most {_MOST_MS} ms in the middle: {reached}\n")


def _row(what: str, times: list[float]) -> str:
    ordered = sorted(times)
    return f"| {what} | {statistics.median(times):.1f} ms | {ordered[int(len(ordered) * 0.95)]:.1f} ms |\n"


def _planned(owner: User, text: str, source: str) -> float:
    from agents.services import cycle, goals

    goal = goals.submit(by=owner, text=text)
    began = time.perf_counter()
    cycle.work(goal.pk)
    took = time.perf_counter() - began
    if goal.intent_plans.get().plan.source != source:
        raise SystemExit(f"“{text}” was not planned by a {source}: the benchmark measures something else")
    return took


def _memory() -> None:
    found = {}
    for which in ("without", "with"):
        done = subprocess.run(
            [sys.executable, "-c", _MEMORY, which], capture_output=True, text=True, check=True, timeout=120
        )
        found[which] = int(done.stdout.split()[-1]) / 1024
    more = found["with"] - found["without"]
    sys.stdout.write(
        f"\nMemory of a worker process (Pss): {found['without']:.0f} MB without LiteLLM, {found['with']:.0f} MB with it"
        f" (+ {more:.0f} MB, only in processes that asked a model)\n"
    )


if __name__ == "__main__":
    main()
