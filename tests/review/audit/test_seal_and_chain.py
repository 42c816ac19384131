"""The pure laws: a seal fits one grant only, and a chain breaks where it was touched."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review.audit import approval_seal, chain
from review.audit.approval_seal import Grant
from review.audit.chain import Entry, Link

KEY = "a key that the database does not hold"
digests = st.text("0123456789abcdef", min_size=64, max_size=64)
# Postgres keeps no NUL and no unpaired surrogate, so neither can be in a row.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
moments = st.datetimes(datetime(2020, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))
ids = st.integers(1, 2**53 - 1)
grants = st.builds(Grant, ids, digests, ids, st.fixed_dictionaries({"tries": st.integers(1, 5)}), moments)
entries = st.builds(
    Entry,
    ids,
    digests,
    st.sampled_from(["approve", "reject", "request_changes"]),
    ids,
    st.just("browser"),
    texts,
    moments,
)


@given(grants)
def test_a_grant_is_genuine_under_its_own_seal(grant: Grant) -> None:
    assert approval_seal.is_genuine(grant, approval_seal.mac_of(grant, KEY), KEY)


@given(grants, grants)
def test_a_seal_fits_no_other_grant(grant: Grant, other: Grant) -> None:
    assert approval_seal.is_genuine(other, approval_seal.mac_of(grant, KEY), KEY) == (other == grant)


@given(grants, st.sampled_from(["plan_id", "digest", "by_id", "envelope", "at"]))
def test_each_field_of_a_grant_is_sealed(grant: Grant, field: str) -> None:
    other: dict[str, Any] = {
        "plan_id": grant.plan_id % 1000 + 2**40,
        "digest": ("1" if grant.digest[0] == "0" else "0") + grant.digest[1:],
        "by_id": grant.by_id % 1000 + 2**40,
        "envelope": {"tries": grant.envelope["tries"] + 1},
        "at": grant.at.replace(microsecond=(grant.at.microsecond + 1) % 1_000_000),
    }
    assert not approval_seal.is_genuine(replace(grant, **{field: other[field]}), approval_seal.mac_of(grant, KEY), KEY)


@given(grants, texts)
def test_no_other_text_is_a_seal(grant: Grant, forged: str) -> None:
    assert not approval_seal.is_genuine(grant, forged, KEY)
    assert not approval_seal.is_genuine(grant, approval_seal.mac_of(grant, "another key"), KEY)


@pytest.mark.parametrize("envelope", [{"tries": 2**60}, {"tries": object()}, {1: 2}])
def test_what_cannot_be_signed_is_not_genuine(envelope: Any) -> None:
    grant = Grant(1, "0" * 64, 1, envelope, datetime(2030, 1, 1, tzinfo=UTC))
    assert not approval_seal.is_genuine(grant, "0" * 64, KEY)


def linked(items: list[Entry]) -> list[Link]:
    previous, links = "", []
    for row, entry in enumerate(items, 1):
        signed = chain.hash_of(entry, previous, KEY)
        links.append(Link(row, entry, previous, signed))
        previous = signed
    return links


@given(st.lists(entries, max_size=8))
def test_an_untouched_chain_holds(items: list[Entry]) -> None:
    assert chain.first_break(linked(items), KEY) is None


@given(st.lists(entries, min_size=1, max_size=8), st.data())
def test_a_changed_row_is_named(items: list[Entry], data: st.DataObject) -> None:
    links = linked(items)
    at = data.draw(st.integers(0, len(links) - 1))
    entry = items[at]
    links[at] = replace(links[at], entry=replace(entry, comment=entry.comment + "x"))
    broken = chain.first_break(links, KEY)
    assert broken is not None
    assert broken.row == links[at].row


@given(st.lists(entries, min_size=2, max_size=8), st.data())
def test_a_removed_row_breaks_the_one_that_followed(items: list[Entry], data: st.DataObject) -> None:
    links = linked(items)
    at = data.draw(st.integers(0, len(links) - 2))
    following = links[at + 1].row
    del links[at]
    broken = chain.first_break(links, KEY)
    assert broken is not None
    assert broken.row == following


@given(entries, entries)
def test_a_row_signed_with_another_key_does_not_join(first: Entry, forged: Entry) -> None:
    links = linked([first])
    links.append(Link(2, forged, links[0].hash, chain.hash_of(forged, links[0].hash, "another key")))
    assert chain.first_break(links, KEY) == chain.Break(2, "its content is not what was signed")


def test_a_seal_is_never_a_link() -> None:
    """One key signs both, so each signature is made under a label of its own."""
    assert approval_seal.LABEL != chain.LABEL
