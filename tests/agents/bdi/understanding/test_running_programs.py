"""What people say of a program besides its command line: how long it may take, whom it may reach, what it is called."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.understanding.values.time_limits import time_limits
from agents.bdi.understanding.words.tokens import tokens_of, with_numbers
from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(
    ("jobs/reindex.py", "jobs/export.sh", "logs/errors.log", "Minutes May.txt", "certs/ca.pem", "main.py")
)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("with a timeout of 2 minutes", 120),
        (", 90 second limit", 90),
        ("with a 10-minute limit", 600),
        ("but no longer than a minute and a half", 90),
        ("and kill it after 45 seconds", 45),
        (", max 30s", 30),
        (", give it ten minutes at most", 600),
        ("and don't wait longer than half a minute", 30),
        ("for a quarter of an hour at most", 900),
        ("and stop it if it takes longer than 1.5 minutes", 90),
        (", it may take up to two hours", 7200),
        ("within 1m30s", 90),
        (", it should not take more than 2 minutes 30 seconds", 150),
        (". 30 seconds should be enough", 30),
    ],
)
def test_a_limit_of_time_is_read_however_it_is_stated(said: str, seconds: int) -> None:
    (step,) = HERE.steps(f"run reindex.py {said}".replace(" ,", ",").replace(" .", "."))
    assert step == ("run", {"command_line": "python jobs/reindex.py", "timeout_s": seconds})


@pytest.mark.parametrize(
    "said",
    [
        "after five minutes", "in 5 minutes", "every 5 minutes", "5 minutes after midnight", "with a 10 minute break",
        "without a 5 minute limit", "for 5 minutes or 10 minutes", "within the next hour", "10 minutes later",
        ", usually 5 minutes",
    ],
)  # fmt: skip
def test_a_length_of_time_that_is_no_limit_is_asked_about(said: str) -> None:
    assert HERE.is_asked(f"run reindex.py {said}".replace(" ,", ","))


@given(st.integers(1, 300), st.sampled_from(["second", "minute"]), st.sampled_from(["a {} {} limit", "at most {} {}s"]))
def test_a_limit_has_as_many_seconds_as_its_words_say(number: int, unit: str, said: str) -> None:
    """Law: the unit counts, and every token of the phrase is used."""
    tokens = with_numbers(tokens_of(said.format(number, unit)))
    (found,) = time_limits(tokens)
    assert (found.seconds, found.used) == (number * {"second": 1, "minute": 60}[unit], range(len(tokens)))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("start uvicorn main:app --port 9000 and call it shop", ("start", {
            "command_line": "uvicorn main:app --port 9000", "name": "shop"})),
        ("run `celery worker` in the background, name it jobs", ("start", {
            "command_line": "celery worker", "name": "jobs"})),
        ('start "python main.py" and give it the name dev', ("start", {
            "command_line": "python main.py", "name": "dev"})),
        ("I need python main.py running in the background, call it dev", ("start", {
            "command_line": "python main.py", "name": "dev"})),
        ("run export.sh", ("run", {"command_line": "./jobs/export.sh"})),
        ("run npm ci and let it talk to registry.npmjs.org", ("run", {
            "command_line": "npm ci", "hosts": ["registry.npmjs.org"]})),
        ("run `git fetch`, it needs to reach github.com", ("run", {
            "command_line": "git fetch", "hosts": ["github.com"]})),
        ('run python main.py and feed it "demo"', ("run", {"command_line": "python main.py", "stdin": "demo"})),
        ('run `python main.py` with "yes" as its input', ("run", {"command_line": "python main.py", "stdin": "yes"})),
        ("pytest main.py, max 30s", ("run", {"command_line": "pytest main.py", "timeout_s": 30})),
        ("show me the last thirty lines of errors.log", ("run", {"command_line": "tail -n 30 logs/errors.log"})),
        ("the last 5 lines of Minutes May.txt please", ("run", {"command_line": "tail -n 5 'Minutes May.txt'"})),
        ("tail -n 3 logs/errors.log", ("run", {"command_line": "tail -n 3 logs/errors.log"})),
        ("get https://a.example/x using the CA in certs/ca.pem", ("get", {
            "url": "https://a.example/x", "ca_file": "certs/ca.pem"})),
        ("PUT {\"price\": 9} to https://a.example/4, header X-Key: 77", ("put", {
            "url": "https://a.example/4", "content": '{"price": 9}', "headers": "X-Key: 77"})),
        ("get https://a.example/x but keep only the first 5000 bytes", ("get", {
            "url": "https://a.example/x", "most_bytes": 5000})),
        # What tells how it may go gives a value, and is not only told.
        ("fetch https://a.example/x, 4xx is fine", ("get", {"url": "https://a.example/x", "any_status": True})),
    ],
)  # fmt: skip
def test_what_is_said_besides_is_no_part_of_the_line(text: str, wanted: tuple[str, dict[str, Any]]) -> None:
    assert HERE.steps(text) == [wanted]


@pytest.mark.parametrize(
    "text",
    [
        "run reindex.py if the export went well",
        "run pytest and wait 10 seconds",
        "run make but only if it may reach pypi.org",
        "run pip download flask, it must not talk to pypi.org",
        "run python main.py and then nothing",
        "start flask run and call me when it is up",
        "get https://a.example/x, not any status",
        "show the last 5 lines",
        "show the last 10 minutes of errors.log",
    ],
)
def test_what_rules_the_run_or_lacks_something_is_asked_about(text: str) -> None:
    assert HERE.is_asked(text)
