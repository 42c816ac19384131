"""A row that is changed is sealed in one statement, and only over the seal by which it was checked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from agents.models import ModularRun, ModularWant
from agents.record import causes
from agents.record.causes import Forged
from people import sealing
from people.models import RowSeal, User
from tests.agents.modular.test_runs import begun as begun
from tests.forging import forge

pytestmark = pytest.mark.django_db(transaction=True)
# What JSON can hold and what Postgres takes of it: no character zero, no half of a pair.
_TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=5)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS | st.integers(), inner, max_size=3),
)


@pytest.fixture
def want(begun: Any) -> ModularWant:
    found: ModularWant = ModularWant.objects.get(run=begun())
    return found


def as_read(row: ModularWant) -> ModularWant:
    return sealing.with_seals(ModularWant.objects.filter(pk=row.pk)).get()


@given(value=_JSON)
def test_plain_values_come_back_spelled_alike(value: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::jsonb::text", [json.dumps(value)])
        (back,) = cursor.fetchone()
    if sealing._is_plain(value):
        assert json.dumps(json.loads(back), sort_keys=True) == json.dumps(value, sort_keys=True)


@pytest.mark.parametrize("value", [0.0, 0.7, 1e-7, -1.5, 10**20, "text", True, None, {"key": ["a", ("b",)]}])
def test_what_is_usual_is_plain(value: Any) -> None:
    assert sealing._is_plain(value)


@pytest.mark.parametrize("value", [0.7, 1e22, -0.0, {"b": 1e300, "a": [1e16]}, {10: 1, 9: 2}, ("a", "b")])
def test_a_changed_row_is_genuine_whatever_the_database_makes_of_its_values(value: Any, want: ModularWant) -> None:
    row = as_read(want)
    for answer in (value, "a second time", value):
        causes.change(row, answer=answer, by=want.run.by)
        assert sealing.is_genuine(ModularWant.objects.get(pk=want.pk))
    made = ModularWant.objects.create(run=want.run, step=9, key="key", kind="call", args=value)
    sealing.seal_new(made)
    assert sealing.is_genuine(ModularWant.objects.get(pk=made.pk))


def test_a_row_that_was_read_with_its_seal_is_changed_in_one_statement(want: ModularWant) -> None:
    row = as_read(want)
    with CaptureQueriesContext(connection) as asked:
        causes.change(row, answer={"content": "go on"})
    assert len(asked) == 1
    assert sealing.is_genuine(ModularWant.objects.get(pk=want.pk))


def test_a_change_seals_no_forgery(want: ModularWant, reviewer: User) -> None:
    seals = RowSeal.objects.count()
    forge("UPDATE agents_modularwant SET by_id = %s WHERE id = %s", reviewer.pk, want.pk)
    for row in (as_read(want), ModularWant.objects.get(pk=want.pk)):
        with pytest.raises(Forged):
            causes.change(row, answer={"content": "go on"})
    assert RowSeal.objects.count() == seals
    assert not sealing.is_genuine(ModularWant.objects.get(pk=want.pk))


def test_what_was_forged_after_the_row_was_read_is_not_sealed_either(want: ModularWant, reviewer: User) -> None:
    row = as_read(want)
    forge("UPDATE agents_modularwant SET by_id = %s WHERE id = %s", reviewer.pk, want.pk)
    causes.change(row, answer={"content": "go on"})
    assert not sealing.is_genuine(ModularWant.objects.get(pk=want.pk))


def test_a_row_with_a_newer_seal_than_it_was_read_with_is_not_changed(want: ModularWant) -> None:
    """It waited for its lock while the row was sealed anew and somebody brought its old values back."""
    row = as_read(want)
    causes.change(as_read(want), answer={"content": "first"})
    forge("UPDATE agents_modularwant SET answer = NULL WHERE id = %s", want.pk)
    with pytest.raises(IntegrityError), transaction.atomic():
        causes.change(row, answer={"content": "second"})
    assert ModularWant.objects.get(pk=want.pk).answer is None
    assert not sealing.is_genuine(ModularWant.objects.get(pk=want.pk))


def test_nor_one_that_was_ended_meanwhile(want: ModularWant) -> None:
    row = as_read(want)
    sealing.end(want)
    with pytest.raises(IntegrityError), transaction.atomic():
        causes.change(row, answer={"content": "second"})
    assert ModularWant.objects.get(pk=want.pk).answer is None


def test_a_row_that_is_newer_than_the_seal_it_was_read_with_is_asked_for_its_newest(want: ModularWant) -> None:
    """Whoever waited for another one's change gets the new row from Postgres, and the seal of before."""
    before: Any = as_read(want)
    causes.change(as_read(want), answer={"content": "first"})
    row: Any = as_read(want)
    row.newest_seal = before.newest_seal
    causes.change(row, answer={"content": "second"})
    assert ModularWant.objects.get(pk=want.pk).answer == {"content": "second"}
    assert sealing.is_genuine(ModularWant.objects.get(pk=want.pk))


def test_a_row_goes_to_other_rows_by_their_keys(begun: Any, owner: User, reviewer: User) -> None:
    run: ModularRun = begun()
    row = sealing.with_seals(ModularRun.objects.filter(pk=run.pk)).get()
    causes.change(row, by=reviewer, at_step=run.at_step)
    assert ModularRun.objects.get(pk=run.pk).by == row.by == reviewer
    causes.change(row, by=owner)
    assert sealing.is_genuine(ModularRun.objects.get(pk=run.pk))
