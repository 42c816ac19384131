from __future__ import annotations

import difflib

from hypothesis import given
from hypothesis import strategies as st

from agents.presentation.unified_diff import read

_LINES = st.lists(st.sampled_from(["a", "b", "", "- x", "+ y", "--- a", "+++ b", "@@ -1 +1 @@", " c"]), max_size=12)


@given(_LINES, _LINES)
def test_every_line_of_a_diff_is_there_with_its_numbers(before: list[str], after: list[str]) -> None:
    diff = "".join(
        f"{line}\n" for line in difflib.unified_diff(before, after, "a/x.py", "b/x.py", lineterm="")
    )  # fmt: skip
    found = read(diff)
    if before == after:
        assert found == []
        return
    (file,) = found
    assert file.path == "x.py"
    for line in file.lines:
        if line.look in ("d", ""):
            assert line.old is not None
            assert before[line.old - 1] == line.text
        if line.look in ("a", ""):
            assert line.new is not None
            assert after[line.new - 1] == line.text
    assert file.deleted - file.added == len(before) - len(after)


def test_what_is_no_diff_is_shown_as_it_is() -> None:
    (file,) = read("<b>no diff</b>\nat all")
    assert [line.text for line in file.lines] == ["<b>no diff</b>", "at all"]
    assert read("") == []
    (whole,) = read("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n")
    assert [line.text for line in whole.lines] == ["a", "the line above ends the file without a line feed", "b"]
