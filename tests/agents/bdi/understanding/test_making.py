"""What is to be made: its name, written with spaces or without, and the folder that it is to lie in."""

from __future__ import annotations

import pytest

from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(
    (
        "Boats/Log 2024.txt",
        "Boats/Photos/regatta.jpg",
        "Club/Members.csv",
        "Club/Minutes/2024-05 board.md",
        "src/app/main.py",
        "docs/faq.md",
    )
)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Make a folder Berth 12 in Boats", "Boats/Berth 12"),
        ("we need a Regattas folder in Club/Minutes", "Club/Minutes/Regattas"),
        ("could you make a Summer 2026 folder in Club", "Club/Summer 2026"),
        ("In Club/Minutes, make a folder called Old drafts", "Club/Minutes/Old drafts"),
        ("Let me have a folder named Winter storage inside Boats", "Boats/Winter storage"),
        ("make me a directory docs/plans inside src/app", "src/app/docs/plans"),
        ("a folder 2023 has to be created in the minutes folder", "Club/Minutes/2023"),
        ("Could there be a folder for the juniors among the minutes? Call it Juniors.", "Club/Minutes/Juniors"),
        ("set up a folder named Tools next to Photos", "Boats/Tools"),
        ("new dir plugins under src/app", "src/app/plugins"),
        ("set up a folder at the top level, name it bench", "bench"),
        ("under Club I would like a folder for the letters: Letters 2026", "Club/Letters 2026"),
    ],
)
def test_a_folder_is_made_where_it_is_said(text: str, path: str) -> None:
    assert HERE.steps_or_first_answer(text) == [("mkdir", {"path": path})]


@pytest.mark.parametrize(
    "text",
    [
        "make a folder Berth 12 in Boats a day earlier",
        "create folders a and b in Boats and Club",
        "make a folder x in Boats and in Club",
        "make a folder called Minutes in Boats, not in Club",
        "make a folder in every folder of Boats",
        "do we have a folder Berth 12 in Boats?",
        "is there a folder Photos in Boats?",
        "who made the folder Photos in Boats?",
        "I have a folder called Taxes in Club",
        "I need the folder Photos in Boats",
        "the folder for the minutes is Club/Protocols",
        "make a folder Photo in Boats",
        "make a folder with all minutes in Boats",
        "make a folder for Members in Boats",
        "make a folder Tuesday morning in Club",
        "make folder structure in Boats",
        # Two folders, or one with “and” in its name.
        "make a new folder for me, it should be called Sails and ropes",
        "could there be a folder Members in Club/Minutes or in Boats?",
    ],
)
def test_what_may_be_another_folder_or_none_is_asked_about(text: str) -> None:
    assert HERE.is_asked(text)


@pytest.mark.parametrize(
    ("text", "to"),
    [
        ("copy Members.csv to Members spring 2026.csv", "Club/Members spring 2026.csv"),
        ("Make a copy of Members.csv and call it Members June.csv", "Club/Members June.csv"),
        ("Give the members file the name Members and friends.csv", "Club/Members and friends.csv"),
        ("Change the name of Log 2024.txt to Log 2024 old.txt", "Boats/Log 2024 old.txt"),
    ],
)
def test_a_new_name_may_be_written_with_spaces(text: str, to: str) -> None:
    ((_, values),) = HERE.steps(text)
    assert values["to"] == to


def test_a_line_is_no_part_of_a_name() -> None:
    assert HERE.steps("show lines 4 to 8 of main.py") == [
        ("read", {"path": "src/app/main.py", "from_line": 4, "to_line": 8})
    ]


def test_where_a_file_is_made_is_no_part_of_its_text() -> None:
    assert HERE.steps("make a file called Rules.txt in Club with the content: no shoes") == [
        ("write", {"path": "Club/Rules.txt", "content": "no shoes"})
    ]
    assert HERE.is_asked("create a file Rules.txt saying we meet in Club")


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (r'write "first\nsecond\tthird" to notes.txt', "first\nsecond\tthird"),
        (r'write "a \\n of two signs" to notes.txt', r"a \n of two signs"),
        (r'write "C:\data \d+" to notes.txt', r"C:\data \d+"),
    ],
)
def test_a_line_break_in_a_quoted_text_is_spelled_as_in_a_rule(text: str, content: str) -> None:
    assert HERE.steps(text)[0][1]["content"].rstrip("\n") == content


@pytest.mark.parametrize("line", [r'printf "a\nb"', r"grep a\nb docs/faq.md"])
def test_a_command_line_keeps_every_sign(line: str) -> None:
    assert HERE.steps(f"run `{line}`") == [("run", {"command_line": line})]
