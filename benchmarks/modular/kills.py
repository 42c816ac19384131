"""Workers of modular runs are killed at random moments; afterwards each run is exactly what it would have been."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agents.models import ModularRun
    from people.models import User

# What the model says in turn, by how many answers of its own it reads in the prompt.
_CALLS: tuple[Mapping[str, Any], ...] = (
    {"name": "note", "arguments": {"text": "first look"}},
    {"name": "simple_coder.write", "arguments": {"path": "a.txt", "content": "moon"}},
    {"name": "note", "arguments": {"text": "it is written"}},
    {"name": "simple_coder.read", "arguments": {"path": "a.txt"}},
    {"name": "notes", "arguments": {}},
    {"name": "submit", "arguments": {"answer": "moon"}},
)
# Whatever tells of times and of this run's rows. Tokens and cost are compared: a state counts only answers that it has.
_OF_ITS_OWN = frozenset({"now", "time_s", "goal", "snapshot", "call", "created_at"})
# What a tool's result, which is a text in a node, says of how long it took.
_TIMED = re.compile(r'("duration_s": )[0-9.e+-]+')


def answer(body: Mapping[str, Any]) -> str:
    """What comes next, read off the prompt alone, so that an answer asked for twice is the same."""
    said = sum(one["role"] == "assistant" for one in body["messages"])
    call = _CALLS[min(said, len(_CALLS) - 1)]
    return json.dumps({"content": f"because of step {said}", "function_call": dict(call)})


@dataclass
class Result:
    """Kills that landed while a step was under way, runs, and those that differ; calls of the model over the least."""

    kills: int = 0
    missed: int = 0
    runs: int = 0
    differ: int = 0
    replays_differ: int = 0
    paused: int = 0
    twice: int = 0
    asked_again: int = 0


class Workers:
    """A process that has everything loaded and forks a worker for each turn, so that one costs milliseconds."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.modular.forking"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        # Of pipes that were asked for both ends are there.
        self._to: Any = self._process.stdin
        self._says: Any = self._process.stdout

    def begin(self, run: int) -> int:
        """Have a worker work on the run; its process id."""
        self._to.write(f"{run}\n")
        self._to.flush()
        return int(self._says.readline())

    def ended(self) -> bool:
        """Wait until the worker has ended; whether it did so by itself."""
        return self._says.readline().strip() == "0"

    def close(self) -> None:
        """End it."""
        self._to.close()
        self._process.wait(timeout=30)


def killed(kills: int, *, by: User, reviewer: User, asked: list[Any], seed: int = 7) -> Result:
    """Kill workers until so many kills have landed; compare every run with one that nobody disturbed."""
    from agents.modular import runs

    draw = random.Random(seed)  # noqa: S311  # moments, guards nothing
    workers, found = Workers(), Result()
    asked.clear()
    try:
        takes_s, right = _undisturbed(workers, by, reviewer)
        fewest = len(asked)
        while found.kills < kills:
            asked.clear()
            run = _started(by)
            while not _is_over(run):
                if run.state == "paused":
                    # Six workers in a row died over one step: a person has it go on.
                    found.paused += 1
                    runs.go_on(run, by=by)
                _turn(workers, run, found, draw.uniform(0, takes_s) if found.kills < kills else None)
                _approve(run, reviewer)
            found.runs += 1
            found.asked_again += len(asked) - fewest
            _compare(run, right, found)
    finally:
        workers.close()
    return found


def _undisturbed(workers: Workers, by: User, reviewer: User) -> tuple[float, Any]:
    """The longest turn of a worker, in seconds, and all that the run has come to."""
    run, longest = _started(by), 0.0
    while not _is_over(run):
        began = time.perf_counter()
        workers.begin(run.pk)
        workers.ended()
        longest = max(longest, time.perf_counter() - began)
        _approve(run, reviewer)
    return longest, told(run)


