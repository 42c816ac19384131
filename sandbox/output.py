"""What of a program's output is kept: the head and the tail of each stream, within a number of bytes. Pure."""

from __future__ import annotations


class Kept:
    """The head and tail of a stream; what lies between is only counted."""

    def __init__(self, most_bytes: int) -> None:
        self._half = max(1, most_bytes // 2)
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def add(self, data: bytes) -> None:
        self.total += len(data)
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > 2 * self._half:
            del self._tail[: -self._half]

    def text(self, most_bytes: int) -> str:
        """At most `most_bytes` of the stream as text, with a line in the middle that says what is missing."""
        whole = bytes(self._head + self._tail)
        if self.total <= most_bytes and len(whole) == self.total:
            return _decoded(whole)
        half = min(self._half, max(1, most_bytes // 2))
        head, tail = whole[:half], whole[-half:]
        missing = self.total - len(head) - len(tail)
        return f"{_decoded(head)}\n[{missing:,} bytes left out]\n{_decoded(tail)}"


def shares(first: int, second: int, most: int) -> tuple[int, int]:
    """How much each of two streams may keep of `most`: a short one all of it, the other the rest."""
    half = most // 2
    if first <= half:
        return first, most - first
    if second <= half:
        return most - second, second
    return half, most - half


def _decoded(data: bytes) -> str:
    """Text that a JSON document and a database take: no lone surrogate, no NUL."""
    return data.decode("utf-8", "replace").replace("\0", "\ufffd")
