"""What is said of a command and no command can do is asked about, and not done as if it had not been said."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(
    (
        "README.md",
        "app/main.py",
        "app/utils.py",
        "data/customers.csv",
        "docs/guide.md",
        "docs/notes/kickoff.md",
        "docs/old.zip",
        "drafts/plan_v2.md",
        "logs/server.log",
        "scripts/deploy.sh",
    )
)


@pytest.mark.parametrize(
    "text",
    [
        "list the files in docs by date",
        "list docs in reverse",
        "show every second line of main.py",
        "run deploy.sh tomorrow",
        "run deploy.sh as root",
        "run pytest and stop at the first failure",
        "run deploy.sh twice",
        "twice install flask",
        "write hello to every file in docs",
        "create a folder for every month",
        "show the first commit",
        "what changed between v1 and v2?",
        "compress server.log",
        "copy main.py to backup unless it is there",
        "create branches a and b",
        "search for order or invoice",
        "search for lines starting with import",
        "search for functions called order",
        "write today's date into date.txt",
        "append utils.py to main.py",
        "write hello ten times to hello.txt",
        "show main.py as it was yesterday",
        "show where main.py is",
        "show who uses utils.py",
        "what is in the newest file",
        "make a folder next to docs",
        "find empty files",
        "find files modified today",
        "summarize the first chapter of the guide",
        "find all python files nobody touched this year",
        "show main.py with the passwords blacked out",
        "cut the customers down to the first 100 lines",
        "summarize the guide and the readme together",
        "create a virtual environment with Python 3.8 in the folder env38",
        "delete the second entry at https://api.example.com/items",
        "open https://example.com/ in firefox",
        "log me out",
        "find the second newest csv file",
        "search app for order two times",
        "list every folder",
        "delete main.py so that I can get it back",
        "open the guide in Word",
        "shorten the guide by a third",
        "delete main.py so that nobody can ever recover it",
        "pack the docs into docs.zip",
        "take notes while we talk",
        "summarize docs/guide.md for small children",
        "stop the program web once nobody uses it any more",
    ],
)
def test_it_is_asked(text: str) -> None:
    assert HERE.is_asked(text)


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("write 'today is fine' to a.txt", ("write", {"path": "a.txt", "content": "today is fine"})),
        ('search for "order or invoice"', ("grep", {"text": "order or invoice"})),
        ("show the lines with the word order in main.py", ("grep", {"text": "order", "path": "app/main.py"})),
        ("delete main.py, so that we have some room", ("rm", {"path": "app/main.py"})),
        ("create a branch called nightly", ("create_branch", {"name": "nightly"})),
        ("show the last commit", ("log", {"most": 1})),
        ("create the folder backup/daily", ("mkdir", {"path": "backup/daily"})),
        ("show main.py, my boss wants it tomorrow", ("read", {"path": "app/main.py"})),
        ("summarize the guide in three sentences", ("key_sentences", {"path": "docs/guide.md", "sentences": 3})),
        ("read main.py from line 5 to the end", ("read", {"path": "app/main.py", "from_line": 5})),
        ("is there a Makefile somewhere?", ("find", {"pattern": "Makefile"})),
        # What rules one command says nothing of another.
        ("search for 'as root' in logs", ("grep", {"text": "as root", "path": "logs"})),
        ("find out where utils.py is", ("find", {"pattern": "utils.py"})),
        ("which md files are in docs", ("find", {"pattern": "*.md", "path": "docs", "kind": "file"})),
        ("copy main.py to logs so that I can get it back", ("cp", {"path": "app/main.py", "to": "logs/main.py"})),
        ("make a folder called toys for the kids", ("mkdir", {"path": "toys"})),
        ("run python3 app/main.py", ("run", {"command_line": "python3 app/main.py"})),
        ("commit all with 'x' as the first commit", ("commit", {"message": "x"})),
        # An archive stays one.
        ("rename docs/old.zip to new.zip", ("mv", {"path": "docs/old.zip", "to": "docs/new.zip"})),
    ],
)
def test_what_only_looks_like_it_is_taken(text: str, step: tuple[str, dict[str, Any]]) -> None:
    assert HERE.steps_or_first_answer(text) == [step]


def test_together_is_said_of_several_things_and_not_of_several_steps() -> None:
    meant = [("ls", {"path": "docs"}), ("commit", {"message": "x"})]
    assert HERE.steps("list docs, then commit everything together with 'x'") == meant
