"""What *them*, *both* and *it* speak of where several things were named before."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.understanding.understand import understand
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(("prices.csv", "staff.csv", "wishes.txt", "shelf/.keep", "breads/Rye.md", "breads/Spelt.md"))
steps = HERE.steps
READ = [("read", {"path": "prices.csv"}), ("read", {"path": "staff.csv"})]
DELETE = [("rm", {"path": "prices.csv"}), ("rm", {"path": "staff.csv"})]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "open prices.csv and staff.csv and move them to shelf",
            [
                *READ,
                ("mv", {"path": "prices.csv", "to": "shelf/prices.csv"}),
                ("mv", {"path": "staff.csv", "to": "shelf/staff.csv"}),
            ],
        ),
        ("show me prices.csv and staff.csv, then delete both of them", [*READ, *DELETE]),
        ("read prices.csv, then read staff.csv and delete them", [*READ, *DELETE]),
        ("show me prices.csv and staff.csv, then delete the latter", [*READ, DELETE[1]]),
        ("show me prices.csv and staff.csv, then delete the former", [*READ, DELETE[0]]),
        (
            "copy prices.csv and staff.csv to shelf and show them to me",
            [
                ("cp", {"path": "prices.csv", "to": "shelf/prices.csv"}),
                ("cp", {"path": "staff.csv", "to": "shelf/staff.csv"}),
                ("read", {"path": "shelf/prices.csv"}),
                ("read", {"path": "shelf/staff.csv"}),
            ],
        ),
        (
            "move Rye to shelf and open it",
            [("mv", {"path": "breads/Rye.md", "to": "shelf/Rye.md"}), ("read", {"path": "shelf/Rye.md"})],
        ),
        (
            "make a folder sundays and go there",
            [("mkdir", {"path": "sundays"}), ("cd", {"path": "sundays"})],
        ),
        (
            "copy Rye to shelf and delete it there",
            [("cp", {"path": "breads/Rye.md", "to": "shelf/Rye.md"}), ("rm", {"path": "shelf/Rye.md"})],
        ),
    ],
)
def test_all_that_was_named_is_meant(text: str, wanted: list[tuple[str, dict[str, Any]]]) -> None:
    sorted_steps = [(command, dict(sorted(values.items()))) for command, values in HERE.steps_or_first_answer(text)]
    assert sorted_steps == [(command, dict(sorted(values.items()))) for command, values in wanted]


@pytest.mark.parametrize(
    "text",
    [
        "show me prices.csv and staff.csv and delete it",
        "copy prices.csv to shelf and delete it",
        "copy Rye to shelf and delete it",
        "show me prices.csv, staff.csv and wishes.txt, then delete both",
        "make the folder shelf and go",
        "make folder breads and go there",
        "go to breads and delete the folder",
        "delete everything in breads",
        "list breads and delete what is in it",
    ],
)
def test_one_of_several_or_what_lies_in_a_folder_is_asked_about(text: str) -> None:
    assert not understand(text, HERE.tree, REGISTRY).is_sure


def test_a_copy_and_what_it_was_made_of_are_both_offered() -> None:
    (question,) = understand("copy prices.csv to shelf and delete it", HERE.tree, REGISTRY).questions
    offered = [one.values()["path"] for choice in question.choices for one in choice.meant]
    assert offered == ["shelf/prices.csv", "prices.csv"]
