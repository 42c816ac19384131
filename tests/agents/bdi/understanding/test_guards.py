"""Each text here is held back by one guard alone: what it would be taken for without it stands beside it."""

from __future__ import annotations

import pytest

from agents.bdi.understanding.understand import understand
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(
    (
        "Photos/2023/a.jpg",
        "Recipes/Plum cake.md",
        "attic/.keep",
        "letters/lease.md",
        "letters/offer.txt",
        "tests/test_a.py",
        "app.py",
        "README.md",
        "Shop/Prices.csv",
        "logs/web.log",
    )
)
steps = HERE.steps


def _is_taken(text: str) -> bool:
    return understand(text, HERE.tree, REGISTRY).is_sure


@pytest.mark.parametrize(
    "text", ["I want the folder Reports", "I need my folder Invoices", "could I have the folder invoices"]
)
def test_who_wants_the_folder_that_they_know_of_gets_no_new_one(text: str) -> None:
    assert not _is_taken(text)
    assert steps("I need a folder Invoices") == [("mkdir", {"path": "Invoices"})]


@pytest.mark.parametrize("text", ["make a folder Photos", "create the directory attic", "make folders attic, bills"])
def test_a_folder_that_is_there_is_not_made_again(text: str) -> None:
    assert not _is_taken(text)


@pytest.mark.parametrize(
    "text",
    [
        "delete attic, my wife wanted it after her mother died in May",
        "my wife was against it until yesterday, delete attic",
        "He said it was fine unless I forgot something. Delete attic",
        "my brother was happy without it, delete attic",
    ],
)
def test_talk_that_rules_is_not_passed_over(text: str) -> None:
    assert not _is_taken(text)
    assert HERE.steps_or_first_answer("my wife was against it yesterday, delete attic") == [("rm", {"path": "attic"})]


@pytest.mark.parametrize(
    "text", ["delete attic, Tom put it into logs", "open lease.md, Tom put the good one into the attic"]
)
def test_talk_that_names_another_thing_or_one_of_several_is_not_passed_over(text: str) -> None:
    assert not _is_taken(text)
    assert _is_taken("open lease.md, Tom put it into letters")


@pytest.mark.parametrize("text", ["run pytest with no 5 minute limit", "run pytest without a 5 minute limit"])
def test_a_limit_that_is_denied_is_none(text: str) -> None:
    assert not _is_taken(text)


def test_only_restricts_to_what_was_taken_up_and_to_nothing_that_was_not() -> None:
    assert not _is_taken("list the files only")
    assert steps("show me only app.py") == [("read", {"path": "app.py"})]
    assert steps("show the last 3 commits only") == [("log", {"most": 3})]


@pytest.mark.parametrize("text", ["delete Photos and I quit", "move the Recipes up to Plum cake to attic"])
def test_neither_a_person_is_a_name_nor_an_end_all_that_is_meant(text: str) -> None:
    assert not _is_taken(text)


@pytest.mark.parametrize(
    "text",
    [
        "Everything but README.md can go",
        "I heard you can delete attic",
        "I dare you to delete attic",
        "the old one can go",
        "run app.py three times",
    ],
)
def test_what_is_left_out_or_heard_of_or_done_several_times_is_asked_about(text: str) -> None:
    assert not _is_taken(text)
