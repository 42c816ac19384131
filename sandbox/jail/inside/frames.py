"""The wire between a session and its helper: frames of one JSON object and raw bytes.

Both sides use this file. Sizes are checked before anything is allocated, and nothing but JSON is ever decoded,
because the session must take every byte from the jail for hostile.
"""

from __future__ import annotations

import json
import struct

TYPE_CHECKING = False  # importing typing costs a session's start 3 ms
if TYPE_CHECKING:
    from typing import Any

Frame = tuple["dict[str, Any]", bytes]

MAX_JSON_BYTES = 8 << 20
MAX_BODY_BYTES = 16 << 20
_HEAD = struct.Struct("!II")


class BadFrame(Exception):
    """The other side sent something that is not a frame."""


def pack(message: dict[str, Any], body: bytes = b"") -> bytes:
    text = json.dumps(message).encode("ascii")
    if len(text) > MAX_JSON_BYTES or len(body) > MAX_BODY_BYTES:
        raise BadFrame(f"a frame of {len(text)} + {len(body)} bytes is too large to send")
    return _HEAD.pack(len(text), len(body)) + text + body


class Frames:
    """Cuts a byte stream into frames; holds what is not yet whole."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, data: bytes) -> None:
        self._held += data

    def next(self) -> Frame | None:
        """The next whole frame, or None until more bytes have come. Raises BadFrame."""
        if len(self._held) < _HEAD.size:
            return None
        json_bytes, body_bytes = _HEAD.unpack_from(self._held)
        if json_bytes > MAX_JSON_BYTES or body_bytes > MAX_BODY_BYTES:
            raise BadFrame(f"a frame announces {json_bytes} + {body_bytes} bytes")
        end = _HEAD.size + json_bytes + body_bytes
        if len(self._held) < end:
            return None
        text = bytes(self._held[_HEAD.size : _HEAD.size + json_bytes])
        body = bytes(self._held[_HEAD.size + json_bytes : end])
        del self._held[:end]
        try:
            message = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadFrame("a frame holds no JSON") from error
        if not isinstance(message, dict):
            raise BadFrame("a frame holds JSON that is no object")
        return message, body
