"""Differences leave nothing out but what stays the same, and say how much that is."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from review.reading import difference, texts
from review.reading.texts import MOST_NUMBERED_LINES, split

some_lines = st.lists(st.sampled_from(["a", "b", "c", "", " ", "x\ry"]), max_size=30)


def text_of(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@given(some_lines, some_lines)
def test_every_line_that_goes_or_comes_is_a_row(old: list[str], new: list[str]) -> None:
    found = difference.between(text_of(old), text_of(new))
    kept_old = [row.text for row in found.rows if row.kind == "d"]
    kept_new = [row.text for row in found.rows if row.kind == "a"]
    assert (found.deleted, found.added) == (len(kept_old), len(kept_new))
    for row in found.rows:
        if row.kind in ("d", ""):
            assert old[int(row.old) - 1] == row.text
        if row.kind in ("a", ""):
            assert new[int(row.new) - 1] == row.text
    assert len(old) - found.deleted == len(new) - found.added


@given(some_lines, some_lines)
def test_deletions_stand_before_additions_within_a_change(old: list[str], new: list[str]) -> None:
    rows = difference.between(text_of(old), text_of(new)).rows
    assert all((first.kind, second.kind) != ("a", "d") for first, second in itertools.pairwise(rows))


def test_only_what_stays_the_same_folds_and_says_how_much() -> None:
    old = [f"line {number}" for number in range(1, 21)]
    new = [*old[:10], "changed", *old[11:]]
    rows = difference.between(text_of(old), text_of(new)).rows
    folds = [row.text for row in rows if row.kind == "h"]
    assert folds == ["lines 1 to 7 stay the same", "lines 15 to 20 stay the same"]


def test_a_final_line_feed_that_goes_is_a_change_somebody_can_see() -> None:
    assert difference.between("a\n", "a").rows[-1].text == "the line feed at the end is removed"
    assert difference.between("a", "a\n").rows[-1].text == "a line feed is added at the end"
    assert difference.whole("a", "a").rows[-1].text == "no line feed at the end"


def test_a_text_of_very_many_lines_is_shown_whole_and_at_once() -> None:
    text = "x\n" * (MOST_NUMBERED_LINES * 10)
    found = difference.between(text, text + "y\n")
    assert [row.kind for row in found.rows] == ["d", "a"]
    assert found.rows[1].text.endswith("x\ny")
    assert found.rows[1].new == f"1–{MOST_NUMBERED_LINES * 10 + 1}"
    (row,) = difference.numbered(text)
    assert f"{row.text}\n" == text


@given(st.text(max_size=200))
def test_splitting_loses_nothing(text: str) -> None:
    assert "\n".join(split(text)) == (text[:-1] if text.endswith("\n") else text)


def test_sizes_and_counts_are_said_in_words() -> None:
    assert [texts.size(n) for n in (0, 1, 812, 2048, 32 * 1024, 1_500_000, 3 * 1024**3)] == [
        "0 bytes",
        "1 byte",
        "812 bytes",
        "2.0 KB",
        "32 KB",
        "1.4 MB",
        "3.0 GB",
    ]
    assert texts.counted(14, "file") == "14 files"
    assert texts.facts("a\nb") == "2 lines, 3 bytes"
