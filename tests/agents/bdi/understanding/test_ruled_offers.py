"""What a text asks about, denies, or limits in words that no step carries is not offered to be done."""

from __future__ import annotations

import pytest

from agents.bdi.understanding.understand import understand
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(("draft.txt", "old/a.txt", "old/b.txt", "logs/x.log", "a.txt"))
_LOOKS = {"read", "ls", "find", "grep"}


@pytest.mark.parametrize(
    "text",
    [
        "should I delete draft.txt?",
        "can I delete old?",
        "what would happen if I deleted old?",
        "is it safe to delete old?",
        "who deleted old?",
        "why delete old",
        "please make sure nobody deletes old",
        "nothing should be deleted in old",
        "never delete old",
        "don't delete old",
        "delete logs older than 30 days",
        "delete old unless it is in use",
        "delete old if it is empty",
        "delete old when the tests pass",
        "delete whichever is older",
        "delete draft.txt, maybe",
        "move draft.txt to old unless it is new",
        "delete everything in draft.txt",
    ],
)
def test_a_change_that_is_not_asked_for_so_is_not_offered(text: str) -> None:
    assert HERE.is_asked(text)
    assert {command for command, _ in HERE.offered(text)} <= _LOOKS


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        # An order with a question mark is confirmed, and so is a name that was found for a phrase.
        ("delete draft.txt?", ("rm", {"path": "draft.txt"})),
        ("please delete that draft", ("rm", {"path": "draft.txt"})),
        ("delete the drafts", ("rm", {"path": "draft.txt"})),
    ],
)
def test_what_says_no_such_thing_still_is(text: str, offered: tuple[str, dict[str, str]]) -> None:
    assert offered in HERE.offered(text)


def test_it_is_told_what_kept_it_from_being_offered() -> None:
    nearest = understand("delete old unless it is in use", HERE.tree, REGISTRY).nearest
    assert any("“unless”" in one for one in nearest), nearest


def test_no_answer_overwrites_what_another_part_names() -> None:
    offered = HERE.offered("rename draft.txt to a.txt and a.txt to draft.txt")
    assert not [values for _, values in offered if values.get("overwrite")]
    assert any(values.get("overwrite") for _, values in HERE.offered("copy draft.txt to a.txt"))
