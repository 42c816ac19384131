"""What is kept of a program's output."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sandbox.sessions.output import Kept, shares


def _kept(chunks: list[bytes], most: int) -> Kept:
    kept = Kept(most)
    for chunk in chunks:
        kept.add(chunk)
    return kept


@given(st.lists(st.binary(max_size=50)), st.integers(min_value=2, max_value=200))
def test_a_short_output_is_whole_and_a_long_one_has_its_head_and_tail(chunks: list[bytes], most: int) -> None:
    whole = b"".join(chunks).replace(b"\0", b"x")
    whole = bytes(byte & 0x7F or 0x78 for byte in whole)
    kept = _kept([whole[at : at + 7] for at in range(0, len(whole), 7)], most)
    text = kept.text(most)
    assert kept.total == len(whole)
    if len(whole) <= most:
        assert text.encode() == whole
    else:
        assert text.encode().startswith(whole[: most // 2])
        assert text.encode().endswith(whole[-(most // 2) :])
        assert f"[{len(whole) - 2 * (most // 2):,} bytes left out]" in text


def test_a_short_stream_leaves_its_room_to_the_other() -> None:
    assert shares(10, 5000, 1000) == (10, 990)
    assert shares(5000, 10, 1000) == (990, 10)
    assert shares(5000, 5000, 1000) == (500, 500)
    assert shares(1, 1, 1000) == (1, 999)


def test_text_is_fit_for_a_database() -> None:
    text = _kept([b"a\0b\xff\xed\xa0\x80c"], 100).text(100)
    assert "\0" not in text
    text.encode("utf-8")
