"""Which part of which file, which kind of thing, and names that are nearly those that are there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(
    (
        "Makefile",
        "README.md",
        "LICENSE",
        "app/main.py",
        "app/utils.py",
        "reports/quarterly/spring.md",
        "reports/quarterly/summer.md",
        "scripts/backup.sh",
        "tests/conftest.py",
        "logo.png",
    )
)
_BACKUP = ("read", {"path": "scripts/backup.sh"})


def _lines(path: str, first: int, last: int) -> tuple[str, dict[str, Any]]:
    return "read", {"path": path, "from_line": first, "to_line": last}


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("read backup.sh, then line 3 of the readme", [_BACKUP, _lines("README.md", 3, 3)]),
        ("read backup.sh then lines 1 to 5 of Makefile", [_BACKUP, _lines("Makefile", 1, 5)]),
        (
            "read the first line of main.py and the second line of utils.py",
            [_lines("app/main.py", 1, 1), _lines("app/utils.py", 2, 2)],
        ),
        (
            "read main.py, utils.py and the first 10 lines of backup.sh",
            [
                ("read", {"path": "app/main.py"}),
                ("read", {"path": "app/utils.py"}),
                _lines("scripts/backup.sh", 1, 10),
            ],
        ),
        ("show lines 3 to 9 of the readme and the license", [_lines("README.md", 3, 9), _lines("LICENSE", 3, 9)]),
    ],
)
def test_a_part_is_that_of_the_file_it_is_said_of(text: str, steps: list[tuple[str, dict[str, Any]]]) -> None:
    assert HERE.steps(text) == steps


def test_what_is_said_of_another_file_is_not_taken_for_the_first() -> None:
    assert HERE.is_asked("read backup.sh then line 1 to 5 of make file")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("show the first line of the license", 1),
        ("print the very first line in LICENSE", 1),
        ("show the fifth line of the license", 5),
        ("what is on the 3rd line of LICENSE?", 3),
    ],
)
def test_one_line_may_be_counted(text: str, line: int) -> None:
    assert HERE.steps(text) == [_lines("LICENSE", line, line)]


@pytest.mark.parametrize("text", ["show the first lines of main.py", "show me the first page of the readme"])
def test_how_much_is_meant_is_asked(text: str) -> None:
    assert HERE.is_asked(text)


def test_the_first_lines_of_a_file_of_that_name_are_lines_and_a_first_chapter_is_its_name() -> None:
    there = Workspace.of(("lines.txt", "chapters/first chapter.md", "README.md"))
    assert there.is_asked("show the first lines of lines.txt")
    assert there.is_asked("show the first page of the first chapter")
    assert there.steps("read the first chapter") == [("read", {"path": "chapters/first chapter.md"})]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Give me the list of all the folders", {}),
        ("which folders are there?", {}),
        ("list only the folders", {}),
        ("show all subfolders", {}),
        ("list the subfolders of reports", {"path": "reports"}),
        ("list the directories in reports", {"path": "reports"}),
        ("find every folder called quarterly", {"pattern": "quarterly"}),
        ("find me every folder which is called quarterly", {"pattern": "quarterly"}),
    ],
)
def test_who_asks_for_folders_gets_no_files(text: str, values: dict[str, Any]) -> None:
    assert HERE.steps(text) == [("find", {**values, "kind": "dir"})]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("list files and folders", [("ls", {})]),
        ("list the folder reports", [("ls", {"path": "reports"})]),
        ("list all files and folders in reports", [("ls", {"path": "reports"})]),
        ("list the contents of the folders app and tests", [("ls", {"path": "app"}), ("ls", {"path": "tests"})]),
    ],
)
def test_what_lies_in_folders_is_listed_whole(text: str, steps: list[tuple[str, dict[str, Any]]]) -> None:
    assert HERE.steps(text) == steps


@pytest.mark.parametrize(
    "text", ["Delete the quarterly report.", "delete the old quarterly reports", "rm old quarterly"]
)
def test_a_folder_does_not_go_for_one_thing_in_it(text: str) -> None:
    assert HERE.is_asked(text)


def test_a_folder_goes_by_its_name() -> None:
    assert HERE.steps("delete the quarterly folder") == [("rm", {"path": "reports/quarterly"})]


@pytest.mark.parametrize(
    ("text", "pattern"),
    [("where is confest.py?", "conftest.py"), ("find *.PY files", "*.py")],
)
def test_a_name_that_only_one_thing_here_nearly_has_is_meant(text: str, pattern: str) -> None:
    assert HERE.steps(text)[0][1]["pattern"] == pattern


def test_a_short_name_that_is_nearly_there_is_offered() -> None:
    assert "logo.png" in [dict(values).get("pattern") for _, values in HERE.offered("find Logo.png")]


@pytest.mark.parametrize(("text", "pattern"), [("find zebra.txt", "zebra.txt"), ("find logo.png", "logo.png")])
def test_what_is_there_and_what_nothing_resembles_is_looked_for(text: str, pattern: str) -> None:
    assert HERE.steps(text) == [("find", {"pattern": pattern})]


def test_a_number_in_a_name_is_no_part_of_it() -> None:
    there = Workspace.of(("My second chapter draft.md", "thesis/chapter1.md", "thesis/chapter2.md"))
    drafts = [values["path"] for _, values in there.offered("open the second chapter draft")]
    assert "My second chapter draft.md" in drafts


def test_what_kind_of_thing_the_second_one_is_says_no_more_of_it() -> None:
    there = Workspace.of(("plums.md", "pears.md"))
    meant = [("read", {"path": "plums.md"}), ("read", {"path": "pears.md"})]
    assert there.steps("open the page plums.md and the page called pears.md") == meant
