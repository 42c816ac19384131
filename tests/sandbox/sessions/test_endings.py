"""A helper that lies about how a program ended gets nothing past the session."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.jail.inside.frames import BadFrame
from sandbox.sessions.endings import Failed, ending, judged


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"return_code": "0"},
        {"return_code": None},
        {"return_code": 0, "limit": "sky"},
        {"return_code": 0, "limit": 3},
    ],
)
def test_an_ending_that_says_nothing_is_no_ending(answer: dict[str, Any]) -> None:
    with pytest.raises(BadFrame):
        ending(answer, {})


def test_only_known_fields_of_the_right_kind_are_taken_over() -> None:
    answer = {
        "return_code": 0,
        "left_running": "many",
        "peak_processes": 3,
        "stdout": "forged",
        "deleted": ["x" * 9000] * 9000,
        "deleted_count": 9000,
        "html": "<script>",
    }
    data = ending(answer, {"stdout": "real"})
    assert data["stdout"] == "real"
    assert data["peak_processes"] == 3
    assert "left_running" not in data
    assert "html" not in data
    assert len(data["deleted"]) == 20
    assert max(map(len, data["deleted"])) == 500


@pytest.mark.parametrize(
    ("answer", "reason", "limit"),
    [
        ({"return_code": 2}, "exit status 2", None),
        ({"return_code": -11}, "ended by signal 11", None),
        ({"return_code": 0, "limit": "memory"}, "it used more memory than the limit", "memory"),
        (
            {"return_code": 0, "unfit": "pipe is a fifo"},
            "it left a workspace that cannot be kept: pipe is a fifo",
            None,
        ),
    ],
)
def test_every_failure_has_a_reason_in_words(answer: dict[str, Any], reason: str, limit: str | None) -> None:
    with pytest.raises(Failed) as failed:
        judged(answer, ending(answer, {}))
    assert (str(failed.value), failed.value.limit) == (reason, limit)
    assert failed.value.data["return_code"] == answer["return_code"]


def test_a_good_ending_is_its_data() -> None:
    assert judged({"return_code": 0}, ending({"return_code": 0}, {"stdout": "x"})) == {"return_code": 0, "stdout": "x"}
