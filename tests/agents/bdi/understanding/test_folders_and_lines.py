"""What is to be made or found as people say it in their offices and clubs: folders, lines of files, files by names."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.understanding.understand import understand
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(
    (
        "Club/Members.csv",
        "Club/Songs/Anthem.txt",
        "Club/Songs/Farewell.txt",
        "Ideas.md",
        "Photos/Summer fair 1.jpg",
        "budget.csv",
        "src/seed/users.json",
        "scripts/seed.py",
    )
)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Club needs a folder Posters", "Club/Posters"),
        ("Club needs a folder Posters.", "Club/Posters"),
        ("add directory Fees to Club", "Club/Fees"),
        ("the club should get a subfolder named Fees", "Club/Fees"),
        ("Songs could use a folder called Old songs", "Club/Songs/Old songs"),
        ("add a folder Winter to Photos", "Photos/Winter"),
        ("put a Drafts folder into Club", "Club/Drafts"),
        ("folder Archive in Club please", "Club/Archive"),
        ("do me a folder Labels", "Labels"),
        ("there should exist a folder Trips in Photos", "Photos/Trips"),
    ],
)
def test_a_folder_is_made_however_it_is_wished_for(text: str, path: str) -> None:
    assert HERE.steps(text) == [("mkdir", {"path": path})]


@pytest.mark.parametrize(
    "text",
    [
        "does Club need a folder Posters?",
        "Club does not need a folder Posters",
        "nobody needs a folder Posters in Club",
        "Club should have had a folder Posters",
        "every member needs a folder Posters",
        "folder Songs in Photos please",
        "who goes to Photos with Anna?",
        "every member goes to Photos",
        "budget.csv never goes to Photos",
        "budget.csv goes to Anna tomorrow",
        "is there a problem somewhere?",
        "Ideas.md should end with a question",
        "seed list",
        "rename the folder Songs to Sweet songs",
        "add a line to the diary of mine: x",
        'append "oats" to groceries',
        "delete the three songs",
        "Photos can go?",
        "budget.csv could go.",
        "Perhaps the anthem belongs in Photos.",
        "delete everything in Photos",
        "move Ideas.md from Club",
        "copy Ideas.md from Club",
        "open the Songs folder and stay there",
        "create the folder Club/Old songs tomorrow",
        "rename Anthem.txt to Old and delete Anthem.txt",
        'replace "foo" with "bar"',
        'replace foo with "bar"',
        'put "x" into Ideas.md and nothing else',
        'create a file Ideas.md with the text "x"',
        'write "x" in Ideas.md',
    ],
)
def test_what_only_sounds_like_it_is_asked(text: str) -> None:
    assert HERE.is_asked(text)


def test_emptying_a_folder_is_offered_and_not_removing_it() -> None:
    (question,) = understand("delete everything in Club/Songs", HERE.tree, REGISTRY).questions
    values = [[step.values()["path"] for step in choice.meant] for choice in question.choices]
    assert values == [["Club/Songs/Anthem.txt", "Club/Songs/Farewell.txt"]]


@pytest.mark.parametrize("text", ["make a folder Vases in Stuff", "create a folder reports in analytics"])
def test_a_place_that_is_not_there_is_not_passed_over(text: str) -> None:
    (question,) = understand(text, HERE.tree, REGISTRY).questions
    assert [choice.label for choice in question.choices] in (["Stuff/Vases", "Vases"], ["analytics/reports", "reports"])


@pytest.mark.parametrize(
    ("text", "path", "content"),
    [
        ("budget.csv needs another line: rent;400", "budget.csv", "rent;400"),
        ("add a line to the members: Mia, alto", "Club/Members.csv", "Mia, alto"),
        ("add the following line to budget.csv: tea;12", "budget.csv", "tea;12"),
        ('put "Ben, bass" into Members.csv, at the very end', "Club/Members.csv", "Ben, bass"),
        ('write down in Ideas "a choir trip"', "Ideas.md", "a choir trip"),
        ("please note in Ideas.md: sing outdoors", "Ideas.md", "sing outdoors"),
        ('put "a quiz" into the ideas', "Ideas.md", "a quiz"),
        ('put the line "a raffle" at the end of the ideas', "Ideas.md", "a raffle"),
        ('Ideas.md should end with "to be continued"', "Ideas.md", "to be continued"),
    ],
)
def test_a_line_is_added_to_what_is_there(text: str, path: str, content: str) -> None:
    assert HERE.steps(text) == [("write", {"path": path, "content": content, "mode": "append"})]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("look for files whose name starts with Summer", {"pattern": "Summer*"}),
        ("find folders named Songs", {"pattern": "Songs", "kind": "dir"}),
        ("find anything with seed in its name", {"pattern": "*seed*"}),
        ("show all csv documents", {"pattern": "*.csv"}),
        ("any mp3s in here?", {"pattern": "*.mp3", "path": "."}),
        ("is there a Makefile somewhere?", {"pattern": "Makefile"}),
        ("find the folder Songs", {"pattern": "Songs"}),
        ("is there a jpg anywhere?", {"pattern": "*.jpg", "kind": "file"}),
        ("which are the four files that were changed last?", {"newest": 4, "kind": "file"}),
    ],
)
def test_files_are_found_by_what_is_said_of_their_names(text: str, values: dict[str, Any]) -> None:
    assert HERE.steps(text) == [("find", values)]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("budget.csv goes into Club", [("mv", {"path": "budget.csv", "to": "Club/budget.csv"})]),
        (
            "make a folder Old and put budget.csv in",
            [("mkdir", {"path": "Old"}), ("mv", {"path": "budget.csv", "to": "Old/budget.csv"})],
        ),
        (
            "make a copy of the anthem and call the copy Anthem two.txt",
            [("cp", {"path": "Club/Songs/Anthem.txt", "to": "Club/Songs/Anthem two.txt"})],
        ),
        (
            "copy the farewell and call the copy Song to Mia.txt",
            [("cp", {"path": "Club/Songs/Farewell.txt", "to": "Club/Songs/Song to Mia.txt"})],
        ),
        (
            "create Club/Old songs and move the anthem into it",
            [
                ("mkdir", {"path": "Club/Old songs"}),
                ("mv", {"path": "Club/Songs/Anthem.txt", "to": "Club/Old songs/Anthem.txt"}),
            ],
        ),
        (
            'make a file hymn.txt with the text "Sing" and show it to me',
            [("write", {"path": "hymn.txt", "content": "Sing"}), ("read", {"path": "hymn.txt"})],
        ),
        (
            "rename Anthem.txt to Hymns and anthem.txt",
            [("mv", {"path": "Club/Songs/Anthem.txt", "to": "Club/Songs/Hymns and anthem.txt"})],
        ),
        (
            "rename Anthem.txt to Hymn.txt, same folder",
            [("mv", {"path": "Club/Songs/Anthem.txt", "to": "Club/Songs/Hymn.txt"})],
        ),
        (
            "copy the anthem to Songs/hymn.txt",
            [("cp", {"path": "Club/Songs/Anthem.txt", "to": "Club/Songs/hymn.txt"})],
        ),
        (
            "make me a folder called Altos and one called Basses",
            [("mkdir", {"path": "Altos"}), ("mkdir", {"path": "Basses"})],
        ),
        ("The folder Photos is to be renamed Pictures.", [("mv", {"path": "Photos", "to": "Pictures"})]),
        ("is anything left in Photos?", [("ls", {"path": "Photos"})]),
        (
            "delete the two songs",
            [("rm", {"path": "Club/Songs/Anthem.txt"}), ("rm", {"path": "Club/Songs/Farewell.txt"})],
        ),
        ("drop seed.py from scripts", [("rm", {"path": "scripts/seed.py"})]),
        ("I'd like budget.csv in Club too", [("cp", {"path": "budget.csv", "to": "Club/budget.csv"})]),
        (
            'replace the whole content of the ideas with the single line "none"',
            [("write", {"path": "Ideas.md", "content": "none", "mode": "overwrite"})],
        ),
        ("name the Photos folder Pictures instead", [("mv", {"path": "Photos", "to": "Pictures"})]),
        ("create src/api and src/jobs", [("mkdir", {"path": "src/api"}), ("mkdir", {"path": "src/jobs"})]),
        (
            "create a file hymn.txt with the text sing along in it",
            [("write", {"path": "hymn.txt", "content": "sing along"})],
        ),
        ("what do we have here?", [("ls", {"path": "."})]),
    ],
)
def test_what_people_say_of_their_files_is_done(text: str, steps: list[tuple[str, dict[str, Any]]]) -> None:
    assert HERE.steps_or_first_answer(text) == steps
