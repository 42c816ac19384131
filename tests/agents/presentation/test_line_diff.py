"""Two texts compared line by line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.presentation.line_diff import compare

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "  d"]), max_size=30).map("\n".join)


def looks(old: str, new: str) -> list[tuple[str, str]]:
    return [(line.look, line.text) for line in compare(old, new).lines]


def test_deletions_stand_before_additions_within_a_hunk() -> None:
    assert looks("a\nb\nc", "a\nx\ny\nc") == [("", "a"), ("d", "b"), ("a", "x"), ("a", "y"), ("", "c")]


def test_long_unchanged_runs_fold_and_say_which_lines() -> None:
    old = "\n".join(f"line {number}" for number in range(1, 21))
    found = compare(old, old.replace("line 1\n", "first\n").replace("line 20", "last"))
    folded = [line.text for line in found.lines if line.look == "h"]
    assert folded == ["lines 5 to 16 stay the same"]
    assert (found.deleted, found.added) == (2, 2)


def test_two_lines_are_not_worth_a_fold() -> None:
    old = "\n".join("x" + "abcdefgh" + "y")
    assert "h" not in [line.look for line in compare(old, old.replace("x", "1").replace("y", "2")).lines]


def test_the_same_text_has_no_difference_and_folds_whole() -> None:
    same = "\n".join("abcdefgh")
    found = compare(same, same)
    assert (found.deleted, found.added) == (0, 0)
    assert [line.text for line in found.lines] == ["lines 1 to 8 stay the same"]


@given(LINES, LINES)
def test_nothing_that_differs_is_ever_left_out(old: str, new: str) -> None:
    found = compare(old, new).lines
    before, after = old.splitlines(), new.splitlines()
    shown_old = {line.old: line.text for line in found if line.old}
    shown_new = {line.new: line.text for line in found if line.new}
    assert all(before[number - 1] == text for number, text in shown_old.items())
    assert all(after[number - 1] == text for number, text in shown_new.items())
    folded = sum(int(line.text.split()[3]) - int(line.text.split()[1]) + 1 for line in found if line.look == "h")
    assert len(shown_old) + folded == len(before)
    assert len(shown_new) + folded == len(after)
