"""A step that prints without end: what waits in the worker is bounded, and the log says how much it leaves out."""

from __future__ import annotations

from typing import Any

import pytest

from agents.execution import companion as companions
from agents.execution.companion import Companion
from agents.services.logs import NewLine


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
