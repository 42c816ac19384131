"""The seal: a digest drawn as eight bars, so that "what I approved" and "what ran" can be compared at a glance."""

from __future__ import annotations

from dataclasses import dataclass

BARS = 8
_BOX = 16


@dataclass(frozen=True)
class Bar:
    """One bar in a box of 48 × 16, measured from the top left."""

    x: int
    y: int
    height: int


def bars(digest: str) -> tuple[Bar, ...]:
    """A bar for each of the first eight hexadecimal digits; none when the digest is not hexadecimal."""
    try:
        values = [int(digit, 16) for digit in digest[:BARS]]
    except ValueError:
        return ()
    # A height for each value, zero included: two digests whose first eight digits differ never look the same.
    return tuple(Bar(x=6 * n, y=_BOX - (value + 1), height=value + 1) for n, value in enumerate(values))


def short(digest: str) -> str:
    """The same eight digits as people read them out: `7c1e·40ab`."""
    return f"{digest[:4]}·{digest[4:8]}" if digest else "none"
