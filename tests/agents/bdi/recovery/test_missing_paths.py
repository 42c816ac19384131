"""Which file is meant where a step names one that is not there: the question and its choices."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.plans.document import IntentSpec
from agents.bdi.recovery.missing_paths import in_words, questions
from agents.bdi.understanding.names.paths import Tree
from agents.toolkit.registry import REGISTRY

FILES = [
    ("mising.txt", "file"),
    ("docs", "dir"),
    ("docs/notes.md", "file"),
    ("other.csv", "file"),
    ("abc\udc80def.txt", "file"),
]


def spec_of(tool: str, command: str, params: dict[str, Any]) -> IntentSpec:
    return IntentSpec(
        position=1, phase="main", tool=tool, command=command, params=params, parameters=(), justification="",
        effect="workspace", limits={}, depends_on=(), condition=None, hosts=(), rule="", sentence="",
    )  # fmt: skip


def asked(command: str, folder: str = "", tool: str = "simple_coder", **params: Any) -> list[tuple[str, list[str]]]:
    step = spec_of(tool, command, params)
    found = questions(step, Tree.of(FILES, folder), REGISTRY)
    return [(one.parameter, [str(choice.value) for choice in one.choices]) for one in found]


@pytest.mark.parametrize("command", ["mv", "cp"])
def test_of_what_is_moved_or_copied_the_names_that_are_close_are_the_choices(command: str) -> None:
    assert asked(command, path="missing.txt", to="new.txt") == [("path", ["mising.txt"])]
    assert asked(command, path="mising.txt", to="new.txt") == []


def test_a_file_to_be_read_is_asked_about_and_a_folder_is_none() -> None:
    assert asked("read", path="note.md") == [("path", ["docs/notes.md"])]
    assert asked("read", path="nothing.like.it") == [("path", [])]


def test_where_it_goes_needs_a_folder_that_is_there() -> None:
    assert asked("mv", path="mising.txt", to="dcos/new.txt") == [("to", ["docs/new.txt"])]
    assert asked("mv", path="missing.txt", to="x/new.txt") == [("path", ["mising.txt"]), ("to", [])]
    assert asked("mv", path="mising.txt", to="docs/new.txt") == []
    assert asked("write", path="x/new.txt", content="x") == [], "it is made with its folders"


def test_paths_are_seen_from_the_folder_that_the_session_is_in() -> None:
    assert asked("read", folder="docs", path="note.md") == [("path", ["notes.md"])]
    assert asked("read", folder="docs", path="notes.md") == []


def test_a_name_that_is_no_text_is_no_choice() -> None:
    assert asked("read", path="abcdef.txt") == [("path", [])]


def test_a_command_that_nobody_knows_asks_nothing() -> None:
    assert asked("nothing", path="x") == asked("read", tool="no_tool", path="x") == []


def test_the_question_says_what_is_missing_and_for_which_step() -> None:
    found = questions(spec_of("simple_coder", "mv", {"path": "missing.txt", "to": "y"}), Tree.of(FILES), REGISTRY)
    assert in_words(found) == "There is no file or folder “missing.txt” for step 1. Which one is meant?"
    assert found[0].choices[0].why == "it is spelt otherwise"
