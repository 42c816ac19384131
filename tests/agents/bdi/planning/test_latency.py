"""Times as counts in buckets: quantiles out of them, and the number that holds them all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.planning.latency import DIGITS, quantile, time_of, unpacked

COUNTS = st.dictionaries(st.integers(0, 240), st.integers(1, 2**31), max_size=30)


def packed(buckets: dict[int, int]) -> str:
    """As the database writes it."""
    return str(sum(count * 10 ** (DIGITS * bucket) for bucket, count in buckets.items()))


@given(COUNTS)
def test_every_count_is_found_again_in_the_number(buckets: dict[int, int]) -> None:
    assert unpacked(packed(buckets)) == buckets


@given(COUNTS, COUNTS)
def test_numbers_add_up_as_their_counts_do(one: dict[int, int], other: dict[int, int]) -> None:
    together = {bucket: one.get(bucket, 0) + other.get(bucket, 0) for bucket in one.keys() | other.keys()}
    assert unpacked(str(int(packed(one)) + int(packed(other)))) == together


def test_half_of_the_cases_are_within_the_median_and_no_more() -> None:
    assert quantile({3: 1, 9: 1}, 0.5) == time_of(3)
    assert quantile({3: 1, 9: 1}, 0.51) == time_of(9)