def _started(by: User) -> ModularRun:
    from agents.bdi.modular.state import Chosen
    from agents.modular import runs
    from agents.modular.runs import Start

    settings = {
        "prompter": Chosen("plain"),
        "generator": Chosen("model", {"samples": 1}),
        "discriminator": Chosen("first"),
        "actor": Chosen("plain"),
        "toolkit": Chosen("simple_coder"),
    }
    return runs.start(Start("write the moon into a.txt and say what it says", settings), by=by)


def _turn(workers: Workers, run: ModularRun, found: Result, after_s: float | None) -> None:
    """Let a worker work, and kill it after so long; a lease that nobody renews runs out at once here."""
    from django.utils import timezone

    from agents.models import ModularRun

    worker = workers.begin(run.pk)
    if after_s is not None:
        time.sleep(after_s)
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)
    if workers.ended():
        found.missed += after_s is not None
        return
    found.kills += 1
    ModularRun.objects.filter(pk=run.pk, state="running").update(lease_until=timezone.now())


def _approve(run: ModularRun, reviewer: User) -> None:
    """The call that waits is approved and carried out by a worker of goals, whom nobody kills here."""
    from agents.cycle import cycle
    from agents.models import IntentPlan, ModularWant
    from agents.modular import working
    from review.deciding import decisions

    for want in ModularWant.objects.filter(run=run, kind="call", answer__isnull=True, goal__isnull=False):
        plan = IntentPlan.objects.filter(goal=want.goal_id).order_by("-revision")[0]
        if plan.state == "awaiting_review":
            decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
        cycle.work(plan.goal_id)
    working.sweep()


def _is_over(run: ModularRun) -> bool:
    run.refresh_from_db()
    if run.state == "paused" and "workers" not in run.reason:
        raise RuntimeError(f"the run paused: {run.reason}")
    return run.state == "ended"


def _compare(run: ModularRun, right: Any, found: Result) -> None:
    from agents.models import ModularWant
    from agents.modular import replaying

    came_to = told(run)
    if came_to != right:
        found.differ += 1
        sys.stderr.write(f"run {run.pk} differs: {_first_difference(right, came_to)}\n")
    found.replays_differ += not replaying.replay(run).is_same
    calls = ModularWant.objects.filter(run=run, kind="call")
    goals = set(calls.values_list("goal_id", flat=True))
    found.twice += calls.count() != len(goals) or _goals_of(run) != len(goals)


def _first_difference(right: Any, told: Any, where: str = "") -> str:
    if isinstance(right, dict) and isinstance(told, dict):
        pairs = [(f"{where}.{key}", right.get(key), told.get(key)) for key in sorted({*right, *told}, key=str)]
    elif isinstance(right, list) and isinstance(told, list) and len(right) == len(told):
        pairs = [(f"{where}[{at}]", one, other) for at, (one, other) in enumerate(zip(right, told, strict=True))]
    else:
        return f"{where}: {str(right)[:300]} / {str(told)[:300]}"
    return next((_first_difference(one, other, at) for at, one, other in pairs if one != other), "")


def _goals_of(run: ModularRun) -> int:
    from agents.models import Goal

    return Goal.objects.filter(submission_key__startswith=f"modular-{run.pk}-").count()


def told(run: ModularRun) -> Any:
    """Every step and node of a run, without what another run would have otherwise by right."""
    steps = run.steps.order_by("number").values(
        "number", "parent", "kind", "module_type", "module", "head", "last_node"
    )
    nodes = run.nodes.order_by("number").values("number", "step", "data")
    return compared({"steps": list(steps), "nodes": list(nodes), "outcome": run.outcome})


def _is_of_its_own(name: str, value: Any) -> bool:
    # A node's `at` is a moment, a state's is the number of the node where it is.
    return name in _OF_ITS_OWN or (name == "at" and isinstance(value, str))


def compared(value: Any) -> Any:
    """What of a step or a node has to be the same in every run of the same script."""
    if isinstance(value, Mapping):
        return {name: compared(one) for name, one in value.items() if not _is_of_its_own(name, one)}
    if isinstance(value, list):
        return [compared(one) for one in value]
    return _TIMED.sub(r"\1", value) if isinstance(value, str) else value
