"""Which words behind “as” are the name of what is started, and which say how or for whom it is."""

from __future__ import annotations

import pytest

from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(("send.py", "server.py"))


@pytest.mark.parametrize(
    "text",
    [
        "run send.py as a dry run",
        "run send.py as dry run",
        "run send.py as test run",
        "run send.py as a test",
        "launch send.py as an experiment",
        "run send.py as a final test",
        "start python send.py as a trial",
        "start the program python send.py as a dry run",
    ],
)
def test_how_something_is_run_is_no_name_and_nothing_is_started_under_it(text: str) -> None:
    assert HERE.is_asked(text)
    assert "start" not in [command for command, _ in HERE.offered(text)]


@pytest.mark.parametrize("text", ["start send.py as Maria", "run send.py as Maria", "start python send.py as Maria"])
def test_who_may_be_meant_is_asked(text: str) -> None:
    assert HERE.is_asked(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("start server.py as server", "server"),
        ("run server.py as web", "web"),
        ("start server.py as the server", "server"),
        ("start server.py as a service called web", "web"),
        ("start server.py as a background program web", "web"),
        ("start server.py under the name Maria", "Maria"),
        ("start the program python server.py as Maria", "Maria"),
    ],
)
def test_what_the_words_call_a_name_is_one(text: str, name: str) -> None:
    ((command, values),) = HERE.steps(text)
    assert (command, values["name"], values["command_line"]) == ("start", name, "python server.py")
