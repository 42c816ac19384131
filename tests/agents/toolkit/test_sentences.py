"""Sentences are found in prose, Markdown, lists, logs and scripts without spaces; code and headings are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.toolkit.summarization.sentences import MOST_CHARS, split


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It rained. We stayed in! Did you?", ["It rained.", "We stayed in!", "Did you?"]),
        ("Dr. Berg came at 3.15 p.m. with J. Holm, e.g. by No. 7. He left.",
         ["Dr. Berg came at 3.15 p.m. with J. Holm, e.g. by No. 7.", "He left."]),
        ("Apples, pears etc. They were ripe.", ["Apples, pears etc.", "They were ripe."]),
        ("He said “no.” She left.", ["He said “no.”", "She left."]),
        ("It has\nthree lines\nand one end.", ["It has three lines and one end."]),
        ("# Title\n\nWords here.\n\nUnder\n=====\nMore words.", ["Words here.", "More words."]),
        ("- one thing\n- another\n  that goes on\n\n1. first", ["one thing", "another that goes on", "first"]),
        ("Before.\n\n```python\nx = 1. Y\n```\nAfter.\n\n    code = 1\n\n| a | b |\n|---|---|\n",
         ["Before.", "After."]),
        ("~~~\nnever closed.", []),
        ("See [the docs](http://x.example/a_(b)) and **this**.", ["See the docs and this."]),
        ("[![build](https://a/b.svg)](https://c/d) It works.", ["It works."]),
        (".. image:: x.png\n\nText of ``it`` in :mod:`the.module`.", ["Text of it in the.module."]),
        ("春が来た。花が咲いた！鳥は？", ["春が来た。", "花が咲いた！", "鳥は？"]),
        ("यह पहला है। यह दूसरा है।", ["यह पहला है।", "यह दूसरा है।"]),
        ("هل جاء؟ نعم جاء.", ["هل جاء؟", "نعم جاء."]),
        ("\n".join(f"2026-01-0{n} worker {n} started" for n in range(1, 8)),
         [f"2026-01-0{n} worker {n} started" for n in range(1, 8)]),
        ("Name: x\nVersion: 1\nSummary: A small tool that reads all the mail.\nLicense: MIT\n\nWords.",
         ["A small tool that reads all the mail.", "Words."]),
        ("", []),
    ],
)  # fmt: skip
def test_a_text_is_split_as_people_read_it(text: str, found: list[str]) -> None:
    assert split(text) == found


def test_what_has_no_end_is_cut_between_words_and_where_there_are_none_anywhere() -> None:
    words = split("word " * 1000)
    assert all(len(one) <= MOST_CHARS and one.endswith("word") for one in words)
    assert " ".join(words).split() == ["word"] * 1000
    assert "".join(split("x" * 1001)) == "x" * 1001


@given(st.text(alphabet=st.sampled_from("aB .。!\n#-*`|>[]()<:_~\t1é字"), max_size=400))
def test_nothing_is_made_up_and_nothing_is_too_long(text: str) -> None:
    for sentence in split(text):
        assert 0 < len(sentence) <= MOST_CHARS
        assert set(sentence) <= set(text) | {" "}
        assert sentence == sentence.strip()


@pytest.mark.parametrize("piece", ["[", "<a", "![x](", "`a <", "** ", "- ", ". ", "(((", "a.b", "\n>", ": x"])
def test_hostile_repetition_takes_no_longer_than_it_is_long(piece: str) -> None:
    assert isinstance(split(piece * (200_000 // len(piece))), list)
