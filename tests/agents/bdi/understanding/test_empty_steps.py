from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.understand import understand
from agents.toolkit.registry import REGISTRY

TREE = Tree.of(
    [
        ("Shop/Offer Hofer.txt", "file"),
        ("Shop/prices_2026.csv", "file"),
        ("cakes/plum.txt", "file"),
        ("app/models.py", "file"),
        ("logs/a.log", "file"),
        ("data/sales.csv", "file"),
    ]
)
Steps = list[tuple[str, dict[str, Any]]]


def _steps(text: str) -> tuple[bool, Steps]:
    """Whether it is taken, and what is meant, or likeliest."""
    found = understand(text, TREE, REGISTRY)
    meant = found.meant if found.is_sure else next(one.meant for each in found.questions for one in each.choices)
    return found.is_sure, [(one.command, dict(one.values())) for one in meant]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (
            "Rename prices_2026.csv to prices 2026.csv",
            [("mv", {"path": "Shop/prices_2026.csv", "to": "Shop/prices 2026.csv"})],
        ),
        (
            'Make a file hi.txt with the text "Good day" and show me the new file.',
            [("write", {"path": "hi.txt", "content": "Good day"}), ("read", {"path": "hi.txt"})],
        ),
        (
            "apply safe fixes to models.py, then show me its diff",
            [("apply_fixes", {"path": "app/models.py"}), ("diff", {"only": "app/models.py"})],
        ),
        (
            "Please save https://data.example/p.csv in the data folder as p.csv.",
            [("download", {"url": "https://data.example/p.csv", "file": "data/p.csv"})],
        ),
        (
            "Autonomous mode on, delete a.log, then off again.",
            [
                ("toggle_autonomous_mode", {"on": True}),
                ("rm", {"path": "logs/a.log"}),
                ("toggle_autonomous_mode", {"on": False}),
            ],
        ),
        ("Go to logs and list the files there.", [("cd", {"path": "logs"}), ("ls", {})]),
        ("I'd like to know where sum_rents gets called.", [("grep", {"text": "sum_rents"})]),
        ("I would like to know if you could delete a.log", [("rm", {"path": "logs/a.log"})]),
        ("Can the agent scout be retired?", [("retire_agent", {"name": "scout"})]),
        ("Switch to the other branch.", [("switch_branch", {"name": "other"})]),
    ],
)
def test_a_step_that_would_do_less_than_is_said_is_asked_about(text: str, first: Steps) -> None:
    is_sure, likeliest = _steps(text)
    assert not is_sure
    assert likeliest == first


def test_what_is_ordered_between_commands_is_not_set_aside() -> None:
    assert not _steps("Start python app/models.py as worker, show me what it wrote, and stop it.")[0]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Could you delete a.log?", [("rm", {"path": "logs/a.log"})]),
        ("switch to the branch feature-x", [("switch_branch", {"name": "feature-x"})]),
        ("Rename a.log to old.log", [("mv", {"path": "logs/a.log", "to": "logs/old.log"})]),
        ("Go to logs and list the files", [("cd", {"path": "logs"}), ("ls", {})]),
        ("Create virtual environment in folder env312.", [("create_venv", {"venv_name": "env312"})]),
        ("Set up a virtual environment in garden-env", [("create_venv", {"venv_name": "garden-env"})]),
        (
            "Run python app/models.py and let it reach the host meteo.example",
            [("run", {"command_line": "python app/models.py", "hosts": ["meteo.example"]})],
        ),
    ],
)
def test_what_is_said_in_full_is_taken(text: str, meant: Steps) -> None:
    assert _steps(text) == (True, meant)
