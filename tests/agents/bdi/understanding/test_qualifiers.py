"""What rules a command from wherever it is said is asked about; what only looks like it is passed over."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.understanding.understand import by_name, understand
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(
    (
        "Patients/Mimi.md",
        "Patients/Rex.md",
        "Contracts/Dr Hahn lease.txt",
        "Price list.md",
        "Price list old.md",
        "Letters/Lease Müller.txt",
        "Letters/Complaint.txt",
        "Recipes/Plum cake.md",
        "Recipes/Lentil soup.md",
        "photos/.keep",
        "config/settings.toml",
        "config/settings.prod.toml",
    )
)
steps = HERE.steps
DELETE = [("rm", {"path": "Patients/Mimi.md"})]
READ = [("read", {"path": "Recipes/Plum cake.md"})]


def _is_taken(text: str) -> bool:
    return understand(text, HERE.tree, REGISTRY).is_sure


@pytest.mark.parametrize(
    "text",
    [
        "In the event that Dr Hahn cancels, delete Mimi.md",
        "so long as nobody minds, delete Mimi.md",
        "After he has agreed, delete Mimi.md",
        "The moment he agrees, delete Mimi.md",
        "every time he cancels, delete Mimi.md",
        "Were Dr Hahn to cancel, delete Mimi.md",
        "It is old. Were he to mind, delete Mimi.md",
        "Thank you. Had he agreed, delete Mimi.md",
    ],
)
def test_a_condition_is_one_in_whatever_words(text: str) -> None:
    assert not _is_taken(text)


@pytest.mark.parametrize(
    "text",
    [
        "delete the letters, leaving the complaint where it is",
        "delete the letters, the complaint excepted",
        "delete the letters with the exception of the complaint",
        "delete photos - my drawings excepted",
        # What lies in the folder is named beside it.
        "delete the letters, the complaint is a nice one",
        "move the letters to photos, the complaint was hard to write",
    ],
)
def test_an_exception_is_one_in_whatever_words(text: str) -> None:
    assert not _is_taken(text)


@pytest.mark.parametrize(
    "text",
    [
        "delete the letters I wrote in May",
        "delete the letters nobody reads",
        "delete the letters we don't need",
        "delete the letters I am proud of",
        "delete the photos that are blurry",
        "delete the letters (the old ones)",
        "delete the price list, the old one",
        "show me the recipes that need plums",
    ],
)
def test_what_says_which_of_several_are_meant_is_no_remark(text: str) -> None:
    assert not _is_taken(text)


@pytest.mark.parametrize(
    "text",
    [
        "delete photos. Scrap that.",
        "delete photos, hold on",
        "move Price list.md to photos. Scrap that.",
        "move Mimi.md to Letters, hang on",
        "delete photos. Later.",
        "let's delete photos later",
        "delete photos regularly",
        "delete photos, right?",
        "delete Mimi.md in due course",
        "delete Mimi.md with her owner's permission",
    ],
)
def test_what_is_put_off_or_taken_back_or_hangs_on_somebody_is_not_done(text: str) -> None:
    assert not _is_taken(text)


@pytest.mark.parametrize("text", ["ask Dr Hahn and delete Mimi.md", "next time he cancels, delete Mimi.md"])
def test_what_stands_before_a_verb_is_neither_ordered_nor_done_with(text: str) -> None:
    assert not _is_taken(text)


@pytest.mark.parametrize("text", ["the complaint one can go", "that plum one is to be removed"])
def test_one_is_no_name_where_something_would_be_gone(text: str) -> None:
    assert not _is_taken(text)


@pytest.mark.parametrize("text", ["find old files changed yesterday", "grep for password everywhere outside config"])
def test_what_describes_files_is_no_text_to_look_for(text: str) -> None:
    assert not _is_taken(text)


@pytest.mark.parametrize(
    ("text", "command", "values"),
    [
        (
            "copy config/settings.toml over config/settings.prod.toml",
            "cp",
            {"path": "config/settings.toml", "to": "config/settings.prod.toml", "overwrite": True},
        ),
        ("rename Rex to Rexi", "mv", {"path": "Patients/Rex.md", "to": "Patients/Rexi.md"}),
    ],
)
def test_what_could_not_be_done_as_it_stands_is_offered_as_it_can(
    text: str, command: str, values: dict[str, Any]
) -> None:
    found = understand(text, HERE.tree, REGISTRY)
    assert not found.is_sure
    (first,) = found.questions[0].choices[0].meant
    assert (first.command, first.values()) == (command, values)


def test_what_is_gone_is_not_done_with_again() -> None:
    found = understand("delete photos and copy it to Letters", HERE.tree, REGISTRY)
    assert not found.is_sure
    assert "gone by then" in found.questions[0].why
    made = 'delete photos, write photos/new.txt with "x", then show photos/new.txt'
    assert [command for _, command, _ in by_name(understand(made, HERE.tree, REGISTRY))] == ["rm", "write", "read"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Delete Mimi.md, she died", DELETE),
        ("delete Mimi.md I no longer need it", DELETE),
        ("Thanks for the help earlier! Delete Mimi.md", DELETE),
        ("open the plum cake recipe I need it for Sunday", READ),
        ("I must leave the house in a minute, so open the plum cake recipe", READ),
        ("open the plum cake recipe, the old one was unreadable", READ),
        ("show me the plum cake recipe we tried", READ),
        ("rename Rex.md to Rexi.md", [("mv", {"path": "Patients/Rex.md", "to": "Patients/Rexi.md"})]),
        ("leave the virtual environment", [("deactivate_venv", {})]),
        (
            "search Recipes for plums ignoring case",
            [("grep", {"path": "Recipes", "text": "plums", "ignore_case": True})],
        ),
    ],
)
def test_what_is_like_it_and_rules_nothing_is_passed_over(text: str, wanted: list[tuple[str, dict[str, Any]]]) -> None:
    assert HERE.steps_or_first_answer(text) == wanted
