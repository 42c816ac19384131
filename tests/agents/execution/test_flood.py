"""A step that prints without end: what waits in the worker is bounded, and the log says how much it leaves out."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from agents.cycle import cycle
from agents.execution import companion as companions
from agents.execution.companion import Companion
from agents.goals import goals
from agents.models import Attempt, Goal, IntentPlan
from agents.record import logs
from agents.record.logs import NewLine
from agents.states import GoalState
from people.models import User
from tests.agents.execution.conftest import run
from tests.waiting import wait_until

FLOOD_LINES = 50 * 1024
# Fifty megabytes, and then it goes on until somebody stops it.
FLOOD = f"import sys, time; [sys.stdout.write('x' * 1023 + chr(10)) for _ in range({FLOOD_LINES})]; time.sleep(600)"
QUIET = "[print('line', n) for n in range(300)]"


@pytest.fixture
def beside(settings: Any) -> Companion:
    """A companion whose database is away: nothing it takes is written."""
    settings.STEP_LOG_LINES, settings.STEP_LOG_BYTES = 100, 50_000
    return Companion(1, renew=lambda: True, is_cancelled=lambda: False)


def waiting(beside: Companion) -> list[NewLine]:
    return list(beside._lines.queue)


def test_a_flood_of_lines_waits_bounded_and_the_log_says_exactly_what_is_missing(beside: Companion) -> None:
    for _ in range(2_000):
        beside.output("stdout", b"0123456789\n" * 50)
    assert len(waiting(beside)) == 100
    *taken, said = beside.drain()
    assert [line.text for line in taken] == ["0123456789"] * 100
    assert said.level == "warning"
    assert "99,900 more lines, 1,098,900 bytes, after 100 lines" in said.text


def test_a_flood_without_a_line_end_is_bounded_by_its_bytes(beside: Companion) -> None:
    for _ in range(1_000):
        beside.output("stderr", b"x" * 65_536)
    assert sum(len(line.text) for line in waiting(beside)) <= 50_000 + 2 * companions.LINE_BYTES
    assert len(beside._partial.get("stderr", b"")) <= companions.LINE_BYTES
    said = beside.drain()[-1]
    assert "left out of the log" in said.text


def test_a_line_that_is_too_long_says_how_much_of_it_is_missing(beside: Companion) -> None:
    beside.output("stdout", b"y" * (companions.LINE_BYTES + 5) + b"\nshort\n")
    first, second = beside.drain()
    assert first.text.endswith("… 5 more bytes of this line were left out")
    assert second.text == "short"


def test_a_new_try_has_the_whole_room_again_and_a_quiet_one_says_nothing(beside: Companion) -> None:
    beside.output("stdout", b"line\n" * 500)
    assert beside.drain()[-1].source == "worker"
    beside.new_attempt()
    beside.output("stdout", b"line\n" * 100)
    assert [line.source for line in beside.drain()] == ["stdout"] * 100


@pytest.fixture
def beside_steps(monkeypatch: pytest.MonkeyPatch) -> list[Companion]:
    """The companions of all claims, in the order in which they began."""
    seen: list[Companion] = []

    def noted(self: Companion, *arguments: Any, **named: Any) -> None:
        real(self, *arguments, **named)
        seen.append(self)

    real = Companion.__init__
    monkeypatch.setattr(Companion, "__init__", noted)
    return seen


def test_fifty_megabytes_from_a_jail_fill_no_table_and_hold_up_no_other_goal(
    approved: Callable[..., IntentPlan], owner: User, beside_steps: list[Companion], settings: Any
) -> None:
    settings.STEP_LOG_LINES = 2_000
    flood, quiet = approved([run(f'python -c "{FLOOD}"')]), approved([run(f'python -c "{QUIET}"')])

    def work() -> None:
        try:
            cycle.work(flood.goal_id)
        finally:
            connections.close_all()

    worker = threading.Thread(target=work)
    worker.start()
    try:
        wait_until(lambda: beside_steps, what="the flood's claim")
        wait_until(lambda: _came(beside_steps[0]) >= FLOOD_LINES * 1024 - 1024, what="all of the flood")
        assert beside_steps[0]._lines.qsize() <= 2_000
        # While that step still runs, another goal runs from its begin to its end, with every line of it.
        cycle.work(quiet.goal_id)
        assert Goal.objects.get(pk=quiet.goal_id).state == GoalState.ACHIEVED
        assert _printed(quiet) == [f"line {n}" for n in range(300)]
        assert worker.is_alive()
    finally:
        goals.cancel(Goal.objects.get(pk=flood.goal_id), by=owner)
        worker.join(45)
    assert not worker.is_alive()
    assert _printed(flood) == ["x" * 1023] * 2_000
    said = Goal.objects.get(pk=flood.goal_id).log_lines.get(text__startswith="left out of the log")
    assert said.text.startswith(f"left out of the log: {FLOOD_LINES - 2_000:,} more lines, ")
    attempt = Attempt.objects.get(intent__intent_plan=flood)
    assert len(json.dumps(attempt.result)) < 2 * (1 << 20), "of the output a head and a tail are kept"
    client = Client()
    client.force_login(owner, backend="people.backends.SealedPeople")
    assert escape(said.text) in client.get(reverse("goal", args=[flood.goal_id])).content.decode()


def _came(beside: Companion) -> int:
    """The bytes that a program has said so far."""
    return beside._bytes_taken + beside._lines_taken + beside._bytes_left_out


def _printed(plan: IntentPlan) -> list[str]:
    lines = Goal.objects.get(pk=plan.goal_id).log_lines.filter(source="stdout")
    return list(lines.order_by("number").values_list("text", flat=True))


@pytest.fixture
def renewals(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Companion, list[bool]]]:
    """A running companion with a short lease, and its renewals so far. What it writes goes nowhere."""
    settings.LEASE_S = 0.8
    settings.STEP_LOG_LINES = settings.STEP_LOG_BYTES = 10**9
    monkeypatch.setattr(logs, "write", lambda goal_id, lines: None)
    renewed: list[bool] = []

    def renew() -> bool:
        renewed.append(True)
        return True

    with Companion(1, renew=renew, is_cancelled=lambda: False) as companion:
        yield companion, renewed


def test_the_lease_is_kept_while_more_comes_than_is_written(
    renewals: tuple[Companion, list[bool]], monkeypatch: pytest.MonkeyPatch
) -> None:
    companion, renewed = renewals
    more = threading.Event()
    more.set()

    def write(goal_id: int, lines: list[NewLine]) -> None:
        if more.is_set():
            companion.output("stdout", b"more\n" * 2 * companions.BATCH)

    monkeypatch.setattr(logs, "write", write)
    try:
        companion.output("stdout", b"begin\n")
        wait_until(lambda: len(renewed) >= 2, what="the lease renewed twice")
    finally:
        more.clear()


def test_the_lease_is_kept_while_the_worker_itself_writes_what_is_left(
    renewals: tuple[Companion, list[bool]],
) -> None:
    companion, renewed = renewals
    with companion._writing:
        companion.output("stdout", b"line\n" * 2 * companions.BATCH)
        before = len(renewed)
        wait_until(lambda: len(renewed) >= before + 2, what="the lease renewed twice")


def test_the_lease_is_kept_while_nothing_can_be_filed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step's statement that takes long holds the plan's row: the thread that renews is told to wait for nothing."""
    waits, renewed, written = list[bool](), list[bool](), list[NewLine]()
    free = threading.Event()

    def before_writing(wait: bool) -> bool:
        waits.append(wait)
        return wait or free.is_set()

    def renew() -> bool:
        renewed.append(True)
        return True

    def write(goal_id: int, lines: list[NewLine]) -> None:
        written.extend(lines)

    monkeypatch.setattr(logs, "write", write)
    beside = Companion(1, renew=renew, is_cancelled=lambda: False, before_writing=before_writing)
    beside._renew_every_s = 0.05
    with beside:
        beside.output("stdout", b"a line\n")
        wait_until(lambda: len(renewed) >= 2 and len(waits) >= 2, what="the lease renewed twice")
        assert written == [], "what was reported stands before it in the log"
        free.set()
        wait_until(lambda: written, what="the line written")
    assert not any(waits), "not in this thread"
