"""Bars of what a step took: only what was measured, never longer than the limit, and the one that was reached."""

from __future__ import annotations

import pytest

from agents.presentation.used import bars

MIB = 1 << 20


def test_each_measure_stands_against_the_limit_that_held() -> None:
    result = {"return_code": 0, "duration_s": 1.25, "peak_memory_bytes": 32 * MIB, "peak_processes": 4}
    memory, time, processes = bars(result, {"memory_bytes": 64 * MIB, "processes": 16, "soft_s": 5})
    assert (memory.value, memory.most, memory.words) == (32 * MIB, 64 * MIB, "32.0 MiB of 64 MiB")
    assert (time.value, time.most, time.words) == (1.25, 5, "1.25 s of 5 s")
    assert (processes.value, processes.most, processes.words) == (4, 16, "4 of 16")


def test_the_time_that_a_step_asked_for_is_its_limit() -> None:
    assert bars({"return_code": 0, "duration_s": 1}, {"soft_s": 5}, 60)[0].words == "1.00 s of 60 s"


def test_what_was_not_measured_has_no_bar() -> None:
    assert bars({"status": "SUCCESS", "message": "made", "duration_s": 0.01}, {}) == ()
    assert bars({}, {}) == ()


@pytest.mark.parametrize(("limit", "name"), [("memory", "memory"), ("time", "time"), ("processes", "processes")])
def test_the_limit_that_was_reached_is_marked_alone_and_its_bar_ends_at_the_limit(limit: str, name: str) -> None:
    result = {"return_code": -9, "duration_s": 99.0, "peak_memory_bytes": 9 << 40, "peak_processes": 999}
    found = bars(result | {"limit": limit}, {})
    assert [bar.name for bar in found if bar.is_full] == [name]
    assert all(bar.value == bar.most for bar in found)


@pytest.mark.parametrize("wrong", ["many", None, -1, 0, [1]])
def test_a_document_that_somebody_changed_draws_no_nonsense(wrong: object) -> None:
    bar = bars({"return_code": 0, "peak_processes": 3}, {"processes": wrong})[0]
    assert (bar.value, bar.most) == (1.0, 1.0)
