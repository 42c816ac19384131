"""A framework's loop beside the thread that answers it: whatever it does, the worker goes on."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from agents.frameworks import beside
from agents.frameworks.beside import AskLater, Beside
from agents.frameworks.contract import FrameworkFailed, Interrupted, Question, Reply

QUESTION = Question((), ())


def test_questions_are_answered_in_the_thread_that_runs_it() -> None:
    threads: list[str] = []

    def ask(question: Question) -> Reply:
        threads.append(threading.current_thread().name)
        return Reply("yes")

    async def work(later: AskLater) -> list[str]:
        threads.append(threading.current_thread().name)
        return [(await later(QUESTION)).text for _ in range(3)]

    assert Beside(ask, "a framework").run(work) == ["yes"] * 3
    assert threads == ["framework", *[threading.current_thread().name] * 3]


def test_what_the_framework_raises_is_one_error_that_names_it() -> None:
    async def work(later: AskLater) -> None:
        raise KeyError("x\ny")

    with pytest.raises(FrameworkFailed, match="a framework raised KeyError: 'x"):
        Beside(lambda _: Reply(""), "a framework").run(work)


def test_what_asking_raises_ends_the_framework_and_comes_out_as_it_is() -> None:
    ended: list[str] = []

    def ask(question: Question) -> Reply:
        raise LookupError("no budget")

    async def work(later: AskLater) -> None:
        try:
            await later(QUESTION)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    with pytest.raises(LookupError, match="no budget"):
        Beside(ask, "a framework").run(work)
    assert ended == ["cancelled"]


def test_a_framework_that_waits_for_ever_is_interrupted() -> None:
    running = Beside(lambda _: Reply(""), "a framework")

    async def work(later: AskLater) -> None:
        running.interrupt()
        await asyncio.Event().wait()

    with pytest.raises(Interrupted):
        running.run(work)
    with pytest.raises(Interrupted):
        running.run(work)


def test_a_framework_that_takes_no_notice_of_being_cancelled_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "_LETS_GO_S", 0.1)
    running, over = Beside(lambda _: Reply(""), "a framework"), threading.Event()
    asked: list[Any] = []

    async def work(later: AskLater) -> None:
        running.interrupt()
        over.wait(30)
        try:
            await later(QUESTION)
        except asyncio.CancelledError:
            asked.append("refused")
            raise

    with pytest.raises(Interrupted):
        running.run(work)
    over.set()
    for thread in threading.enumerate():
        if thread.name == "framework":
            thread.join(10)
    assert asked == ["refused"]
