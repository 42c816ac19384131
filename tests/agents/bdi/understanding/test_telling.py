"""Clauses that tell and ask for nothing: set aside where their form says so, and never where they rule the command."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.understanding.asides import courtesy, moods
from agents.bdi.understanding.understand import understand
from agents.bdi.understanding.words.lexicon import lexicon_of
from agents.bdi.understanding.words.tokens import tokens_of
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

PATHS = (
    "report.md",
    "letters/to_landlord.txt",
    "letters/offer.txt",
    "scripts/nightly.py",
    "archive/.keep",
    "photos/beach.jpg",
    "myenv/pyvenv.cfg",
)
HERE = Workspace.of(PATHS)
TREE, steps = HERE.tree, HERE.steps


def told(text: str) -> list[str]:
    found = moods.told_in(tokens_of(courtesy.blanked(text)), TREE, lexicon_of(REGISTRY))
    return [text[start:end] for start, end in found.spans]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("I have no time for report.md, could you summarise it?", [("key_sentences", {"path": "report.md"})]),
        ("Delete offer.txt. Nobody reads it any more.", [("rm", {"path": "letters/offer.txt"})]),
        ("remove the photos folder, it is only wasting space", [("rm", {"path": "photos"})]),
        ("Show me report.md because my train leaves soon", [("read", {"path": "report.md"})]),
        ("open report.md so that I can print it", [("read", {"path": "report.md"})]),
        ("do not change anything, just show report.md", [("read", {"path": "report.md"})]),
        ("I am done with the virtual environment, please leave it.", [("deactivate_venv", {})]),
        (
            "The nightly script belongs to the archive now, please move scripts/nightly.py there",
            [("mv", {"path": "scripts/nightly.py", "to": "archive/nightly.py"})],
        ),
        ("go to letters, I want to work there", [("cd", {"path": "letters"})]),
        ("show report.md, firefox says 500", [("read", {"path": "report.md"})]),
        ("delete offer.txt, it was paid on 3 November", [("rm", {"path": "letters/offer.txt"})]),
        ("show report.md before I talk to my boss", [("read", {"path": "report.md"})]),
    ],
)
def test_what_only_tells_is_set_aside_and_what_it_names_is_known(
    text: str, wanted: list[tuple[str, dict[str, Any]]]
) -> None:
    assert HERE.steps_or_first_answer(text) == wanted


def test_what_was_set_aside_is_named_in_the_notes() -> None:
    found = understand("Delete offer.txt. Nobody reads it any more.", TREE, REGISTRY)
    assert any("Nobody reads it" in note for note in found.notes)


@pytest.mark.parametrize(
    "text",
    [
        # It asks.
        "I need a folder called x",
        "report.md should be deleted",
        "I would like to see report.md",
        # It gives a value.
        "create a note called x. The text is 'milk'",
        "make a folder. It is in letters",
        "commit it all. The message is 'wip'",
        # It rules how or when.
        "delete photos unless it is needed",
        "report.md must not be touched",
        "I will tell you when report.md is ready",
        # It counts what the command counts.
        "show report.md, it takes 20 lines",
        # It is done before, or not.
        "show report.md before I delete it",
        # It quotes.
        "She said 'delete report.md'",
    ],
)
def test_what_asks_gives_a_value_or_rules_is_not_set_aside(text: str) -> None:
    assert not told(text)


@pytest.mark.parametrize(
    "text",
    [
        # Nothing but telling asks for nothing.
        "I deleted report.md yesterday",
        # What is forbidden is not what is done.
        "don't delete report.md",
        "delete report.md but don't delete anything",
        "move report.md to archive, never move it",
        # Its verb stands behind what is said between.
        "do not, under any circumstances, show report.md",
        "I do not, at the moment, want to delete report.md",
        # An order that a condition rules.
        "delete report.md if it is old",
    ],
)
def test_what_is_told_or_forbidden_is_not_done(text: str) -> None:
    assert understand(text, TREE, REGISTRY).questions


@pytest.mark.parametrize(
    "text",
    [
        "Would you be so kind as to show report.md?",
        "It would be really nice if you could show report.md",
        "I was wondering if you could show me report.md",
        "Hello everyone, could you show me report.md? Thanks a million!",
        "Whenever you have a moment, show report.md. Kind regards, Eva",
        "Is there any chance you could show me report.md? No rush.",
        "Sorry for bothering you, but please show report.md",
        "show report.md, if it is not too much trouble",
    ],
)
def test_courtesy_is_passed_over_however_long_it_is(text: str) -> None:
    assert steps(text) == [("read", {"path": "report.md"})]


def test_courtesy_in_quotes_is_somebodys_own_text() -> None:
    assert steps('write "thank you very much, no rush" to x.txt') == [
        ("write", {"content": "thank you very much, no rush", "path": "x.txt"})
    ]
