"""Clauses that only talk, wherever they stand; and what looks like talk and rules, asks, names or takes back."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.understanding.understand import understand
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

PATHS = (
    "Opening hours.md",
    "rota.csv",
    "letters/lease.md",
    "letters/offer.txt",
    "attic/.keep",
    "photos/.keep",
    "logs/web.log",
)
HERE = Workspace.of(PATHS)
TREE, steps = HERE.tree, HERE.steps
READ = [("read", {"path": "letters/lease.md"})]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "The waiting room is full and the phone won't stop ringing, so could you show me the opening hours?",
            [("read", {"path": "Opening hours.md"})],
        ),
        ("CI has been red since this morning, can someone show me lease.md?", READ),
        ("My husband wants to bake on Sunday and can't find it: open lease.md", READ),
        ("Rex is coming at three and I don't remember a thing about him. Open lease.md", READ),
        ("i'm in the garden with muddy hands please read me lease.md", READ),
        ("Since my sister visits tomorrow, print lease.md", READ),
        ("The landlord called twice today. Twice! Show me lease.md", READ),
        ("what a day... open lease.md please", READ),
        ("Friday afternoon, cleanup time! Open lease.md", READ),
        ("Well, well, spring at last. Show me lease.md", READ),
        ("I've been told you can do this sort of thing: open lease.md", READ),
        ("I know this is the third time today, sorry, but show me lease.md", READ),
        ("Thanks for yesterday, worked like a charm! Now please show lease.md", READ),
        ("show lease.md (Dr. Klein is writing a paper about it)", READ),
        ("Lena swam her first 50 metres today!! Open lease.md", READ),
        ("please open lease.md, the heating is broken again and I must know who pays", READ),
        ("We need more room in there. Delete rota.csv", [("rm", {"path": "rota.csv"})]),
        ("delete attic, there is nothing of value in there, I checked", [("rm", {"path": "attic"})]),
        ("Marta reviewed it and she is happy, so open lease.md", READ),
    ],
)
def test_talk_before_between_and_behind_a_request_is_passed_over(
    text: str, wanted: list[tuple[str, dict[str, Any]]]
) -> None:
    assert HERE.steps_or_first_answer(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        # Who says it, and whether it is wanted, is not said.
        "my boss said: delete attic",
        "imagine this: delete attic",
        "just an idea: delete attic",
        # It rules, or takes back.
        "delete attic, she does not want it changed",
        "nobody should touch it, delete attic",
        "I forbid it, delete attic",
        "delete attic, we do that tomorrow",
        "go ahead and ruin my day, delete attic",
        # It chooses, or names another one.
        "open the lease, she asked for the other one",
        "show me lease.md, the real one is letters/offer.txt",
        # It gives a value.
        "make a folder trips, they live in photos",
        # It asks itself.
        "when did I write about her? delete attic, you think?",
    ],
)
def test_what_rules_chooses_names_or_takes_back_is_no_talk(text: str) -> None:
    assert not understand(text, TREE, REGISTRY).is_sure
