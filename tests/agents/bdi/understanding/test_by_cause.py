"""Causes rather than phrases: settings that no command has, readings that another one outdoes, what goes unsaid in a
row of commands, several things that are none of them, names with numbers and kinds.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.agents.bdi.understanding.workspaces import Workspace

PLACE = Workspace.of(
    [
        "README.md",
        "CHANGELOG.md",
        "Makefile",
        "annual_report_2025.md",
        "app/config.py",
        "app/main.py",
        "app/user_service.py",
        "config/settings.yaml",
        "data/customers_2025.csv",
        "data/raw/jan.json",
        "docs/meeting notes/2026-01-12 Kickoff.md",
        "homework/sorting.py",
        "logs/error.log",
        "models/customer.py",
        "notes/ideas.md",
        "notes/todo.md",
        "thesis/chapter1.md",
        "thesis/chapter2.md",
        "thesis/chapter3.md",
    ]
)
Steps = list[tuple[str, dict[str, Any]]]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("copy README.md to data, overwrite=no, mode=fast", [("cp", {"path": "README.md", "to": "data/README.md"})]),
        ('make a folder "new ones" with permission 755', [("mkdir", {"path": "new ones"})]),
        ('search "error" in logs, max 20 results', [("grep", {"text": "error", "path": "logs"})]),
        ('search "error" in logs, max results 20, verbose', [("grep", {"text": "error", "path": "logs"})]),
        ("find *.log, max depth 2", [("find", {"pattern": "*.log"})]),
        ("get https://a.example.org/x, format json", [("get", {"url": "https://a.example.org/x"})]),
        ("commit all changes, message=update figures", [("commit", {"message": "update figures"})]),
    ],
)
def test_settings_that_a_command_does_not_have_are_left_out(text: str, steps: Steps) -> None:
    found = [
        (name, {key: value for key, value in values.items() if value is not False})
        for name, values in PLACE.steps(text)
    ]
    assert found == steps


@pytest.mark.parametrize(
    "text",
    [
        "delete logs, dry_run=true",
        "delete logs, keep=1",
        "delete logs, limit 5",
        "summarize README.md, language=German",
        "copy README.md to data, version 2",
        # What changes something is never done in part.
        'append "rope" to the note ideas, max 10 entries',
        # By another word than the command's own it says where.
        'search for "timeout", location=logs',
        'search for "timeout", target=logs',
    ],
)
def test_a_setting_that_would_rule_what_is_done_is_asked_about(text: str) -> None:
    assert PLACE.is_asked(text)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("search TODO in app", [("grep", {"text": "TODO", "path": "app"})]),
        ("list files in config", [("ls", {"path": "config"})]),
        ("open the kickoff meeting notes", [("read", {"path": "docs/meeting notes/2026-01-12 Kickoff.md"})]),
        ('write note "holiday" text buy tickets', [("write_note", {"name": "holiday", "text": "buy tickets"})]),
        ("where is kickof.md", [("find", {"pattern": "kickof.md"})]),
        ("find *.PY", [("find", {"pattern": "*.py"})]),
        ("where is user_servise.py", [("find", {"pattern": "user_service.py"})]),
    ],
)
def test_a_reading_that_another_one_outdoes_is_no_rival(text: str, steps: Steps) -> None:
    assert PLACE.steps(text) == steps


def test_a_name_that_could_be_either_is_still_asked_about() -> None:
    assert PLACE.is_asked("search customers in data")
    assert PLACE.is_asked("read customers")
    assert PLACE.is_asked("grep password in app and config")
    # To look at several may be to read each of them, and to analyse each.
    assert PLACE.is_asked("inspect app/main.py and app/config.py")
    # Plain words behind a comma are no second thing to be looked for everywhere.
    assert PLACE.is_asked("search for 'timeout' in logs, big error")
    for said in ("README", "CHANGELOG", "Makefile"):
        wanted = [("grep", {"text": said}), ("find", {"pattern": said})]
        assert [one for one in PLACE.offered(f"find {said}") if one in wanted] == wanted


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("create venv .env2 and activate", ["create_venv", "activate_venv"]),
        ("create a branch hotfix and switch", ["create_branch", "switch_branch"]),
        ("read the changelog & list logs", ["read", "ls"]),
        ("please read the changelog and after that git status", ["read", "status"]),
        ("list config, then pytest -q", ["ls", "run"]),
        (
            "turn autonomous mode on, delete app/main.py, autonomous off",
            ["toggle_autonomous_mode", "rm", "toggle_autonomous_mode"],
        ),
    ],
)
def test_what_goes_unsaid_in_a_row_of_commands_is_what_was_named(text: str, commands: list[str]) -> None:
    assert [command for command, _ in PLACE.steps(text)] == commands


@pytest.mark.parametrize(
    "text",
    [
        "suggest fixes for homework/sorting.py. Only show them.",
        "cat app/main.py | grep import",
        "Delete app. The logs in it are to be kept.",
        'Add to the note "todo": fan replaced. After that, show the whole note.',
        "move data/raw/jan.json to data/months",
        "git checkout app/main.py",
        "add a shoppinglist: call Bob",
        "overwrite app/main.py with an empty file",
    ],
)
def test_what_would_be_something_else_is_asked_about(text: str) -> None:
    assert PLACE.is_asked(text)


def test_several_files_are_none_of_them() -> None:
    assert PLACE.is_asked("delete the config files")
    assert PLACE.is_asked("read the config files")
    assert PLACE.steps("search timeout in all config files") == [("grep", {"text": "timeout", "path": "config"})]
    assert len(PLACE.steps("move the files README.md and Makefile to data")) == 2


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("show the second chapter", [("read", {"path": "thesis/chapter2.md"})]),
        ("read the annual report 2025, all of it", [("read", {"path": "annual_report_2025.md"})]),
        ("run my sorting homework", [("run", {"command_line": "python homework/sorting.py"})]),
        ("what changed since main branch", [("diff", {"since": "main"})]),
        (
            "read the first 5 rows of customers_2025",
            [("read", {"path": "data/customers_2025.csv", "from_line": 1, "to_line": 5})],
        ),
        ("summarize README.md, approx. 5 phrases", [("key_sentences", {"path": "README.md", "sentences": 5})]),
        (
            "save the price list from https://a.example.org/p.csv as data/p.csv",
            [("download", {"url": "https://a.example.org/p.csv", "file": "data/p.csv"})],
        ),
        (
            'write the sentence "See you" at the end of the readme',
            [("write", {"path": "README.md", "content": "See you", "mode": "append"})],
        ),
    ],
)
def test_words_that_belong_to_a_name_or_to_a_number_are_read_with_it(text: str, steps: Steps) -> None:
    assert PLACE.steps_or_first_answer(text) == steps


def test_two_of_a_numbered_row_are_both_of_them() -> None:
    assert [values["path"] for _, values in PLACE.steps("read the second and third chapter")] == [
        "thesis/chapter2.md",
        "thesis/chapter3.md",
    ]
    assert PLACE.is_asked("read the first file in thesis")
    assert PLACE.is_asked("what changed since this branch")
    assert PLACE.is_asked("download all the pictures from https://a.example.org/x to data")


def test_what_is_looked_for_in_a_place_that_is_not_there_is_asked_with_the_one_that_nearly_is() -> None:
    assert ("grep", {"text": "todo", "path": "app"}) in PLACE.offered("grep todo in ap")
    assert ("grep", {"text": "todo in weather"}) in PLACE.offered("grep todo in weather"), "it may be a text"
    assert PLACE.steps('grep "todo in ap"') == [("grep", {"text": "todo in ap"})]
    assert PLACE.steps("grep todo in app") == [("grep", {"text": "todo", "path": "app"})]
    assert PLACE.steps("search wait in queue in app") == [("grep", {"text": "wait in queue", "path": "app"})]


@pytest.mark.parametrize("why", ["not needed", "it is not needed", "nobody asks her"])
def test_a_command_that_keeps_a_reason_gets_it(why: str) -> None:
    assert PLACE.steps_or_first_answer(f"retire agent Olga because {why}") == [
        ("retire_agent", {"name": "Olga", "reason": why})
    ]
    assert PLACE.steps_or_first_answer(f"delete README.md because {why}") == [("rm", {"path": "README.md"})]
    said = f'retire agent Olga with the reason "costs" because {why}'
    assert PLACE.steps_or_first_answer(said) == [("retire_agent", {"name": "Olga", "reason": "costs"})]


def test_a_stop_that_shortens_a_word_ends_no_sentence_and_a_number_can_be_typed_in() -> None:
    assert PLACE.steps("run make build max. 2 minutes") == [("run", {"command_line": "make build", "timeout_s": 120})]
    for said in ("and type 42 as the input", "with 42 as its input"):
        assert PLACE.steps(f"run python app/main.py {said}") == [
            ("run", {"command_line": "python app/main.py", "stdin": "42"})
        ]


def test_what_is_written_as_logs_write_it_may_be_a_text_where_a_file_is_called_so() -> None:
    assert ("grep", {"text": "ERROR", "path": "logs"}) in PLACE.offered("find ERROR in logs")
    assert ("find", {"pattern": "error.log"}) in PLACE.offered("find ERROR in logs")
    assert PLACE.is_asked("find ERROR in logs and docs")
    assert not PLACE.is_asked("find the error log")
