"""What is asked of files, programs and addresses in questions and nominal phrases, and how a search is ruled."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(
    (
        "app/cart.py", "app/payments.py", "logs/errors.log", "recipes/Plum cake.md", "recipes/Rye bread.md",
        "letters/Herr Berg.txt", "Members 2025.csv", "todo.txt",
    )
)  # fmt: skip
BERG, CAKE, LOG = "letters/Herr Berg.txt", "recipes/Plum cake.md", "logs/errors.log"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("any Traceback in errors.log?", {"text": "Traceback", "path": LOG}),
        ("are there any ERROR lines in errors.log", {"text": "ERROR", "path": LOG}),
        ("any 500s in errors.log?", {"text": "500", "path": LOG}),
        ("Is there anything about mould in recipes?", {"text": "mould", "path": "recipes"}),
        ("Which of my recipes use cardamom?", {"text": "cardamom", "path": "recipes"}),
        ("which files import stripe", {"text": "stripe"}),
        ("In which of my files does the word lease appear?", {"text": "lease"}),
        ("In which files of app is stripe imported?", {"text": "stripe", "path": "app"}),
        ("Where is the name Schneider mentioned?", {"text": "Schneider"}),
        ("I wonder whether yeast is mentioned in the plum cake recipe", {"text": "yeast", "path": CAKE}),
        ("do we have butter anywhere in recipes?", {"text": "butter", "path": "recipes"}),
        ("look in payments.py for refund", {"text": "refund", "path": "app/payments.py"}),
        ('Find all the places where it says "overdue" in todo.txt', {"text": "overdue", "path": "todo.txt"}),
        ("search recipes for flour, capital letters or not", {"text": "flour", "path": "recipes", "ignore_case": True}),
        ('Look for "Lena" in todo.txt, capital letters do not matter', {
            "text": "Lena", "path": "todo.txt", "ignore_case": True}),
        ("search app for the regex TODO|FIXME", {"text": "TODO|FIXME", "path": "app", "regular": True}),
    ],
)  # fmt: skip
def test_a_question_for_what_stands_in_files_is_a_search(text: str, wanted: dict[str, Any]) -> None:
    assert HERE.steps(text) == [("grep", wanted)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("plum cake recipe pls", ("read", {"path": CAKE})),
        ("errors.log please", ("read", {"path": LOG})),
        ("What did Herr Berg write?", ("read", {"path": BERG})),
        ("Could I have the first ten lines of errors.log?", ("read", {"path": LOG, "from_line": 1, "to_line": 10})),
        ("from line 30 onwards, show me errors.log", ("read", {"path": LOG, "from_line": 30})),
        ("is worker still running?", ("process_log", {"name": "worker"})),
        ("what does the log of worker say after byte 1200?", ("process_log", {"name": "worker", "from_byte": 1200})),
        ("shut the web server down", ("stop", {"name": "web"})),
        ("clear LOG_LEVEL from the environment", ("unset_env", {"name": "LOG_LEVEL"})),
        ("i no longer want LOG_LEVEL set", ("unset_env", {"name": "LOG_LEVEL"})),
        ("LOG_LEVEL=debug please", ("set_env", {"name": "LOG_LEVEL", "value": "debug"})),
        ("set the env var DB to postgres://localhost/shop", ("set_env", {
            "name": "DB", "value": "postgres://localhost/shop"})),
        ("Put autonomous mode back on", ("toggle_autonomous_mode", {"on": True})),
        ("does https://a.example/health answer?", ("get", {"url": "https://a.example/health"})),
        ("I'd like the page https://a.example/news, and don't wait longer than half a minute", ("get", {
            "url": "https://a.example/news", "timeout_s": 30})),
    ],
)  # fmt: skip
def test_a_question_or_a_wish_is_the_command_that_answers_it(text: str, wanted: tuple[str, dict[str, Any]]) -> None:
    assert HERE.steps(text) == [wanted]


@pytest.mark.parametrize(
    "text",
    [
        # A plain word before “lines” describes them, and faults are no text.
        "any empty lines in errors.log?",
        "look in payments.py for problems",
        "what does Herr Berg not mention",
        "look for TODO in payments.py but not in comments",
        "is it running",
        "not errors.log please",
        "todo.txt or errors.log please",
        # A name alone says nothing of what is to be done.
        "plum cake recipe",
        "I need https://a.example in out.html",
        "get redis://localhost:6379/2",
        "shut down the web server if it hangs",
    ],
)
def test_a_question_of_another_kind_is_asked_about(text: str) -> None:
    assert HERE.is_asked(text)
