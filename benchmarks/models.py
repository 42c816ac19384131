"""`make bench-models`: what planning by a model costs beside the model itself, and what LiteLLM costs a worker.

A provider on the loopback answers at once, over the real client. One turn of a goal's cycle is parted into three:

- **waiting**: inside the socket of the HTTP client (connecting, sending, waiting for each piece of the answer);
- **LiteLLM**: the rest of the time in its calls (`completion`, the next piece of the stream), with its HTTP client;
- **our side**: the rest of planning by a model and storing its plan. It is told in three parts: *prompt* (nearest
  experiences among two hundred that the submitter may read, firmware, the text itself), *validation* (reading the
  answer, limits, policies, the steps, and again where the plan is stored) and *storage* (everything else: budget, rows
  of the call and the attempt, the answer's pieces and lines in the log, the intent plan with its rows). Beside it
  stands the processor time of the worker's thread in it, without waits for the database and what else the machine does.

What is left of the turn is what every goal costs, whoever plans it: the lease, perception, rules that do not apply, and
after the plan is stored its risk and the policies. Beside it, in turns, a goal of the same agent planned by a rule.
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
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from benchmarks.servers import servers, set_up
from mindx_web.supervisor.postgres import OWNER
from tests.models.server import serving

if TYPE_CHECKING:
    from people.models import User

_MOST_MS = 30
_WARM = 5
_REMEMBERED = 200
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
from agents.cycle import cycle
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
    os.environ.update(OPENAI_API_KEY="none", MINDX_MODEL="openai/bench")
    os.environ.update(MINDX_MODEL_PRICES="openai/bench=1/2")
    for server in serving():
        os.environ["OPENAI_API_BASE"] = server.address
        server.will_say(json.dumps(_PLAN))
        with servers() as running:
            set_up(running.place, running.postgres.url(OWNER), running.valkey.url())
            _planning(asked.goals)
            _memory()


@dataclass
class _Clock:
    """Seconds spent in LiteLLM's calls, and of these in its sockets, since it was last set back."""

    client_s: float = 0.0
    socket_s: float = 0.0
    model_s: float = 0.0
    propose_s: float = 0.0
    prompt_s: float = 0.0
    check_s: float = 0.0
    # The processor time of the thread in the same.
    client_cpu_s: float = 0.0
    model_cpu_s: float = 0.0
    propose_cpu_s: float = 0.0

    def reset(self) -> None:
        """Back to nothing."""
        for each in fields(self):
            setattr(self, each.name, 0.0)

    def timing(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same work, its time added to the field `name`."""

        def timed(*args: Any, **more: Any) -> Any:
            began, processor = time.perf_counter(), time.thread_time()
            try:
                return work(*args, **more)
            finally:
                setattr(self, name, getattr(self, name) + time.perf_counter() - began)
                if (own := f"{name.removesuffix('_s')}_cpu_s") in _CLOCKS:
                    setattr(self, own, getattr(self, own) + time.thread_time() - processor)

        return timed

    def watch(self) -> None:
        """Put it around what is timed: the client as mindX calls it, and the sockets below."""
        from httpcore._backends.sync import SyncBackend, SyncStream

        from agents.actors import firmware
        from agents.bdi.language_models import model_answer, prompt
        from agents.planning import model_planning
        from agents.plans import proposals
        from library.language import provider

        for owner, name in ((SyncStream, "read"), (SyncStream, "write"), (SyncBackend, "connect_tcp")):
            setattr(owner, name, self.timing("socket_s", getattr(owner, name)))
        model_planning.plan = self.timing("model_s", model_planning.plan)
        proposals.propose = self.timing("propose_s", proposals.propose)
        parts: tuple[tuple[Any, str, str], ...] = (
            (model_planning, "known_for", "prompt_s"),
            (firmware, "of", "prompt_s"),
            (prompt, "build", "prompt_s"),
            (prompt, "schema", "prompt_s"),
            (model_answer, "read", "check_s"),
            (proposals, "_written", "check_s"),
        )
        for module, name, part in parts:
            setattr(module, name, self.timing(part, getattr(module, name)))
        begun: Any = provider._stream
        clock = self

        class Timed:
            def __init__(self, stream: Any) -> None:
                self.pieces, self.close = iter(stream), clock.timing("client_s", stream.close)

            def __iter__(self) -> Any:
                following = clock.timing("client_s", self.pieces.__next__)
                while True:
                    try:
                        piece = following()
                    except StopIteration:
                        return
                    yield piece

        stream = self.timing("client_s", begun)
        setattr(provider, "_stream", lambda *args: Timed(stream(*args)))  # noqa: B010  # another type, which only iterates


_CLOCKS = {each.name for each in fields(_Clock)}


def _planning(count: int) -> None:
    from django.core.management import call_command

    from mindx_web import celery
    from mindx_web.operations import garbage
    from people.models import User
    from people.roles import Role

    # What a worker has loaded when it begins, and how it looks for garbage from then on.
    celery.app.loader.import_default_modules()
    garbage.settle()
    logging.disable(logging.WARNING)
    call_command("load_starters", verbosity=0)
    owner = User.objects.create_user("owner", roles=[Role.SUBMITTER])
    clock = _Clock()
    clock.watch()
    _remember(owner)
    ours, own, litellm, waiting, rest, ruled, asking, checking, storing = (list[float]() for _ in range(9))
    for number in range(count + _WARM):
        clock.reset()
        whole = _planned(owner, f"Part the long text of chapter {number} as you think best", "model")
        planning_s = clock.model_s + clock.propose_s
        by_rule = _planned(owner, f"Write a note named chapter{number} saying it is parted", "rule")
        if number >= _WARM:  # the first ones load what is loaded once
            ours.append(1000 * (planning_s - clock.client_s))
            asking.append(1000 * clock.prompt_s)
            checking.append(1000 * clock.check_s)
            storing.append(ours[-1] - asking[-1] - checking[-1])
            own.append(1000 * (clock.model_cpu_s + clock.propose_cpu_s - clock.client_cpu_s))
            rest.append(1000 * (whole - planning_s))
            litellm.append(1000 * (clock.client_s - clock.socket_s))
            waiting.append(1000 * clock.socket_s)
            ruled.append(1000 * by_rule)
    say = sys.stdout.write
    say(f"\nPlanning, n = {count} goals of eight steps, in turns with a rule's; load {os.getloadavg()[0]:.1f}\n")
    say("| what | fastest | median | p95 |\n|---|---|---|---|\n")
    say(_row("our side of a plan by a model", ours))
    say(_row("… prompt", asking) + _row("… validation", checking) + _row("… storage", storing))
    say(_row("… of it all processor time of the thread", own) + _row("LiteLLM", litellm))
    say(_row("waiting for a provider that answers at once", waiting) + _row("the rest of the turn", rest))
    say(_row("a whole turn in which a rule plans", ruled))
    reached = "reached" if statistics.median(ours) <= _MOST_MS else "**not reached**"
    say(f"our side at most {_MOST_MS} ms in the middle: {reached}\n")


def _remember(owner: User) -> None:
    """What an installation that is used remembers, so that the nearest of it are found and told."""
    from django.utils import timezone

    from library.language import embeddings
    from library.models import Experience

    texts = [f"Part the long text of book {number} into {number % 7 + 2} chapters" for number in range(_REMEMBERED)]
    vectors = embeddings.embed(texts)
    Experience.objects.bulk_create(
        Experience(
            goal_ref=f"before {number}",
            owner=owner,
            primary_goal_description=text,
            initiating_agent_id="1",
            final_outcome=Experience.Outcome.SUCCESS,
            output_summary=f"Wrote {number % 7 + 2} files.",
            timestamp=timezone.now(),
            primary_goal_description_embedding=vector,
            output_summary_embedding=vector,
        )
        for number, (text, vector) in enumerate(zip(texts, vectors, strict=True))
    )


def _row(what: str, times: list[float]) -> str:
    ordered = sorted(times)
    middle, last = statistics.median(times), ordered[int(len(ordered) * 0.95)]
    return f"| {what} | {ordered[0]:.1f} ms | {middle:.1f} ms | {last:.1f} ms |\n"


def _planned(owner: User, text: str, source: str) -> float:
    from agents.cycle import cycle
    from agents.goals import goals

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
