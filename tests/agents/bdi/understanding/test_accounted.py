"""Before something is taken, every word of it is accounted for; what is not is asked about, never passed over."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.understanding.understand import by_name, understand
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

PATHS = (
    "README.md",
    "main.py",
    "config/prod.yaml",
    "config/dev.yaml",
    "shop/cart.py",
    "tests/test_cart.py",
    "logs/access.log",
    "logs/access/march.log",
    "requirements.txt",
    "todo.txt",
    ".env.example",
    "docs/faq.md",
)
HERE = Workspace.of(PATHS)
TREE, steps = HERE.tree, HERE.steps


@pytest.mark.parametrize(
    "text",
    [
        # An item of a list that names nothing.
        "remove shop/cart.py, xyzzy, and tests/test_cart.py",
        # A word that begins a command is no slip of a name that is there, and no name.
        "show it",
        "switch branch",
        # Said and taken back.
        "remove cart.py, no wait, i mean test_cart.py",
        # A second thing, of which nothing was taken up.
        "read the README and the getting started page",
        "copy main.py to docs and the thing",
        # One of those that were spoken of before.
        "list my notes and show me the one called budget",
        # Words that say where, in a place that nobody finds.
        "search for TODO in the letters",
        # What stands for a path is none.
        "python /path/to/script.py",
        # How much of it is a place here?
        "create the folder /home/helen/shopping/invoices/2024",
        # As it is written, or below the folder of that name that there is?
        "create the folder access/letters",
        # Nobody knows what it speaks of.
        "search for it in the logs",
        # Prose behind a comma is no part of a command line.
        "run pytest tests/test_cart.py, and tell me later",
        # Another command would be passed over.
        "copy main.py to main2.py and run the copy",
        # A verb of many meanings without a noun that says which.
        'save "lunch at 12"',
        # An adjective is no name.
        "create a new branch",
        # Somebody sees which file it is.
        "fix that file",
        "format these files",
        # What is to be made has nearly the name of what is there.
        'write "x" to todoo.txt',
    ],
)
def test_what_is_not_accounted_for_is_asked_about(text: str) -> None:
    found = understand(text, TREE, REGISTRY)
    assert found.questions, by_name(found)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("make a folder called memes in docs", [("mkdir", {"path": "docs/memes"})]),
        ('new folder "year end" under docs', [("mkdir", {"path": "docs/year end"})]),
        ("the first fifty lines of access.log", [("read", {"path": "logs/access.log", "to_line": 50, "from_line": 1})]),
        ("last five commits", [("log", {"most": 5})]),
        ("autonomous mode on", [("toggle_autonomous_mode", {"on": True})]),
        ("audit shop with ninety seconds limit", [("audit", {"path": "shop", "timeout_s": 90})]),
        ("audit shop, two minutes max", [("audit", {"path": "shop", "timeout_s": 120})]),
        ("audit shop within twenty-five seconds", [("audit", {"path": "shop", "timeout_s": 25})]),
        ("git status", [("status", {})]),
        ("gti status", [("status", {})]),
        ("show teh readme", [("read", {"path": "README.md"})]),
        ("unset DEBUG and TZ", [("unset_env", {"name": "DEBUG"}), ("unset_env", {"name": "TZ"})]),
        (
            "append 'DEBUG=1' to .env.exmaple",
            [("write", {"content": "DEBUG=1", "path": ".env.example", "mode": "append"})],
        ),
        (
            "move dev.yaml over prod.yaml, overwrite it",
            [("mv", {"path": "config/dev.yaml", "to": "config/prod.yaml", "overwrite": True})],
        ),
        ("install all from requirments.txt with pip", [("run", {"command_line": "pip install -r requirements.txt"})]),
        ("what changed in cart.py since main", [("diff", {"only": "shop/cart.py", "since": "main"})]),
        ("create a folder named site and go into it", [("mkdir", {"path": "site"}), ("cd", {"path": "site"})]),
        ("main.py, please show it", [("read", {"path": "main.py"})]),
        # Nothing is to be made.
        ("read README.md; that file is important", [("read", {"path": "README.md"})]),
        ("I would like you to print main.py", [("read", {"path": "main.py"})]),
    ],
)
def test_general_ways_of_saying(text: str, wanted: list[tuple[str, dict[str, Any]]]) -> None:
    assert steps(text) == wanted


def test_no_sentence_is_a_command_line() -> None:
    """A machine has a program named `test`, and the tests of the workspace are not run by it."""
    found = understand("Run the tests of the workspace", TREE, REGISTRY)
    assert not any(command == "run" for _, command, _ in by_name(found) if found.is_sure)


def test_a_name_alone_says_nothing_of_what_is_to_be_done_with_it() -> None:
    assert not understand("main.py", TREE, REGISTRY).is_sure
    assert not understand("shop", TREE, REGISTRY).is_sure
