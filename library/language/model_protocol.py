"""What the model server and its clients say to each other: frames of four bytes of length and so many bytes of content.

A request is JSON: `{"model": "sentences", "rows": ["text", …]}` or `{"model": "pairs", "rows": [["premise",
"hypothesis"], …]}`. An answer is one byte and then either raw numbers, the rows one after another, or the reason in
words. Nothing is unpickled, so whoever can connect can make the server compute and no more.
"""

from __future__ import annotations

import json
import socket
import struct
from array import array
from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

Model = Literal["sentences", "pairs"]
Rows = Sequence[str] | Sequence[tuple[str, str]]


class Sentences(BaseModel):
    """A request for the vectors of texts."""

    model_config = ConfigDict(extra="forbid")

    model: Literal["sentences"]
    rows: list[str]


class Pairs(BaseModel):
    """A request for the probabilities of pairs of premise and hypothesis."""

    model_config = ConfigDict(extra="forbid")

    model: Literal["pairs"]
    rows: list[tuple[str, str]]


_REQUEST: TypeAdapter[Sentences | Pairs] = TypeAdapter(Annotated[Sentences | Pairs, Field(discriminator="model")])

# An audit asks for the vectors of 2,000 goals of up to 4,000 characters at once.
MAX_REQUEST_BYTES = 32 * 1024 * 1024
NUMBERS, REASON = b"\0", b"\1"
# float32 as the sentence model computes it, and float64 for the probabilities of a pair.
_KIND: dict[Model, Literal["f", "d"]] = {"sentences": "f", "pairs": "d"}
_LENGTH = struct.Struct("!I")
_PIECE_BYTES = 1024 * 1024


class TooLong(Exception):
    """The other side announces more bytes than a frame may have."""


class BadRequest(Exception):
    """This is no request."""


def send_frame(line: socket.socket, content: bytes) -> None:
    """Send one frame. Raises OSError."""
    line.sendall(_LENGTH.pack(len(content)) + content)


def receive_frame(line: socket.socket, most_bytes: int) -> bytes | None:
    """The next frame, or None when the other side has closed the line between two frames.

    Raises TooLong before any content is read, and OSError, also when the line is closed within a frame.
    """
    head = _receive(line, _LENGTH.size)
    if not head:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > most_bytes:
        raise TooLong(f"{length:,} bytes are announced, and at most {most_bytes:,} are read.")
    content = _receive(line, length)
    if len(content) < length:
        raise ConnectionResetError("The line was closed before any content.")
    return content


def _receive(line: socket.socket, length: int) -> bytes:
    """So many bytes, or none when the line is closed before the first one."""
    found = bytearray()
    while len(found) < length:
        # In pieces: memory is taken for what has come, not for what was announced.
        piece = line.recv(min(length - len(found), _PIECE_BYTES))
        if not piece and not found:
            break
        if not piece:
            raise ConnectionResetError("The line was closed within a frame.")
        found += piece
    return bytes(found)


def request_of(model: Model, rows: Rows) -> bytes:
    """The content of a request. The texts hold no lone surrogates."""
    return json.dumps({"model": model, "rows": rows}, ensure_ascii=False).encode()


def read_request(content: bytes) -> Sentences | Pairs:
    """The request that this is. Raises BadRequest."""
    try:
        return _REQUEST.validate_json(content)
    except ValidationError as error:
        raise BadRequest("A request is JSON with “model”, sentences or pairs, and “rows”.") from error


def numbers_of(model: Model, rows: Iterable[Sequence[float]]) -> bytes:
    """Rows of numbers as bytes."""
    found = array(_KIND[model])
    for row in rows:
        found.extend(row)
    return found.tobytes()


def read_numbers(model: Model, content: bytes, count: int, width: int) -> list[list[float]]:
    """`count` rows of `width` numbers. Raises ValueError for fewer or more."""
    found = array(_KIND[model])
    found.frombytes(content)
    if len(found) != count * width:
        raise ValueError(f"{len(found):,} numbers are not {count:,} rows of {width}.")
    return [found[at : at + width].tolist() for at in range(0, len(found), width)]
