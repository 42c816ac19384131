"""What comes from a provider, made such that a table holds it. Pure.

A provider may send anything: characters that Postgres cannot hold, counts that are none. Nothing of it goes further.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

# No request is longer, so a provider that says more has miscounted.
MOST_TOKENS = 100_000_000
# The column holds six digits before its point.
_MOST_DOLLARS = Decimal(999_999)


def text(said: object) -> str:
    """The text without what no table holds: NUL is shown as U+2400, half of a character as U+FFFD.

    Two halves that stand together are one character: some send it so, in two pieces.
    """
    whole = str(said)
    if whole.isascii() and "\0" not in whole:  # most of the thousand pieces of an answer
        return whole
    whole = whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\0", "\u2400")


def count(said: Any) -> int | None:
    """A number of tokens; None: unknown, for it is none."""
    return said if type(said) is int and 0 <= said <= MOST_TOKENS else None


def dollars(cost: Decimal) -> Decimal | None:
    """A cost; None: unknown, for it is none that anything has."""
    return cost if cost.is_finite() and 0 <= cost <= _MOST_DOLLARS else None
