"""Files and folders as people ask for them: what is kept where, what has which name, what is written into what."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(
    (
        "Harbour/Price list 2024.csv",
        "Harbour/Contracts/Contract 7 Lund.txt",
        "Harbour/Contracts/Contract 8 Berg.txt",
        "Harbour/Diary.md",
        "Crew/Rota May.csv",
        "Crew/Songs/Farewell.txt",
        "src/app/cli.py",
        "docs/faq.md",
        "build/out.txt",
    )
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Which contracts do we have?", ("ls", {"path": "Harbour/Contracts"})),
        ("What contracts have we got on file?", ("ls", {"path": "Harbour/Contracts"})),
        ("what do I keep in the songs folder", ("ls", {"path": "Crew/Songs"})),
        ("what's sitting in Harbour/Contracts?", ("ls", {"path": "Harbour/Contracts"})),
        ("Which tunes are in the songs folder?", ("ls", {"path": "Crew/Songs"})),
        ("files in docs", ("ls", {"path": "docs"})),
        ("Where is the rota?", ("find", {"pattern": "*Rota*"})),
        ("where did I put the diary?", ("find", {"pattern": "Diary.md"})),
        ("Find every file with Berg in its name", ("find", {"pattern": "*Berg*"})),
        # Patterns tell capitals apart: what is looked for is written as the names here write it.
        ("list everything whose name contains rota", ("find", {"pattern": "*Rota*"})),
        ("are there any csvs in Harbour?", ("find", {"pattern": "*.csv", "path": "Harbour"})),
        ("Rota May.csv -> Rota spring.csv", ("mv", {"path": "Crew/Rota May.csv", "to": "Crew/Rota spring.csv"})),
        ("the diary should be called Log 2024.md", ("mv", {"path": "Harbour/Diary.md", "to": "Harbour/Log 2024.md"})),
        ("make build/cli.py a copy of cli.py", ("cp", {"path": "src/app/cli.py", "to": "build/cli.py"})),
        ("save Rota May.csv again as Rota June.csv", ("cp", {"path": "Crew/Rota May.csv", "to": "Crew/Rota June.csv"})),
        ('add "ice" to my diary', ("write", {"path": "Harbour/Diary.md", "content": "ice", "mode": "append"})),
        ("make a file .python-version with 3.12 in it", ("write", {"path": ".python-version", "content": "3.12"})),
        ('make a file v.py that contains V = "1.0"', ("write", {"path": "v.py", "content": 'V = "1.0"'})),
        ("create docs/adr", ("mkdir", {"path": "docs/adr"})),
    ],
)  # fmt: skip
def test_what_is_asked_in_passing_is_understood(text: str, wanted: tuple[str, dict[str, Any]]) -> None:
    assert HERE.steps(text) == [wanted]


def test_both_are_what_lies_in_the_folder_of_that_name() -> None:
    assert [values["path"] for _, values in HERE.steps_or_first_answer("remove both contracts")] == [
        "Harbour/Contracts/Contract 7 Lund.txt",
        "Harbour/Contracts/Contract 8 Berg.txt",
    ]


def test_what_is_there_is_looked_at_once() -> None:
    assert HERE.steps("have a look inside Crew and tell me what's there") == [("ls", {"path": "Crew"})]


@pytest.mark.parametrize(
    "text",
    [
        # Whether it was sent or paid no folder says.
        "which contracts have been signed?",
        "which contracts do we still have open?",
        "which errors are in the songs folder?",
        "which files have I worked on most recently?",
        "find files with rota in the text",
        "find files that do not have rota in their name",
        "find all files without rota in the name",
        "the diary should not be called Log.md",
        "the diary is called Log.md",
        "the price list needs a new name, ask Berg",
        "remove all three contracts",
        'add "x" to the contract',
        "where are my keys?",
        "create harbor/adr",
        "note at the bottom of cli.py: done",
    ],
)
def test_what_only_looks_like_it_is_asked_about(text: str) -> None:
    assert HERE.is_asked(text)
