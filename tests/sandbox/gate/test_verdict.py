"""What a refusal on the network makes of a result."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.contract import Result
from sandbox.gate.verdict import with_network

FAILED = Result("ERROR", {"return_code": 1}, "TOOL_EXECUTION_ERROR", "exit status 1")


def _network(*refused: dict[str, Any]) -> dict[str, Any]:
    return {"refused": list(refused), "downloads": [], "hosts": []}


def test_a_failed_program_that_was_refused_a_host_lacked_permission() -> None:
    said = with_network(FAILED, _network({"host": "pypi.org", "port": None}, {"host": "10.0.0.1", "port": 80}))
    assert said.error_class == "PERMISSION_ERROR"
    assert said.reason == "exit status 1; it asked for pypi.org, 10.0.0.1:80, which was not approved"
    assert said.data["return_code"] == 1


def test_an_approved_host_is_not_said_to_be_unapproved() -> None:
    said = with_network(FAILED, _network({"host": "a.example", "port": 80, "why": "the name leads to 10.0.0.1"}))
    assert said.reason == "exit status 1; a.example:80: the name leads to 10.0.0.1"


@pytest.mark.parametrize(
    "result",
    [
        Result("SUCCESS", {"return_code": 0}),
        Result("ERROR", {"return_code": -9}, "TOOL_EXECUTION_ERROR", "it took too long", limit="time"),
        Result("ERROR", {}, "INVALID_PARAMETERS", "no such program"),
    ],
    ids=["it ended well", "a limit ended it", "it never ran"],
)
def test_any_other_result_keeps_what_it_was_and_tells_of_it(result: Result) -> None:
    said = with_network(result, _network({"host": "pypi.org", "port": None}))
    assert (said.status, said.error_class, said.reason) == (result.status, result.error_class, result.reason)
    assert said.data["network"]["refused"]


def test_without_anything_on_the_network_nothing_is_told() -> None:
    assert with_network(FAILED, {}) is FAILED
