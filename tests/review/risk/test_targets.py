"""What a step acts on: the program of a command line, the kind of thing that a parameter names."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from review.risk.targets import LONGEST, is_program, target_of


@pytest.mark.parametrize(
    ("line", "target"),
    [
        ("python job.py", "python job.py"),
        ("python3 ./job.py --fast", "python job.py"),
        (".venv/bin/python3.11 -u -X dev tools/../job.py", "python job.py"),
        ("python other.py job.py", "python other.py"),
        ("./job.py", "job.py"),
        ("tools/job.sh now", "tools/job.sh"),
        ("pytest", "pytest"),
        ("pytest -q tests/test_a.py", "pytest"),
        ("python -m pytest tests/test_b.py", "pytest"),
        ("python -mpytest -q", "pytest"),
        ("python -m http.server 8000", "python -m http.server"),
        ("python -m pip install httpx", "pip install"),
        ("pip3 --quiet install httpx", "pip install"),
        ("git commit -m 'a message'", "git commit"),
        ("git -C sub log", "git log"),
        ("git --version", "git"),
        ("make", "make"),
        ("make -C sub test", "make test"),
        ("env A=1 B=2 python job.py", "python job.py"),
        ("env", "env"),
        ("ls src", "ls"),
        ("python -c 'print(1)'", "python -c 'print(1)'"),
        ("python", "python"),
        ("python -m", "python -m"),
        ('echo "never ended', 'echo "never ended'),
        ("", ""),
    ],
)
def test_a_command_line_is_known_by_its_program_and_what_that_runs(line: str, target: str) -> None:
    assert target_of("simple_coder", "run", {"command_line": line}) == target
    assert target_of("simple_coder", "start", {"name": "server", "command_line": line}) == target


@pytest.mark.parametrize(
    ("params", "target"),
    [
        ({"path": "notes/one.txt", "content": "x"}, ".txt"),
        ({"path": "notes/ONE.TXT"}, ".txt"),
        ({"path": "notes"}, ""),
        ({"path": "notes.d/one"}, ""),
        ({"path": ".env"}, ""),
        ({"path": "archive.tar.gz"}, ".gz"),
        ({"path": "a.py", "to": "b.txt"}, ".py"),
        ({"path": "{{intents.1.path}}.txt"}, ""),
        ({"url": "https://api.example.org:8443/v1?x=a.txt", "file": "a.json"}, "api.example.org"),
        ({"url": "https://[broken"}, ""),
        ({"on": True}, ""),
        ({}, ""),
    ],
)
def test_other_parameters_are_known_by_the_kind_of_thing_that_they_name(params: dict[str, Any], target: str) -> None:
    assert target_of("a_tool", "a_command", params) == target
    assert not is_program(params)


def test_code_in_the_line_itself_is_its_own_target_however_long() -> None:
    long = [f"python -c '{'x = 1; ' * 100}{last}'" for last in "ab"]
    first, second = (target_of("simple_coder", "run", {"command_line": line}) for line in long)
    assert first != second
    assert max(len(first), len(second)) <= LONGEST


@given(st.text(st.characters(), max_size=300))
@example("a\0b")
@example("\ud800")
def test_every_line_has_a_target_that_a_column_can_hold(line: str) -> None:
    target = target_of("simple_coder", "run", {"command_line": line})
    assert len(target) <= LONGEST
    assert "\0" not in target
    target.encode()
