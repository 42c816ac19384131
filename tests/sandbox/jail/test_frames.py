"""The wire to the helper, with a hostile other end."""

from __future__ import annotations

import json
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.jail import interpreter
from sandbox.jail.inside import main
from sandbox.jail.inside.frames import MAX_BODY_BYTES, MAX_JSON_BYTES, BadFrame, Frames, decoded, encoded, pack

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


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda some: st.lists(some, max_size=4) | st.dictionaries(st.text(), some, max_size=4),
)


@given(_JSON)
def test_values_are_written_and_read_as_json_does(value: Any) -> None:
    assert encoded(value) == json.dumps(value).encode()
    assert decoded(encoded(value)) == value


def test_what_has_no_json_is_not_written() -> None:
    with pytest.raises(TypeError, match="bytes has no JSON"):
        encoded({"a": b""})


def test_a_helper_starts_without_what_takes_longest_to_load() -> None:
    code = "import sys; sys.path.insert(0, sys.argv[1]); import inside.main; print(*sys.modules)"
    python, folder = interpreter.choose().program, Path(main.__file__).parent.parent
    done = subprocess.run(
        [python, "-I", "-S", "-B", "-c", code, str(folder)], capture_output=True, text=True, check=True, env={}
    )
    loaded = set(done.stdout.split())
    assert "inside.main" in loaded
    slow = {"re", "json", "base64", "ctypes", "enum", "typing", "pathlib", "contextlib", "subprocess", "signal"}
    assert not loaded & slow
    assert not loaded & {f"inside.{part}" for part in ("files", "moving", "programs", "searching", "patch")}
