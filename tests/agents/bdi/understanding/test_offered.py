"""What is asked offers what is likely meant; and what somebody gives a value with is never lost on the way."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.understanding.asides import remarks
from agents.bdi.understanding.understand import understand
from agents.bdi.understanding.words.lexicon import lexicon_of
from agents.bdi.understanding.words.tokens import tokens_of
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

PATHS = ("README.md", "logs/ferry.log", "ferry/main.py", "docs/harbour rules.md", "docs/chapter7_draft.md", "main.py")
HERE = Workspace.of(PATHS)
TREE, steps, is_asked = HERE.tree, HERE.steps, HERE.is_asked


def offered(text: str) -> list[list[tuple[str, dict[str, Any]]]]:
    """The answers that are offered, each as its commands."""
    found = understand(text, TREE, REGISTRY)
    assert not found.is_sure
    return [
        [(one.command, one.values()) for one in choice.meant]
        for question in found.questions
        for choice in question.choices
        if choice.meant
    ]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        # A name alone: that it be shown is only offered.
        ("harbour rules", [("read", {"path": "docs/harbour rules.md"})]),
        ("chapter7", [("read", {"path": "docs/chapter7_draft.md"})]),
        # A command that is a name, too.
        ("log of ferry", [("log", {"path": "ferry"})]),
        ("log of ferry", [("read", {"path": "logs/ferry.log"})]),
        # A piece of which nobody knows what it is to say.
        ("show README.md, that's rather UTF-16 with 3 columns", [("read", {"path": "README.md"})]),
    ],
)  # fmt: skip
def test_what_is_likely_meant_is_offered_and_not_done(text: str, meant: list[tuple[str, Any]]) -> None:
    assert meant in offered(text)


def test_a_command_line_in_quotes_is_taken_as_it_stands_and_one_without_is_not() -> None:
    assert steps('run "npm run build"') == [("run", {"command_line": "npm run build"})]
    assert steps("run `uptime`") == [("run", {"command_line": "uptime"})]
    assert is_asked("run zork run build")
    assert steps("run python ferry/main") == [("run", {"command_line": "python ferry/main.py"})]
    assert is_asked('run "the tests of yesterday"')
    assert is_asked('run "docs"')


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("read the file missing.txt", "Which file is meant by “missing.txt”, to read a file?"),
        ("rm nowhere.txt", "Which file or folder is meant by “nowhere.txt”, to remove a file?"),
    ],
)
def test_a_question_about_a_value_ends_with_what_is_to_be_done_and_with_nothing_else(text: str, asked: str) -> None:
    assert [one.text for one in understand(text, TREE, REGISTRY).questions] == [asked]


def test_a_limit_is_never_left_out() -> None:
    assert steps("run `npm run build` with a 300s timeout") == [
        ("run", {"command_line": "npm run build", "timeout_s": 300})
    ]


@pytest.mark.parametrize("said", ["reason: {}", "because {}"])
@given(
    words=st.lists(st.sampled_from(["trial", "ended", "over", "we", "moved", "budget", "cut"]), min_size=1, max_size=4)
)
def test_a_reason_is_whole_or_asked_about(said: str, words: list[str]) -> None:
    reason = " ".join(words)
    found = understand(f"retire the agent Scout, {said.format(reason)}", TREE, REGISTRY)
    if found.is_sure:
        assert [one.values() for one in found.meant] == [{"name": "Scout", "reason": reason}]


def test_what_only_describes_a_thing_is_no_remark() -> None:
    for text in ("show README.md, the notes written yesterday", "show README.md, the lecture notes of march"):
        assert not remarks.remarks_in(tokens_of(text), TREE, lexicon_of(REGISTRY))


def test_there_is_never_passed_over() -> None:
    assert steps("make a folder attic and copy main.py there as old.py") == [
        ("mkdir", {"path": "attic"}),
        ("cp", {"path": "main.py", "to": "attic/old.py"}),
    ]
    assert steps('git init in docs, then commit everything there with "first"') == [
        ("init", {"path": "docs"}),
        ("commit", {"path": "docs", "message": "first"}),
    ]
