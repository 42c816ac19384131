"""Which sentences of people name a file, and which only speak of one."""

from __future__ import annotations

import pytest

from agents.bdi.understanding.named_files import named

THERE = {"accounts.txt", "old/ledger.txt", "src"}


@pytest.mark.parametrize(
    ("sentence", "path"),
    [
        ("Use the file accounts.txt", "accounts.txt"),
        ("use accounts.txt.", "accounts.txt"),
        ("Please take “old/ledger.txt” instead.", "old/ledger.txt"),
        ("I meant the folder src", "src"),
        ("It is the file named accounts.txt, please.", "accounts.txt"),
    ],
)
def test_a_sentence_that_says_nothing_else_names_it(sentence: str, path: str) -> None:
    found = named([(sentence, "rita")], THERE.__contains__)
    assert found is not None
    assert (found.path, found.sentence, found.by) == (path, sentence, "rita")


@pytest.mark.parametrize(
    "sentence",
    [
        "Do not use the file accounts.txt",
        "Never take accounts.txt",
        "Use accounts.txt or old/ledger.txt",
        "Use accounts.txt if it is newer",
        "Use another file than accounts.txt",
        "Use the file missing.txt",
        "The file accounts.txt is old.",
        "Should we use accounts.txt?",
        "Use accounts.txt?",
        "",
    ],
)
def test_a_sentence_that_says_more_or_something_else_names_nothing(sentence: str) -> None:
    assert named([(sentence, "rita")], THERE.__contains__) is None


def test_the_newest_word_counts() -> None:
    found = named([("Use src", "rita"), ("Use accounts.txt", "olga")], THERE.__contains__)
    assert found is not None
    assert (found.path, found.by) == ("src", "rita")
