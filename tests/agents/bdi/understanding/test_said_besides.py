"""What is said besides: haste, emphasis, what is done anyway; and what only looks like it, which is asked about."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.understand import understand
from agents.toolkit.registry import REGISTRY

TREE = Tree.of(
    [
        ("Makefile", "file"),
        ("report.py", "file"),
        ("app/shop.py", "file"),
        ("app/theme.css", "file"),
        ("app/deploy/start.sh", "file"),
        (".env.sample", "file"),
        ("tmp/orders.db", "file"),
        ("docs/install-guide.md", "file"),
        ("scripts/clean.py", "file"),
        ("logs/old.log", "file"),
        ("logs/new.log", "file"),
        ("letters/Bello.md", "file"),
        ("web/index.html", "file"),
    ]
)
Steps = list[tuple[str, dict[str, Any]]]


def _taken(text: str) -> Steps | None:
    found = understand(text, TREE, REGISTRY)
    return [(one.command, dict(one.values())) for one in found.meant] if found.is_sure else None


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("run report.py really quick", [("run", {"command_line": "python report.py"})]),
        ("delete report.py, we dont need that script any longer", [("rm", {"path": "report.py"})]),
        ('search shop.py for the exact phrase "sold out"', [("grep", {"path": "app/shop.py", "text": "sold out"})]),
        ("move report.py to app, keeping its name", [("mv", {"path": "report.py", "to": "app/report.py"})]),
        ("delete report.py without touching anything else", [("rm", {"path": "report.py"})]),
        ("check scripts for problems; no edits, please", [("audit", {"path": "scripts"})]),
        ("analyze app without modifying any files", [("analyze", {"path": "app"})]),
        ("show report.py, read-only", [("read", {"path": "report.py"})]),
        (
            "show report.py from line 3 up to and including line 9",
            [("read", {"path": "report.py", "from_line": 3, "to_line": 9})],
        ),
        ("show the make file", [("read", {"path": "Makefile"})]),
        ("show clean py", [("read", {"path": "scripts/clean.py"})]),
        ("show the stylesheet", [("read", {"path": "app/theme.css"})]),
        ("show the environment sample file", [("read", {"path": ".env.sample"})]),
        ("summarize the installation guide", [("key_sentences", {"path": "docs/install-guide.md"})]),
        ("show <root>/report.py", [("read", {"path": "report.py"})]),
        ("make check", [("run", {"command_line": "make check"})]),
        ("give me a list of the folder script", [("ls", {"path": "scripts"})]),
        ("get flask via pip install flask", [("run", {"command_line": "pip install flask"})]),
        (
            "make a venv called e3 and step into it",
            [("create_venv", {"venv_name": "e3"}), ("activate_venv", {"venv_name": "e3"})],
        ),
        ("leave the venv and go back to the normal python", [("deactivate_venv", {})]),
        ("The plumber called. Please list everything in the letters folder.", [("ls", {"path": "letters"})]),
        ("find everything in logs that begins with o", [("find", {"path": "logs", "pattern": "o*"})]),
        (
            "make a folder old, then report.py moves in there",
            [("mkdir", {"path": "old"}), ("mv", {"path": "report.py", "to": "old/report.py"})],
        ),
    ],
)
def test_what_changes_nothing_is_passed_over(text: str, steps: Steps) -> None:
    assert _taken(text) == steps


@pytest.mark.parametrize(
    "text",
    [
        # What stands for a path, of which nothing is known.
        "move /path/to/source to /path/to/destination",
        # No changes are wanted of what makes some.
        "fix report.py, no changes please",
        "fix report.py without changing any file",
        # The rest may lie in the folder that would go.
        "delete the folder logs, leaving the rest alone",
        # What is looked for is no manner of speaking.
        "go over report.py for strange code, two minutes at most",
        # Somebody else is meant, nothing is said of what is listed, a note has no name, a step comes before.
        "show me Bella",
        "show me the listing",
        "take a note: the plumber comes on Friday",
        "note down: call the plumber",
        "venv, activate it, then run pytest",
        "Send install-guide.md to the language model and let it write me a summary",
        "which notes have I got left?",
    ],
)
def test_what_may_change_something_is_asked_about(text: str) -> None:
    assert _taken(text) is None


def test_the_same_step_said_again_is_offered_once() -> None:
    text = "Let the AI write a summary of install-guide.md, about 90 words; yes, it may be sent to the language model."
    found = understand(text, TREE, REGISTRY)
    assert not found.is_sure
    assert [one.command for one in found.questions[0].choices[0].meant] == ["send_file_to_model"]


def test_what_another_says_of_a_program_is_no_folder_of_that_name() -> None:
    assert _taken("what has web printed so far?") == [("process_log", {"name": "web"})]
