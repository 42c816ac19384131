"""How many bytes a session may still send and receive through the gate."""

from __future__ import annotations


class Spent(Exception):
    """The session has moved as many bytes as it may."""


class Budget:
    """How many bytes a session may still move through the gate, both ways together."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._left = most_bytes

    def take(self, count: int) -> None:
        """Raises Spent when there are not as many left."""
        if count > self._left:
            raise Spent(f"the session has moved {self._most:,} bytes, which is the most")
        self._left -= count
