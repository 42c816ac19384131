"""Several commands in one text: what they share, their order, and what “it”, “there” and “the same” are."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.understanding.understand import understand
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

PATHS = (
    "README.md",
    "stock.csv",
    "letters/lease.md",
    "letters/Reminder Hoffmann.txt",
    "invoices/2024/one.txt",
    "attic/.keep",
    "build/out.js",
    "docs/.keep",
    "logs/web.log",
    "logs/worker.log",
)
HERE = Workspace.of(PATHS)
TREE, steps = HERE.tree, HERE.steps
MOVED = ("mv", {"path": "README.md", "to": "attic/README.md"})


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "Move README.md to attic, and the same for stock.csv.",
            [MOVED, ("mv", {"path": "stock.csv", "to": "attic/stock.csv"})],
        ),
        (
            "move README.md to attic, then do the same with stock.csv",
            [MOVED, ("mv", {"path": "stock.csv", "to": "attic/stock.csv"})],
        ),
        (
            "Before you delete Reminder Hoffmann.txt, copy it to attic.",
            [
                ("cp", {"path": "letters/Reminder Hoffmann.txt", "to": "attic/Reminder Hoffmann.txt"}),
                ("rm", {"path": "letters/Reminder Hoffmann.txt"}),
            ],
        ),
        (
            "copy lease.md to attic, then delete lease.md",
            [("cp", {"path": "letters/lease.md", "to": "attic/lease.md"}), ("rm", {"path": "letters/lease.md"})],
        ),
        (
            "turn on autonomous mode, delete build and turn it off again",
            [
                ("toggle_autonomous_mode", {"on": True}),
                ("rm", {"path": "build"}),
                ("toggle_autonomous_mode", {"on": False}),
            ],
        ),
        ("make a folder x, then make a folder y there", [("mkdir", {"path": "x"}), ("mkdir", {"path": "x/y"})]),
        ("show me both logs", [("read", {"path": "logs/web.log"}), ("read", {"path": "logs/worker.log"})]),
        (
            "I'd like a copy of the invoices folder called invoices backup",
            [("cp", {"path": "invoices", "to": "invoices backup"})],
        ),
    ],
)
def test_what_commands_share_is_understood(text: str, wanted: list[tuple[str, dict[str, Any]]]) -> None:
    assert steps(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "copy invoices to invoices backup",
        "make a folder x and in it a folder y",
        "rename logs to records and list it",
        "move README.md to attic and the same with everything else",
        "move README.md and stock.csv to attic, the same for lease.md",
        "make a folder x, copy README.md to docs, and make a folder y there",
        "The 2024 rota is of no use to anybody, delete it.",
        "Copy README.md to attic. Its name must be second 2.md.",
    ],
)
def test_what_it_refers_to_is_asked_where_two_things_may_be_meant(text: str) -> None:
    assert not understand(text, TREE, REGISTRY).is_sure
