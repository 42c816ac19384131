"""What a goal's words ask for, as far as its outcome can be checked."""

from __future__ import annotations

import time

import pytest

from agents.bdi.forecast.requested_outcome import Wanted, wanted


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("The script fix_me.py fails, find out why and fix it", "fix"),
        ("fix fix_me.py", "fix"),
        ("Could you please quickly rename a.txt to b.txt?", "rename"),
        ("I'd like you to delete old.txt", "delete"),
        ("go to the folder src and then repair main.py", "repair"),
        ("Read notes.md. Replace every tab by a space", "replace"),
        ("Help me add a docstring to calc.py", "add"),
    ],
)
def test_a_verb_of_change_that_is_a_request_asks_for_a_change(text: str, verb: str) -> None:
    assert wanted(text).change == verb


@pytest.mark.parametrize(
    "text",
    [
        "list the files that were removed",
        "show how to fix it",
        "find out how to replace a word",
        "search for the text 'delete me' in src",
        'write "buy milk, fix the roof" to todo.txt',
        "search for “and delete it” in notes.md",
        "run a.py and if it fails, fix it",
        "Don't change anything, just list the files",
        "update me on the state of the repository",
        "add 2 and 3",
        "create the file a.txt",
        "What would you change in main.py?",
        "",
    ],
)
def test_words_that_only_speak_of_changes_ask_for_none(text: str) -> None:
    assert wanted(text).change == ""


def test_what_a_step_writes_is_material_and_asks_for_nothing() -> None:
    text = "write the following to todo.txt:\nfix the roof\ndelete the old mails"
    assert wanted(text).change == "fix"
    assert wanted(text, [(text.index("fix"), len(text))]) == Wanted()


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("run the tests", True),
        ("Please run the unit tests in src", True),
        ("test the project", True),
        ("run pytest", True),
        ("run test.py", False),
        ("list the tests", False),
        ("run main.py", False),
    ],
)
def test_a_test_run_is_asked_for_by_its_words(text: str, is_asked: bool) -> None:
    assert wanted(text).tests is is_asked


def test_a_question_asks_for_an_answer() -> None:
    assert wanted("How many lines does a.txt have?").answer
    assert wanted("show a.txt").answer
    assert not wanted("run a.py").answer


@pytest.mark.parametrize(
    "text", [" " * 8000, "“" * 8000, '"' * 8001, "'" * 8001, "," * 8000, "and " * 2000, "a" * 8000]
)
def test_long_rows_of_one_sign_cost_next_to_nothing(text: str) -> None:
    began = time.process_time()
    assert wanted(text) == Wanted()
    assert time.process_time() - began < 0.2
