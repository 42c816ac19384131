"""What people type at the session."""

from __future__ import annotations

import pytest

from sandbox.commands import COMMANDS, Refusal
from sandbox.contract import Request, SessionState
from sandbox.typed import help_text, parse, prompt


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ls", Request("ls", {})),
        ("ls sub", Request("ls", {"path": "sub"})),
        ("  cd 'a folder' ", Request("cd", {"path": "a folder"})),
        (
            "write a.txt 'two words' append",
            Request("write", {"path": "a.txt", "content": "two words", "mode": "append"}),
        ),
        ("run python --version", Request("run", {"command_line": "python --version"})),
        ("run 'python --version'", Request("run", {"command_line": "python --version"})),
        ('run "echo x" y', Request("run", {"command_line": '"echo x" y'})),
        ("toggle_autonomous_mode", Request("toggle_autonomous_mode", {"on": True})),
        ("toggle_autonomous_mode off", Request("toggle_autonomous_mode", {"on": False})),
        ("deactivate_venv", Request("deactivate_venv", {})),
        ("read a 3 5", Request("read", {"path": "a", "from_line": 3, "to_line": 5})),
        ("read a offset=0 length=9", Request("read", {"path": "a", "offset": 0, "length": 9})),
        ("find *.py kind=file newest=3", Request("find", {"pattern": "*.py", "kind": "file", "newest": 3})),
        ("grep 'a b' src regular", Request("grep", {"text": "a b", "path": "src", "regular": True})),
        ("set_env A 'b c'", Request("set_env", {"name": "A", "value": "b c"})),
        ("mv a 'b c'", Request("mv", {"path": "a", "to": "b c"})),
        ("mv a b overwrite", Request("mv", {"path": "a", "to": "b", "overwrite": True})),
        ("cp a b overwrite=off", Request("cp", {"path": "a", "to": "b", "overwrite": False})),
        ("cp overwrite=on b", Request("cp", {"path": "overwrite=on", "to": "b"})),
    ],
)
def test_a_line_is_a_request(line: str, expected: Request) -> None:
    assert parse(line, SessionState()) == expected


@pytest.mark.parametrize(
    "line",
    [
        "fly",
        "cd",
        "cd a b",
        "write a",
        "cd 'open",
        "toggle_autonomous_mode perhaps",
        "RUN x",
        "mv a b c",
        "read a three",
        "find newest=many",
        "mv a",
        "mv a b overwrite=on overwrite=on",
    ],
)
def test_a_line_that_means_nothing_is_refused(line: str) -> None:
    with pytest.raises(Refusal):
        parse(line, SessionState())


def test_the_switch_goes_to_the_other_state() -> None:
    assert parse("toggle_autonomous_mode", SessionState(autonomous=True)).params == {"on": False}


def test_the_prompt_shows_the_environment_and_the_folder() -> None:
    assert prompt(SessionState()) == "./ $ "
    assert prompt(SessionState(cwd="test_project", venv="test_project/.venv")) == "(.venv) ./test_project $ "


def test_help_names_every_command() -> None:
    assert all(f"  {name}" in help_text() for name in COMMANDS)
