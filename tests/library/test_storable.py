"""What comes from a provider is made such that a table holds it."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from library.language import storable

_ANYTHING = st.text(st.characters(codec=None, exclude_categories=()))


@given(_ANYTHING)
def test_every_text_can_be_stored_and_is_then_left_as_it_is(text: str) -> None:
    kept = storable.text(text)
    assert "\0" not in kept
    assert kept.encode().decode() == kept == storable.text(kept)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_a_text_that_can_be_stored_stays_the_same(text: str) -> None:
    assert storable.text(text) == text


@given(st.one_of(st.integers(), st.floats(), st.booleans(), st.none(), st.text(), st.lists(st.integers())))
def test_a_count_is_a_number_of_tokens_or_unknown(said: object) -> None:
    found = storable.count(said)
    assert found is None or (found is said and 0 <= found <= storable.MOST_TOKENS)
    if type(said) is int and 0 <= said <= storable.MOST_TOKENS:
        assert found == said


@given(st.decimals(allow_nan=True, allow_infinity=True))
def test_a_cost_is_an_amount_of_dollars_or_unknown(cost: Decimal) -> None:
    found = storable.dollars(cost)
    assert found is None or (found == cost and found.is_finite() and 0 <= found < 1_000_000)
