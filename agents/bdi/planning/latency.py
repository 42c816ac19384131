"""How long the stages of planning take, as quantiles from counts in buckets. Pure.

Times of many days cannot be added up to their percentiles, so days keep how many cases fell into each bucket. Buckets
grow by a tenth, so a percentile out of them is within five per cent of the one that all the times would give.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

GROWTH = 1.1
# Counts of buckets stand in one decimal number, so many digits for each: such numbers are added like their counts.
DIGITS = 12
_NONE = "0" * DIGITS
# In the order in which a planning goes through them.
STAGES = ("waited", "perceive", "rules", "understand", "model", "validate")
TOTAL = "total"


def time_of(bucket: int) -> float:
    """The time in milliseconds that a bucket stands for: its middle, as ratios go.

    A bucket is the whole part of the logarithm to the base GROWTH; everything up to a millisecond is in the first.
    """
    return float(GROWTH ** (bucket + 0.5))


def unpacked(packed: str) -> dict[int, int]:
    """How many cases each bucket has, out of the digits of the number that says it."""
    digits = packed.zfill(-(-len(packed) // DIGITS) * DIGITS)
    counts = [digits[end - DIGITS : end] for end in range(len(digits), 0, -DIGITS)]
    return {bucket: int(count) for bucket, count in enumerate(counts) if count != _NONE}


def quantile(buckets: Mapping[int, int], share: float) -> float | None:
    """The time in milliseconds within which that share of the cases lay; None without cases."""
    cases = sum(buckets.values())
    if not cases:
        return None
    rank, seen = math.ceil(share * cases), 0
    for bucket in sorted(buckets):
        seen += buckets[bucket]
        if seen >= rank:
            return time_of(bucket)
    raise AssertionError("the counts add up to the cases")
