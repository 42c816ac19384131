"""The test that findings stand on. Pure."""

from __future__ import annotations

from math import comb


def more_often(failed: int, cases: int, other_failed: int, other_cases: int) -> float:
    """The chance that so many of the failures or more are among these cases when they fall anywhere (Fisher's test).

    1 where there is nothing to compare.
    """
    total, failures = cases + other_cases, failed + other_failed
    if not cases or not other_cases or not failures:
        return 1.0
    ways = comb(total, cases)
    most = min(cases, failures)
    return sum(comb(failures, k) * comb(total - failures, cases - k) for k in range(failed, most + 1)) / ways
