"""What people type at the session."""

from __future__ import annotations

import pytest

from sandbox.commands import COMMANDS, Refusal
from sandbox.console.typed import help_text, parse, prompt, read
from sandbox.contract import Request, SessionState


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
        ("run timeout_s=5 echo x", Request("run", {"command_line": "echo x", "timeout_s": 5})),
        (
            "run terminal=on timeout_s=0.5 ask",
            Request("run", {"command_line": "ask", "timeout_s": 0.5, "terminal": True}),
        ),
        ("run terminal=off echo timeout_s=5", Request("run", {"command_line": "echo timeout_s=5"})),
        ("run 'timeout_s=5 x'", Request("run", {"command_line": "timeout_s=5 x"})),
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
        "run timeout_s=soon x",
        "run timeout_s=-1 x",
        "run timeout_s=1 timeout_s=2 x",
        "run terminal=perhaps x",
        "run hosts=a.example x",  # those of a session that is open are fixed
        "run hosts=*.example x",
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


def test_a_line_with_options_has_one_spelling() -> None:
    line = read("run   timeout_s=60.0 hosts=B.example,packages,b.example terminal=on pip  install", SessionState())
    assert line.text == "run hosts=b.example,packages timeout_s=60 terminal=on pip  install"
    assert line.hosts == ("b.example", "packages")
    assert line.request.params == {"command_line": "pip  install", "timeout_s": 60, "terminal": True}
    assert read(line.text, SessionState()) == line
