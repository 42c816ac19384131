"""What stands beside a command and asks for nothing: passed over where its form says so, never where it may count."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.bdi.understanding.asides import remarks
from agents.bdi.understanding.understand import by_name, understand
from agents.bdi.understanding.words.lexicon import lexicon_of
from agents.bdi.understanding.words.tokens import tokens_of
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

PATHS = (
    "README.md",
    "main.py",
    "report.md",
    "docs/Getting-Started.md",
    "letters/beekeeper.txt",
    "letters/landlord.txt",
    "minutes/2024-03-board.md",
    "minutes/2024-04-board.md",
    "logs/access.log",
    "photos/beach.jpg",
    "photos/hills.jpg",
    "archive/.keep",
)
HERE = Workspace.of(PATHS)
TREE, steps = HERE.tree, HERE.steps


def remarked(text: str) -> list[str]:
    found = remarks.remarks_in(tokens_of(text), TREE, lexicon_of(REGISTRY))
    return [text[part[0].start : part[-1].end] for part in found]


@pytest.mark.parametrize(
    "remark",
    [
        ", was flaky yesterday",
        ", CI keeps complaining",
        " (the boss has already asked twice)",
        ", my supervisor wants it tomorrow",
        ", hangs since 14:20",
        ", as agreed on the phone",
        ", just curious how good it got",
        ", I believe it should be empty",
        ", nobody needs it anymore",
        ", we've 200 trees to do this winter",
        "; there should be about 140 in total",
        ", its like 12 lines",
        ", it's 212 lines of dead code",
        ", flaky as hell",
        ", my neighbour hates the colour",
        ", the children found it",
    ],
)
def test_a_remark_is_passed_over_and_named_in_the_notes(remark: str) -> None:
    assert steps(f"show report.md{remark}") == [("read", {"path": "report.md"})]
    assert understand(f"show report.md{remark}", TREE, REGISTRY).notes


@pytest.mark.parametrize(
    "text",
    [
        "my supervisor wants it tomorrow: show report.md",
        "show report.md i think it has pandas in it",
        "im in the car so just show report.md",
    ],
)
def test_a_remark_needs_neither_comma_nor_place(text: str) -> None:
    assert steps(text) == [("read", {"path": "report.md"})]


@pytest.mark.parametrize(
    "text",
    [
        # It rules.
        "show report.md, 404 does not matter",
        "show report.md, the rest can be replaced",
        "show report.md, it must be short",
        "delete photos, unless the boss needs them",
        # It asks.
        "show report.md, copy it too",
        "show report.md, please be careful with it",
        # It names something that is there, or quotes.
        "show report.md, CI keeps archive open",
        "show report.md, she said 'no'",
        # It may choose: a fragment is no clause.
        "show the log, newest first",
        "delete photos, the old ones",
        "show report.md, verbose",
        # An item of a list.
        "delete main.py, xyzzy, and report.md",
    ],
)
def test_what_rules_asks_names_or_chooses_is_no_remark(text: str) -> None:
    assert not remarked(text)


def test_a_remark_with_a_word_that_gives_the_command_a_value_is_asked_about() -> None:
    assert not understand("make a request to https://a.example/x, the timeout was short", TREE, REGISTRY).is_sure
    assert not understand("show report.md, the lines were long", TREE, REGISTRY).is_sure
    assert understand("show report.md, the days were long", TREE, REGISTRY).is_sure


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("make a folder archive/2027 for the new year", [("mkdir", {"path": "archive/2027"})]),
        ("show report.md in a nice font", [("read", {"path": "report.md"})]),
        ("give me 4 key sentences of report.md for the 10 o'clock meeting", [
            ("key_sentences", {"path": "report.md", "sentences": 4})
        ]),
    ],
)  # fmt: skip
def test_a_phrase_that_no_parameter_takes_is_superfluous(text: str, wanted: list[tuple[str, dict[str, Any]]]) -> None:
    assert HERE.steps_or_first_answer(text) == wanted
    assert any("is of no use" in note for note in understand(text, TREE, REGISTRY).notes)


@pytest.mark.parametrize(
    "text",
    [
        # A parameter that is open stands behind this little word.
        "search for TODO in the attic",
        "list files in the attic",
        "show the branches in attic",
        # What a program is to be run with is for the program.
        "start 'python main.py' as web with colours",
        # Whoever says these means fewer of them.
        "delete photos with the oldest dates",
        "delete photos for the last holiday",
        # It may say where the first one lies.
        "copy main.py to main2.py in the attic",
        # And this would be no copy any more: what is left of it, “copy”, “=” and a name, was not said in one piece.
        "copy report.md to docs, name=b.md",
    ],
)
def test_a_phrase_that_may_choose_is_no_superfluous_one(text: str) -> None:
    assert not understand(text, TREE, REGISTRY).is_sure


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("open the getting started guide", [("read", {"path": "docs/Getting-Started.md"})]),
        ("read the letter about the bee keeper", [("read", {"path": "letters/beekeeper.txt"})]),
        ("show me the minutes of March", [("read", {"path": "minutes/2024-03-board.md"})]),
        ("show me the file in logs", [("read", {"path": "logs/access.log"})]),
        ("grep for load_rows", [("grep", {"text": "load_rows"})]),
        ("show report.md only", [("read", {"path": "report.md"})]),
        (
            "rename report.md to final.md and show it",
            [("mv", {"path": "report.md", "to": "final.md"}), ("read", {"path": "final.md"})],
        ),
        ("mkdir docs/notes then list docs", [("mkdir", {"path": "docs/notes"}), ("ls", {"path": "docs"})]),
        ("open acces.log", [("read", {"path": "logs/access.log"})]),
    ],
)
def test_things_as_people_call_them(text: str, wanted: list[tuple[str, dict[str, Any]]]) -> None:
    assert steps(text) == wanted


@pytest.mark.parametrize("text", ["show me the file in photos", "show me the minutes of May", "open more"])
def test_things_that_are_not_there_or_more_than_one_are_asked_about(text: str) -> None:
    assert not understand(text, TREE, REGISTRY).is_sure


_SAID = st.sampled_from(
    ["show report.md", "delete main.py", "list docs", "git status", "copy main.py to main2.py", "audit main.py"]
)
_BESIDE = st.sampled_from(
    ["was flaky yesterday", "CI keeps complaining", "nobody reads it", "as agreed on the phone", "hangs since 14:20"]
)


@settings(max_examples=40, deadline=None)
@given(said=_SAID, remark=_BESIDE, first=st.booleans())
def test_a_remark_never_changes_what_is_done(said: str, remark: str, first: bool) -> None:
    """Law: beside a remark a command ends as without it, or as a question; never as another command."""
    alone = steps(said)
    found = understand(f"{remark}: {said}" if first else f"{said}, {remark}", TREE, REGISTRY)
    if found.is_sure:
        assert [(command, dict(values)) for _, command, values in by_name(found)] == alone
