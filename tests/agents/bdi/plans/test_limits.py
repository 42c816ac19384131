"""Ceilings without a database: which row decides, what a session gets, how they are said."""

from __future__ import annotations

from typing import Any

import pytest

from agents.toolkit import limits
from agents.toolkit.limits import (
    BOUNDS,
    DEFAULTS,
    Number,
    UnknownLimit,
    in_words,
    reached,
    resolve,
    session_limits,
    unusual,
)
from sandbox.contract import Limits

GIB = 1 << 30


def test_without_rows_a_step_has_the_usual_ceilings() -> None:
    assert resolve((), quota_bytes=GIB) == dict(DEFAULTS)
    assert session_limits(resolve((), quota_bytes=GIB)) == Limits()


def test_the_first_row_that_states_a_field_decides_it_alone() -> None:
    rows: list[dict[str, Number | None]] = [
        {"memory_bytes": 5, "processes": None},
        {"memory_bytes": 9, "processes": 40},
    ]
    found = resolve(rows, quota_bytes=GIB)
    assert (found["memory_bytes"], found["processes"], found["cpus"]) == (5, 40, DEFAULTS["cpus"])


def test_a_row_can_say_more_than_the_default_and_a_wider_row_cannot_take_it_back() -> None:
    found = resolve([{"memory_bytes": 4 * GIB}, {"memory_bytes": GIB}], quota_bytes=GIB)
    assert found["memory_bytes"] == 4 * GIB


def test_a_row_that_states_the_default_still_decides() -> None:
    rows: list[dict[str, Number | None]] = [{"processes": DEFAULTS["processes"]}, {"processes": 9}]
    assert resolve(rows, quota_bytes=GIB)["processes"] == DEFAULTS["processes"]


def test_a_quota_is_never_exceeded_and_never_widens() -> None:
    assert resolve([{"workspace_bytes": 8 * GIB}], quota_bytes=2 * GIB)["workspace_bytes"] == 2 * GIB
    assert resolve((), quota_bytes=8 * GIB)["workspace_bytes"] == GIB


def test_the_usual_time_is_cut_to_the_longest_of_another_row() -> None:
    found = resolve([{"hard_s": 10}, {"soft_s": 100}], quota_bytes=GIB)
    assert (found["soft_s"], found["hard_s"]) == (10, 10)


def test_a_session_gets_exactly_what_is_stated() -> None:
    stated = {name: value + 1 for name, value in DEFAULTS.items()}
    assert session_limits(stated) == Limits(**stated)  # type: ignore[arg-type]
    # Plans that were approved before every ceiling was written out state only some.
    assert session_limits({"memory_bytes": 7}) == Limits(memory_bytes=7)


def test_a_ceiling_that_is_not_known_is_not_left_out() -> None:
    with pytest.raises(UnknownLimit, match="sockets"):
        session_limits({"memory_bytes": 7, "sockets": 3})


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("memory_bytes", GIB, "1 GiB"),
        ("memory_bytes", GIB + GIB // 2, "1,536 MiB"),
        ("file_bytes", 1000, "1,000 bytes"),
        ("soft_s", 30.0, "30 s"),
        ("processes", 4096, "4,096"),
        ("workspace_files", 1_234_567, "1,234,567"),
        ("cpus", 0.5, "0.5"),
        ("memory_bytes", "much", "much"),
    ],
)
def test_a_ceiling_is_said_with_its_unit_and_exactly(name: str, value: Any, words: str) -> None:
    assert in_words(name, value) == words


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ("memory", "reached its memory limit of 512 MiB"),
        ("processes", "reached its limit of 128 processes"),
        ("time", "reached its time limit of 30 s"),
        ("output", "reached its output limit of 64 MiB"),
        ("file_bytes", "reached its limit of 256 MiB for one file"),
        ("workspace", "reached the workspace's limit of 1 GiB and 50,000 files"),
        ("cancel", "was cancelled while it ran"),
        ("moonlight", "reached its limit of moonlight"),
    ],
)
def test_a_hit_is_said_with_what_was_approved(limit: str, words: str) -> None:
    assert reached(limit, {"memory_bytes": 512 << 20}) == words


def test_a_steps_own_time_is_the_one_it_reached() -> None:
    assert reached("time", {"soft_s": 30}, timeout_s=2) == "reached its time limit of 2 s"


def test_only_ceilings_that_are_not_the_usual_ones_are_told() -> None:
    assert unusual(dict(DEFAULTS)) == []
    found = unusual({**DEFAULTS, "memory_bytes": 2 * GIB, "hard_s": 60, "sockets": 3})
    assert [(one.name, one.value, one.usual) for one in found] == [
        ("memory_bytes", "2 GiB", "1 GiB"),
        ("hard_s", "60 s", "300 s"),
        ("sockets", "3", "none"),
    ]


def test_every_ceiling_can_be_set_and_its_default_lies_within_the_bounds() -> None:
    assert set(BOUNDS) == set(DEFAULTS)
    assert all(least <= DEFAULTS[name] <= most for name, (least, most) in BOUNDS.items())


def test_every_ceiling_of_a_session_has_a_name_for_people() -> None:
    assert set(limits._LABELS) == set(DEFAULTS)
