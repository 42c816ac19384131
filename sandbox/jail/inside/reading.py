"""Reading a part of a file: from a byte on, or some of its lines."""

from __future__ import annotations

import os

from .files import need_regular
from .tree import Tree, refusal

TYPE_CHECKING = False  # importing typing costs a session's start 3 ms
if TYPE_CHECKING:
    from typing import Any

    Answer = tuple[dict[str, Any], bytes]

_PIECE_BYTES = 1 << 20


def read_bytes(tree: Tree, path: bytes, most_bytes: int, offset: int, length: int | None) -> Answer:
    """`length` bytes from `offset` on (None: to the end), at most `most_bytes`. `truncated`: more was asked for."""
    descriptor, size = _open(tree, path)
    with open(descriptor, "rb", buffering=0) as file:
        asked = max(0, min(size - offset, size if length is None else length))
        content = bytearray()
        try:
            file.seek(min(offset, size))
            while len(content) < min(asked, most_bytes):
                piece = file.read(min(_PIECE_BYTES, min(asked, most_bytes) - len(content)))
                if not piece:
                    break
                content += piece
        except OSError as error:
            raise refusal(path, error) from error
    return {"size_bytes": size, "offset": offset, "truncated": asked > len(content)}, bytes(content)


def read_lines(tree: Tree, path: bytes, most_bytes: int, first: int, last: int | None) -> Answer:
    """The lines from `first` to `last` (None: to the end), counted from 1, at most `most_bytes` of them.

    `to_line` is the last line that came, of which `truncated` may have left out the end; `total_lines` is all there
    are.
    """
    descriptor, size = _open(tree, path)
    content = bytearray()
    number, came, begins, truncated = 0, first - 1, True, False
    with open(descriptor, "rb") as file:
        # In pieces, because a file may be one line of any length.
        while piece := file.readline(_PIECE_BYTES):
            number += begins
            begins = piece.endswith(b"\n")
            if number < first or (last is not None and number > last) or truncated:
                continue
            room = most_bytes - len(content)
            truncated = len(piece) > room
            content += piece[:room]
            came = number if room else came
    answer = {"size_bytes": size, "from_line": first, "to_line": came, "total_lines": number, "truncated": truncated}
    return answer, bytes(content)


def _open(tree: Tree, path: bytes) -> tuple[int, int]:
    # O_NONBLOCK: opening a FIFO without a writer would otherwise wait for ever.
    descriptor = tree.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        state = os.fstat(descriptor)
        need_regular(path, state)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, state.st_size
