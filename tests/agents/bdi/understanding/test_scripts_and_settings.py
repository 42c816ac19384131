"""Programs by what they are called, settings that no command has, names as they are dictated or stand in courtesy."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.understanding.asides import courtesy
from agents.bdi.understanding.understand import understand
from agents.bdi.understanding.words.dictated import written
from agents.bdi.understanding.words.tokens import tokens_of
from agents.bdi.understanding.words.written_paths import without_placeholders
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

PATHS = (
    "README.md",
    "requirements.txt",
    "requirements-dev.txt",
    "config/settings.toml",
    "docs/faq.md",
    "letters/offer.txt",
    "logs/import.log",
    "scripts/import_trips.py",
    "scripts/train_model.py",
    "scripts/nightly_backup.sh",
    "src/server.py",
    "src/planner.py",
    "tests/test_backup.py",
)
HERE = Workspace.of(PATHS)
TREE, steps = HERE.tree, HERE.steps


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("run the backup script", "./scripts/nightly_backup.sh"),
        ("run the training script", "python scripts/train_model.py"),
        ("execute the script for the import of the trips", "python scripts/import_trips.py"),
        ("run the back-up script", "./scripts/nightly_backup.sh"),
        ("install the dev requirements", "pip install -r requirements-dev.txt"),
        ("install the requirements", "pip install -r requirements.txt"),
    ],
)
def test_a_script_or_a_list_of_packages_is_found_by_what_it_is_called(text: str, line: str) -> None:
    assert steps(text) == [("run", {"command_line": line})]


def test_a_server_is_started_by_what_it_is_called() -> None:
    assert steps("start the server in the background as web") == [
        ("start", {"command_line": "python src/server.py", "name": "web"})
    ]


@pytest.mark.parametrize(
    "text",
    [
        # No script has that name, or none is said.
        "run the payroll script",
        "run the script",
        # No list of such packages: they are no package “prod”.
        "install the prod requirements",
        # No head says that it is a script.
        "run the backup",
    ],
)
def test_a_script_that_nothing_names_is_asked_about(text: str) -> None:
    assert not understand(text, TREE, REGISTRY).is_sure


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("create a venv called env39, verbose on", [("create_venv", {"venv_name": "env39"})]),
        ("turn autonomous mode off, level 0", [("toggle_autonomous_mode", {"on": False})]),
        ("env DEBUG=1", [("set_env", {"name": "DEBUG", "value": "1"})]),
        ("grep -E '^def' src/server.py", [("grep", {"text": "^def", "path": "src/server.py", "regular": True})]),
        ("fix src/planner.py", [("apply_fixes", {"path": "src/planner.py"})]),
        ("improve src/planner.py", [("propose_fixes", {"path": "src/planner.py"})]),
        ("document src, put pages in docs/src", [("document", {"path": "src", "to": "docs/src"})]),
        ("document /path/to/project/src in /path/to/project/docs/code", [
            ("document", {"path": "src", "to": "docs/code"})
        ]),
        ("show me the table at stuff/offer.txt", [("read", {"path": "letters/offer.txt"})]),
        ("find all python scripts in src", [("find", {"pattern": "*.py", "path": "src"})]),
        ("read README.md then faq.md", [("read", {"path": "README.md"}), ("read", {"path": "docs/faq.md"})]),
        ("grep ERROR in the importlog", [("grep", {"text": "ERROR", "path": "logs/import.log"})]),
        ("start 'python src/server.py' as api, then show its log", [
            ("start", {"command_line": "python src/server.py", "name": "api"}), ("process_log", {"name": "api"})
        ]),
    ],
)  # fmt: skip
def test_ways_of_saying_it(text: str, wanted: list[tuple[str, dict[str, Any]]]) -> None:
    assert steps(text) == wanted


@pytest.mark.parametrize(
    "text",
    ["delete letters, version 2", "read README.md, chapter 2", "fix the crash in src/planner.py", "show its log"],
)
def test_what_may_choose_or_names_something_else_is_asked_about(text: str) -> None:
    assert not understand(text, TREE, REGISTRY).is_sure


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("open settings dot toml", [("read", {"path": "config/settings.toml"})]),
        ("open slash home slash anna slash shop slash src slash server dot py", [("read", {"path": "src/server.py"})]),
        ("make a folder docs slash summer", [("mkdir", {"path": "docs/summer"})]),
    ],
)
def test_dictated_names_are_read_as_they_are_written(text: str, wanted: list[tuple[str, dict[str, Any]]]) -> None:
    assert steps(text) == wanted


_PART = st.sampled_from(["src", "docs", "readme", "tmp", "alpha"])


@given(st.lists(_PART, min_size=1, max_size=5), st.sampled_from(["py", "md", "txt"]))
def test_dictating_a_path_gives_that_path(parts: list[str], ending: str) -> None:
    """Law: what is dictated mark by mark is one path, letter by letter, where the words stood."""
    said = " slash ".join(parts) + f" dot {ending}"
    (token,) = written(tokens_of(said))
    assert (token.value, token.start, token.end) == ("/".join(parts) + f".{ending}", 0, len(said))


@pytest.mark.parametrize("text", ["put a dot behind the name", "show the dot", "a slash is a sign"])
def test_a_sentence_about_dots_is_no_name(text: str) -> None:
    assert written(tokens_of(text)) == tokens_of(text)


@pytest.mark.parametrize("name", ["letters/thanks.txt", "thanks_2024", "no-rush/thanks", "cheers.md"])
def test_courtesy_inside_a_name_belongs_to_the_name(name: str) -> None:
    assert courtesy.blanked(f"show {name}") == f"show {name}"
    assert courtesy.blanked("show x, thanks").split() == ["show", "x"]


def test_a_kind_below_a_folder_of_its_own_is_a_name() -> None:
    assert without_placeholders("path/to/docs/code") == ("docs/code", True)
    assert without_placeholders("path/to/script.py") == ("", True)
