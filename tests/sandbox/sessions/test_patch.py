"""Patches: applied exactly or not at all, with the hunk that does not fit named."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.jail.inside.patch import PatchFailed, applied
from tests.sandbox.conftest import Hands

_LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "-x\n", "+y\n", "@@ -1 +1 @@\n", "é\n"]), max_size=30)


def diff(before: list[str], after: list[str], context: int) -> bytes:
    """A unified diff as programs write it, an end without a line feed told the way they do."""
    told = difflib.unified_diff(before, after, "a/f", "b/f", n=context)
    lines = [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in told]
    return "".join(lines).encode()


@given(_LINES, _LINES, st.integers(0, 3), st.sampled_from(["", "end"]), st.sampled_from(["", "end", "other"]))
def test_a_diff_of_two_texts_makes_the_one_of_the_other(
    before: list[str], after: list[str], context: int, end: str, new_end: str
) -> None:
    old, new = before + [end] * bool(end), after + [new_end] * bool(new_end)
    if old != new:
        assert applied("".join(old).encode(), diff(old, new, context)) == "".join(new).encode()


FILE = b"one\ntwo\nthree\nfour\nfive\n"


@pytest.mark.parametrize(
    ("patch", "words"),
    [
        (b"", "no hunk"),
        (b"--- a\n+++ b\n", "no hunk"),
        (b"@@ -1,2 +1,2 @@\n one\n-TWO\n+zwei\n", "hunk 1 .* does not fit: line 2 is 'two', the patch has 'TWO'"),
        (b"@@ -2 +2 @@\n-one\n+eins\n", "hunk 1 .* line 2"),
        (b"@@ -1 +1 @@\n-one\n+eins\n@@ -4 +4 @@\n-FOUR\n+vier\n", "hunk 2 .* line 4"),
        (b"@@ -4 +4 @@\n-four\n+vier\n@@ -1 +1 @@\n-one\n+eins\n", "hunk 2 .* begins before the end"),
        (b"@@ -9 +9 @@\n-x\n+y\n", "the file has 5"),
        (b"@@ -5,2 +5 @@\n five\n-six\n", "line 6 is not there"),
        (b"@@ -1,2 +1,2 @@\n-one\n+eins\n", "holds -1"),
        (b"@@ -0,1 +1 @@\n-one\n+eins\n", "counted from 1"),
        (b"@@ -1 +3 @@\n-one\n+eins\n", "comes to stand at line 3"),
        (b"@@ -1 +1 @@\n-one\n+eins\n--- c\n+++ d\n@@ -1 +1 @@\n-x\n+y\n", "about one file"),
        (b"@@ -1 +1 @@\n-one\n*eins\n", "begins with none of"),
        (b"@@ -5 +5 @@\n-five\n\\ No newline at end of file\n+fuenf\n", "no line feed"),
        (b"@@ -1 +1 @@\n-one\n+eins\n\\ No newline at end of file\n", "before the end"),
        (b"@@ -1 +1 @@\r\n-one\r\n+eins\r\n", "the patch has 'one.r'"),
    ],
)
def test_a_patch_that_does_not_fit_says_where(patch: bytes, words: str) -> None:
    with pytest.raises(PatchFailed, match=words):
        applied(FILE, patch)


def test_a_patched_file_keeps_its_permissions_and_a_failed_patch_changes_nothing(hands: Hands) -> None:
    (hands.root / "f").write_bytes(FILE)
    (hands.root / "f").chmod(0o755)
    good = "--- f\n+++ f\n@@ -2 +2 @@\n-two\n+zwei\n"
    refused = hands.do("write", path="f", content=good + "@@ -4 +4 @@\n-x\n+y\n", mode="patch")
    assert refused.error_class == "INVALID_PARAMETERS"
    assert "nothing is written, because hunk 2" in refused.reason
    assert (hands.root / "f").read_bytes() == FILE
    assert hands.do("write", path="f", content=good, mode="patch").ok
    assert (hands.root / "f").read_bytes() == FILE.replace(b"two", b"zwei")
    assert (hands.root / "f").stat().st_mode & 0o777 == 0o755
    assert [path.name for path in hands.root.iterdir()] == ["f"]


def test_only_a_file_that_is_there_is_patched(hands: Hands) -> None:
    patch = "@@ -0,0 +1 @@\n+x\n"
    missing = hands.do("write", path="none", content=patch, mode="patch")
    assert "no such file" in missing.reason
    (hands.root / "large").write_bytes(b"x\n" * (9 << 20))
    assert "too large" in hands.do("write", path="large", content=patch, mode="patch").reason
    (hands.root / "empty").touch()
    assert hands.do("write", path="empty", content=patch, mode="patch").ok
    assert (hands.root / "empty").read_text() == "x\n"
