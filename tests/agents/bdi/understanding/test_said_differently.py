"""More of the ways in which people say it, and what was once taken without a question and meant something else."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.understanding.names import naming
from agents.bdi.understanding.understand import by_name, understand
from agents.bdi.understanding.values.filled import Asked
from agents.bdi.understanding.values.filling import fill
from agents.bdi.understanding.words.tokens import tokens_of
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

PATHS = (
    "README.md",
    "app.py",
    "project_plan.md",
    "contracts/Supplier Agreement.txt",
    "data/yields_2023.csv",
    "data/trips.csv",
    "docs/faq.md",
    "minutes/2024-03-board.md",
    "minutes/2024-05-board.md",
    "photos/beach.jpg",
    "scripts/serve.py",
    "tests/test_app.py",
    "thesis/references.bib",
)
HERE = Workspace.of(PATHS)
TREE, steps = HERE.tree, HERE.steps


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("read contracts/Supplier Agreement.txt", [("read", {"path": "contracts/Supplier Agreement.txt"})]),
        ("summarize the project plan", [("key_sentences", {"path": "project_plan.md"})]),
        # What is nearly the name of something here is no address.
        ("open refrences.bib", [("read", {"path": "thesis/references.bib"})]),
        ("show me Yields 2023", [("read", {"path": "data/yields_2023.csv"})]),
        ("please do not change anything, I only want to look at app.py", [("read", {"path": "app.py"})]),
        ("show only the changes which are staged", [("diff", {"what": "staged"})]),
        ("apply only the fixes for the rules F401 and UP in app.py", [
            ("apply_fixes", {"path": "app.py", "rules": "F401, UP"})
        ]),
        ("take README.md and app.py and copy them to docs", [
            ("cp", {"path": "README.md", "to": "docs/README.md"}), ("cp", {"path": "app.py", "to": "docs/app.py"})
        ]),
        ("show app.py with syntax highlighting and with dark theme", [("read", {"path": "app.py"})]),
        ("get https://a.example/x, then delete the same url", [
            ("get", {"url": "https://a.example/x"}), ("delete", {"url": "https://a.example/x"})
        ]),
        ("wc -l on Trips.CSV", [("run", {"command_line": "wc -l data/trips.csv"})]),
        ("key sentences of README.md, 4 of them", [("key_sentences", {"path": "README.md", "sentences": 4})]),
        ("make a virtualenv, name it py_env", [("create_venv", {"venv_name": "py_env"})]),
        ("which lines are changed since v0.3?", [("diff", {"since": "v0.3"})]),
        # “Model” and “not” were packages.
        ("install numpy for the model", [("run", {"command_line": "pip install numpy"})]),
        ("install numpy, the version does not matter", [("run", {"command_line": "pip install numpy"})]),
        ("install numpy and pandas", [("run", {"command_line": "pip install numpy pandas"})]),
    ],
)  # fmt: skip
def test_more_ways_of_saying_it(text: str, wanted: list[tuple[str, dict[str, Any]]]) -> None:
    assert HERE.steps_or_first_answer(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        # It was “the newest one commit”, and a second command.
        "show the log, newest first",
        # It was a package named part.
        "show the readme, only the part about installing",
        # It is about it, and asks for nothing to be made.
        "show me the part about creating a folder named red",
        # It was a text “apple in data, whole words only”.
        "search for apple in data, whole words only",
        # It was a package “1.2”.
        "install numpy version 1.2",
        # They were names.
        "create a folder for the photos",
        "make a branch for the fix",
        # It was done now, of all months, in no language, and on another port.
        "move README.md to docs in the evening",
        "show me the minutes of May or June",
        "show README.md in French",
        "run the serve script with port 8080",
        # It was the same again, of everything.
        "show the diff of app.py. Show me the git difference.",
    ],
)
def test_what_was_once_silently_wrong_is_asked_about(text: str) -> None:
    found = understand(text, TREE, REGISTRY)
    assert found.questions, by_name(found)


def test_the_same_again_offers_what_was_named_before() -> None:
    (question,) = understand("show the diff of app.py. Show me the git difference.", TREE, REGISTRY).questions
    assert [one.meant[0].values() for one in question.choices] == [{"only": "app.py"}, {}]


def test_a_longer_word_is_no_form_of_a_name_that_begins_it() -> None:
    assert naming.fit(("importlog",), ("import", "trips")) is None
    assert naming.fit(("generator",), ("base", "gen")) is not None


def test_an_order_is_no_number() -> None:
    assert fill(tokens_of("first"), Asked("first", "number", TREE, parameter="most"))[0] is None
    assert fill(tokens_of("first"), Asked("first", "number", TREE, parameter="to_line"))[0] is not None
