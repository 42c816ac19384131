"""The wire to the helper, with a hostile other end."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.jail.inside.frames import MAX_BODY_BYTES, MAX_JSON_BYTES, BadFrame, Frames, pack

_MESSAGES = st.lists(st.tuples(st.dictionaries(st.text(), st.text()), st.binary(max_size=99)), max_size=5)


@given(_MESSAGES, st.integers(min_value=1, max_value=40))
def test_frames_come_out_as_they_went_in_however_they_are_cut(
    messages: list[tuple[dict[str, str], bytes]], cut: int
) -> None:
    stream = b"".join(pack(message, body) for message, body in messages)
    frames, found = Frames(), []
    for start in range(0, len(stream), cut):
        frames.feed(stream[start : start + cut])
        while (frame := frames.next()) is not None:
            found.append(frame)
    assert found == messages


@pytest.mark.parametrize(
    ("json_bytes", "body_bytes"), [(MAX_JSON_BYTES + 1, 0), (2, MAX_BODY_BYTES + 1), (2**32 - 1, 0)]
)
def test_a_frame_that_announces_too_much_is_refused_before_it_comes(json_bytes: int, body_bytes: int) -> None:
    frames = Frames()
    frames.feed(struct.pack("!II", json_bytes, body_bytes))
    with pytest.raises(BadFrame):
        frames.next()


@pytest.mark.parametrize("text", [b"", b"[]", b"1", b"{", b"\xff\xff", b"[" * 200_000], ids=range(6))
def test_what_is_no_json_object_is_refused(text: bytes) -> None:
    frames = Frames()
    frames.feed(struct.pack("!II", len(text), 0) + text)
    with pytest.raises(BadFrame):
        frames.next()


@given(st.binary(min_size=8, max_size=200))
def test_rubbish_is_a_bad_frame_or_an_unfinished_one_and_never_anything_else(data: bytes) -> None:
    frames = Frames()
    frames.feed(data)
    try:
        frame = frames.next()
    except BadFrame:
        return
    assert frame is None or isinstance(frame[0], dict)
