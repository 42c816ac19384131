"""The wire between a session and its helper: frames of one JSON object and raw bytes.

Both sides use this file. Sizes are checked before anything is allocated, and nothing but JSON is ever decoded,
because the session must take every byte from the jail for hostile. JSON is read and written by the two functions of
C that `json` itself uses: importing the whole of it brings `re` along, which takes as long as all else that the helper
loads at its start.
"""

from __future__ import annotations

import _json

TYPE_CHECKING = False  # importing typing costs a session's start 3 ms
if TYPE_CHECKING:
    from typing import Any

Frame = tuple["dict[str, Any]", bytes]

MAX_JSON_BYTES = 8 << 20
MAX_BODY_BYTES = 16 << 20
_HEAD_BYTES = 8  # two sizes of four bytes each, the JSON's and the body's
_CONSTANTS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


class BadFrame(Exception):
    """The other side sent something that is not a frame."""


class _AsJson:
    """What `json` reads by when nothing else is said."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, _CONSTANTS.__getitem__
    memo: dict[str, str] = {}


def _refuse(value: object) -> object:
    raise TypeError(f"{type(value).__name__} has no JSON")


_scan = _json.make_scanner(_AsJson)  # type: ignore[arg-type]  # it asks for these fields only
_chunks = _json.make_encoder(None, _refuse, _json.encode_basestring_ascii, None, ": ", ", ", False, False, True)


def encoded(value: object) -> bytes:
    """JSON of ASCII alone. Raises TypeError for what JSON cannot say."""
    return "".join(_chunks(value, 0)).encode("ascii")


def decoded(data: bytes) -> Any:
    """What `data` says, which must be JSON in UTF-8 with nothing around it. Raises ValueError, RecursionError."""
    text = data.decode("utf-8")
    try:
        value, end = _scan(text, 0)
    except StopIteration as error:
        raise ValueError("this is no JSON") from error
    if end != len(text):
        raise ValueError("there is something behind the JSON")
    return value


def pack(message: dict[str, Any], body: bytes = b"") -> bytes:
    text = encoded(message)
    if len(text) > MAX_JSON_BYTES or len(body) > MAX_BODY_BYTES:
        raise BadFrame(f"a frame of {len(text)} + {len(body)} bytes is too large to send")
    return len(text).to_bytes(4, "big") + len(body).to_bytes(4, "big") + text + body


class Frames:
    """Cuts a byte stream into frames; holds what is not yet whole."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, data: bytes) -> None:
        self._held += data

    def next(self) -> Frame | None:
        """The next whole frame, or None until more bytes have come. Raises BadFrame."""
        if len(self._held) < _HEAD_BYTES:
            return None
        json_bytes, body_bytes = int.from_bytes(self._held[:4], "big"), int.from_bytes(self._held[4:8], "big")
        if json_bytes > MAX_JSON_BYTES or body_bytes > MAX_BODY_BYTES:
            raise BadFrame(f"a frame announces {json_bytes} + {body_bytes} bytes")
        end = _HEAD_BYTES + json_bytes + body_bytes
        if len(self._held) < end:
            return None
        text = bytes(self._held[_HEAD_BYTES : _HEAD_BYTES + json_bytes])
        body = bytes(self._held[_HEAD_BYTES + json_bytes : end])
        del self._held[:end]
        try:
            message = decoded(text)
        except (ValueError, RecursionError) as error:
            raise BadFrame("a frame holds no JSON") from error
        if not isinstance(message, dict):
            raise BadFrame("a frame holds JSON that is no object")
        return message, body
