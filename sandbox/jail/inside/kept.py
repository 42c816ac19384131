"""What of a program's output is kept: the head and the tail of a stream, within a number of bytes."""

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
            return decoded(whole)
        half = min(self._half, max(1, most_bytes // 2))
        head, tail = whole[:half], whole[-half:]
        return joined(head, self.total - len(head) - len(tail), tail)

    def since(self, start: int) -> tuple[bytes, int, bytes]:
        """What is kept from byte `start` on: of the head, how much is missing then, and of the tail."""
        start = min(max(start, 0), self.total)
        head, tail = bytes(self._head[start:]), bytes(self._tail[-self._half :])
        tail_start = self.total - len(tail)
        return head, max(0, tail_start - max(start, len(self._head))), tail[max(0, start - tail_start) :]


def joined(head: bytes, missing: int, tail: bytes) -> str:
    """Two pieces of a stream as text, with a line between them when something is missing there."""
    if not missing:
        return decoded(head + tail)
    return f"{decoded(head)}\n[{missing:,} bytes left out]\n{decoded(tail)}"


def decoded(data: bytes) -> str:
    """Text that a JSON document and a database take: no lone surrogate, no NUL."""
    return data.decode("utf-8", "replace").replace("\0", "\ufffd")
