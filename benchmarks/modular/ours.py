"""Runs of modular agents whose tree has many nodes already, step by step; the model is a server on the loopback."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agents.models import ModularRun
    from people.models import User

CHARS = 200


def text(number: int) -> str:
    """The message of this number, as both sides keep it."""
    return f"message {number}: " + f"what was seen and said at turn {number} of this run, in some words. " * 3


def says(number: int) -> str:
    """The model's answer of this number: it keeps a note."""
    call = {"name": "note", "arguments": {"text": f"note {number}"}}
    return json.dumps({"content": text(number)[:CHARS], "function_call": call})


@dataclass(frozen=True)
class Asked:
    """Seconds of one request, by the clock and of this process's processor: the model's server is a thread of it."""

    wall: float
    cpu: float


@dataclass
class Measured:
    """Milliseconds of each step without the model's, and of those that began on a worker that had not seen the run.

    `cpu` are milliseconds of this process's processor in the former.
    """

    warm: list[float] = field(default_factory=list)
    cold: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


def prepared(nodes: int, prompter: str, by: User) -> ModularRun:
    """A paused run whose present path has so many nodes."""
    from agents.bdi.modular import document
    from agents.bdi.modular.state import Chosen, Limits, Message, State
    from agents.modular import runs

    settings = {
        "prompter": Chosen(prompter),
        "generator": Chosen("model", {"samples": 1}),
        "discriminator": Chosen("first"),
        "actor": Chosen("plain"),
        "toolkit": Chosen("notes"),
    }
    # So many tokens that none of the limits is near.
    limits = Limits(tokens=100_000_000, time_s=1e9, steps=100_000)
    state = State(task="go on for ever", settings=settings, limits=limits)
    for number in range(nodes):
        role = ("user", "assistant")[number % 2]
        state.add(Message(role, text(number)[:CHARS]), source="bench", at="2026-01-01T00:00:00+00:00")
    return runs.take_in(json.dumps(document.write(state)), by=by)


def stepped(run: ModularRun, steps: int, *, by: User) -> Measured:
    """Take so many steps with one worker; before each tenth the worker is one that has not seen the run."""
    from agents.models import ModularRun
    from agents.modular import runs, working

    found = Measured()
    runs.go_on(run, by=by)
    claimed = working.claim(run.pk)
    if claimed is None:
        raise RuntimeError("the run could not be begun")
    with _model_left_out() as asked:
        for number in range(steps):
            is_cold = number % 10 == 0
            if is_cold:
                working.forget()
            asked.clear()
            at, began, cpu = claimed.at_step, time.perf_counter(), time.process_time()
            while claimed.at_step == at:
                if not working.turn(claimed):
                    raise RuntimeError(f"the run stopped: {ModularRun.objects.get(pk=run.pk).reason}")
            took = (time.perf_counter() - began - sum(one.wall for one in asked)) * 1_000
            (found.cold if is_cold else found.warm).append(took)
            if not is_cold:
                found.cpu.append((time.process_time() - cpu - sum(one.cpu for one in asked)) * 1_000)
    return found


@contextmanager
def _model_left_out() -> Iterator[list[Asked]]:
    """For how long the model was asked, its client and the record of the call included."""
    from library.language import generation

    asked: list[Asked] = []
    real = generation.ask

    def timed(request: Any, **more: Any) -> Any:
        began, cpu = time.perf_counter(), time.process_time()
        try:
            return real(request, **more)
        finally:
            asked.append(Asked(time.perf_counter() - began, time.process_time() - cpu))

    generation.ask = timed
    try:
        yield asked
    finally:
        generation.ask = real
