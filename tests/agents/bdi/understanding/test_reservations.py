"""Commands that are all there and that nobody asks for, or not now: each beside what is like it and is meant."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.understanding.understand import understand
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

PATHS = (
    "README.md",
    "main.py",
    "shopping.txt",
    "attic/.keep",
    "build/out.js",
    "recipes/goulash.md",
    "conf/settings.toml",
    "conf/settings.local.toml",
    "logs/web.log",
    "logs/worker.log",
    "photos/.keep",
)
HERE = Workspace.of(PATHS)
TREE, steps = HERE.tree, HERE.steps
DELETE = [("rm", {"path": "build"})]


def is_asked(text: str) -> bool:
    return not understand(text, TREE, REGISTRY).is_sure


@pytest.mark.parametrize(
    "text",
    [
        "you could delete build",
        "this tool would delete build",
        "who deleted build?",
        "should I delete build?",
        "have you deleted build?",
        "You deleted build!?",
        "Why don't you ever delete build?",
        "I might delete build",
        "how do I delete build?",
        "delete build?",
        "I should have copied README.md to attic",
        "it would have been good to delete build",
        "What would be deleted with build?",
        "I never turn autonomous mode on",
        "delete build in case it is empty",
        "set DEBUG to whatever it was before",
        "Show me README.md... actually main.py",
    ],
)
def test_who_says_what_could_be_or_asks_about_it_asks_for_no_change(text: str) -> None:
    assert is_asked(text)


@pytest.mark.parametrize(
    "text", ["later today delete build", "I would like to delete build at some point", "delete build in spring"]
)
def test_what_is_to_be_done_another_time_is_not_done_now(text: str) -> None:
    assert is_asked(text)


@pytest.mark.parametrize(
    "text",
    [
        "Please delete build. It was a joke!",
        "delete build, I mean the logs",
        "Delete shopping.txt. We still need it.",
        "Delete shopping.txt, but my wife still uses it.",
        "Delete shopping.txt, my wife says no.",
        "Delete attic. There is one thing in it that I want to keep.",
        "Delete attic. The photos in it are to be kept.",
        "Delete photos and I'll kill you",
        "Delete photos - that's what Tom wrote",
        "Delete photos, it's our most important folder.",
        "Make a folder ski. The name has to be in capitals.",
        "Move shopping.txt to attic. Photos is better.",
        "Make a folder ski. We keep such things in photos.",
        "Copy README.md to attic. The copy is called second.md.",
        "Read README.md, I only care about the first ten lines.",
    ],
)
def test_what_is_told_beside_a_command_may_take_it_back_or_give_it_a_value(text: str) -> None:
    assert is_asked(text)


@pytest.mark.parametrize(
    "text", ["delete one of the logs", "show me the first file in recipes", "copy README.md to attic and photos"]
)
def test_one_of_several_is_not_the_folder_that_holds_them(text: str) -> None:
    assert is_asked(text)


@pytest.mark.parametrize("text", ["make a folder recipe", "Make a folder receipes", "delete settings", "get lost"])
def test_what_is_nearly_there_or_half_said_is_asked_about(text: str) -> None:
    assert is_asked(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("could you delete build?", DELETE),
        ("can you please delete build?", DELETE),
        ("Is there a way to delete build?", DELETE),
        ("delete build, nobody needs it", DELETE),
        ("delete build, it keeps filling up", DELETE),
        ("you can delete build now", DELETE),
        ("how do I rename main.py to app.py?", [("mv", {"path": "main.py", "to": "app.py"})]),
        ("make a folder reports", [("mkdir", {"path": "reports"})]),
    ],
)
def test_what_is_like_it_and_is_asked_for_is_done(text: str, wanted: list[tuple[str, dict[str, Any]]]) -> None:
    assert HERE.steps_or_first_answer(text) == wanted
