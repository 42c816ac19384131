"""What well-known programs wrote when they failed, and words that only look as if they said so.

`programs_that_failed.jsonl` was written by the programs themselves on Debian 12. Rows that are `known` are of programs
or servers that were not at hand, in the words in which they say it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agents.bdi.recovery.failures import PLANNING, TEXT_KEPT, Facts, FailureClass, classified, classify
from agents.bdi.recovery.program_errors import Cause, of_stderr, of_stdout

ROWS = [json.loads(line) for line in Path(__file__).with_name("programs_that_failed.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=[f"{number} {row['program']}" for number, row in enumerate(ROWS, 1)])
def test_what_a_program_wrote_is_classed_by_what_it_says(row: dict[str, Any]) -> None:
    failure = classify({"return_code": row["exit"], "stderr": row["stderr"], "stdout": row.get("stdout", "")})
    assert (failure.failure_class, failure.cause) == (row["class"], row["cause"]), failure.reason


def test_enough_programs_are_asked_and_every_class_comes_up() -> None:
    assert len({row["program"] for row in ROWS}) >= 20
    of_programs = {row["class"] for row in ROWS}
    of_planning = {classified(Facts(stage=PLANNING, no_plan=why)).failure_class for why in ("unclear", "invalid_plan")}
    assert of_programs | of_planning == set(FailureClass)


def _traceback(source: str, last: str) -> str:
    return f'Traceback (most recent call last):\n  File "/work/x.py", line 429, in <module>\n    {source}\n{last}\n'


# Nothing here says that a server asked for patience, that there is no network, or that something is not allowed.
TRAPS = (
    _traceback("run()", "ValueError: boom"),
    _traceback("assert 1429 != 1429", "AssertionError: assert 1429 != 7"),
    _traceback('raise Trouble("HTTP 429 Too Many Requests")', "x.Trouble: it is broken"),
    _traceback("check()", "AssertionError: 'connection refused' != 'HTTP 429 Too Many Requests'"),
    _traceback("open(path)", "FileNotFoundError: [Errno 2] No such file or directory: 'permission denied'"),
    _traceback("Connection().reset()", "AttributeError: 'Connection' object has no attribute 'reset'"),
    '  File "/work/x.py", line 429\n    print("rate limit exceeded"\n         ^\nSyntaxError: \'(\' was never closed\n',
    "FAILED tests/test_net.py::test_timeout\nFAILED tests/test_net.py::test_connection_refused\n",
    "rm: cannot remove 'permission_denied.txt': No such file or directory\n",
    "cat: ./connection refused.txt: No such file or directory\n",
    "x.c:429:5: error: 'y' undeclared\n  429 |     log(\"Permission denied\");\n      |     ^~~\n",
    "429 files were looked at, 1429 lines, port 429, exit status 1\n",
    "the job was killed in 429 ms; limit 429, error 429 of 500\n",
    "ERROR: expected status 200 but the body was empty\n",
    "connection: closed\nrate limit: 500 a minute\n",
    "/srv/Too Many Requests.log: cannot be parsed\n",
    "AssertionError [ERR_ASSERTION]: '429 Too Many Requests' == 'ok'\n    at /work/x.js:429:1\n",
)


@pytest.mark.parametrize("text", TRAPS)
def test_words_and_numbers_that_only_look_like_it_decide_nothing(text: str) -> None:
    assert classify({"return_code": 1, "stderr": text}).failure_class is FailureClass.TOOL_EXECUTION_ERROR


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("HTTP 429", FailureClass.RATE_LIMIT_ERROR),
        ("HTTP/1.1 429", FailureClass.RATE_LIMIT_ERROR),
        ("the server answered with status code 429.", FailureClass.RATE_LIMIT_ERROR),
        ("status: 429", FailureClass.RATE_LIMIT_ERROR),
        ("429 Too Many Requests", FailureClass.RATE_LIMIT_ERROR),
        ("Rate limit reached for requests", FailureClass.RATE_LIMIT_ERROR),
        ("HTTP 403: rate limit exceeded", FailureClass.RATE_LIMIT_ERROR),
        ("HTTP 401", FailureClass.PERMISSION_ERROR),
        ("502 Bad Gateway", FailureClass.NETWORK_ERROR),
        ("HTTP 404", FailureClass.TOOL_EXECUTION_ERROR),
        ("HTTP 4290", FailureClass.TOOL_EXECUTION_ERROR),
    ],
)
def test_a_number_is_a_status_where_it_is_said_to_be_one(text: str, found: FailureClass) -> None:
    assert classify({"return_code": 1, "stderr": text}).failure_class is found


@pytest.mark.parametrize(
    ("code", "found"), [(127, "TOOL_UNAVAILABLE"), (126, "PERMISSION_ERROR"), (-9, "TOOL_EXECUTION_ERROR")]
)
def test_how_a_program_ended_decides_before_what_it_had_said(code: int, found: str) -> None:
    assert classify({"return_code": code, "stderr": "HTTP 429 Too Many Requests"}).failure_class == found


@pytest.mark.parametrize(
    ("result", "cause"),
    [
        ({"limit": "time", "return_code": -9}, Cause.TIME),
        ({"limit": "memory", "return_code": -9}, Cause.MEMORY),
        ({"limit": "processes", "return_code": 1}, Cause.PROCESSES),
        ({"limit": "workspace", "return_code": 1}, Cause.INPUT),
        ({"limit": "plan_time", "return_code": 1}, Cause.UNKNOWN),
        ({"error_class": "INVALID_PARAMETERS", "reason": "x: there is no such file"}, Cause.INPUT),
        ({"error_class": "RATE_LIMIT_ERROR"}, Cause.REMOTE),
        ({"error_class": "TOOL_EXECUTION_ERROR"}, Cause.UNKNOWN),
    ],
)
def test_a_typed_failure_has_its_cause_without_any_words(result: dict[str, Any], cause: Cause) -> None:
    assert classify({**result, "stderr": "SyntaxError"}).cause is cause


def test_a_test_run_fails_by_itself_only_where_every_exception_is_the_programs_own() -> None:
    assert of_stdout("test_x.py:2: AssertionError\n") is Cause.INPUT
    assert of_stdout("test_x.py:2: AssertionError\ntest_x.py:9: ConnectionRefusedError\n") is Cause.UNKNOWN
    assert of_stdout("1 failed in 0.1s\n") is Cause.UNKNOWN


def _long() -> Iterator[str]:
    yield from (sign * TEXT_KEPT for sign in " a0|:/\\\n~^")
    yield from ("a " * TEXT_KEPT, "429 " * TEXT_KEPT, 'File "x", line 1\n' * 400, "http error " * 400, "status " * 600)
    yield from ("http response from " * 200, "make: *** " * 400, "command line option a " * 200)


@pytest.mark.parametrize("text", [*_long()])
def test_no_text_takes_long_to_read(text: str) -> None:
    began = time.process_time()
    of_stderr(text[-TEXT_KEPT:])
    of_stdout(text[-TEXT_KEPT:])
    assert time.process_time() - began < 0.2
