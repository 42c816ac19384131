"""Kept verdicts of entailment: found by their sentences, bounded, and never missed when they are gone."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models.functions import Now

from library.language.entailment import verdicts
from library.models import EntailmentVerdict

pytestmark = pytest.mark.django_db
AJAR, OPEN = "The gate stands wide open.", "The gate is open."
SHARES = (0.75, 0.125, 0.125)
MODEL = "model 1"


def test_a_verdict_is_found_by_its_premise_and_model_whatever_the_spaces() -> None:
    verdicts.keep({(AJAR, OPEN): SHARES, ("It rains.", OPEN): (0.0, 1.0, 0.0)}, MODEL)
    asked = " The  gate stands wide open. "
    assert verdicts.about([asked, "Nothing."], MODEL) == {verdicts.digest(asked, OPEN): SHARES}
    assert verdicts.about([AJAR], "model 2") == {}
    assert verdicts.about([], MODEL) == {}


def test_which_sentence_is_the_premise_counts() -> None:
    assert verdicts.digest(AJAR, OPEN) != verdicts.digest(OPEN, AJAR)
    assert verdicts.digest("a b", "c") != verdicts.digest("a", "b c")


def test_nothing_that_anybody_said_is_stored_and_no_digest_can_be_made_without_the_key(settings: Any) -> None:
    verdicts.keep({("My password is hunter2.", OPEN): SHARES}, MODEL)
    row = EntailmentVerdict.objects.values().get()
    assert "hunter2" not in repr(row)
    mine = verdicts.digest("My password is hunter2.")
    assert row["premise"] == mine
    settings.SECRET_KEY = "of another installation"
    assert verdicts.digest("My password is hunter2.") != mine


def test_the_same_pair_is_kept_once_and_the_first_verdict_stands() -> None:
    verdicts.keep({(AJAR, OPEN): SHARES}, MODEL)
    verdicts.keep({(AJAR, OPEN): (0.0, 1.0, 0.0)}, MODEL)
    assert list(verdicts.about([AJAR], MODEL).values()) == [SHARES]


@pytest.mark.parametrize("shares", [(math.nan, 0.5, 0.5), (1.5, 0.0, 0.0), (-0.1, 1.0, 0.1), (math.inf, 0.0, 0.0)])
def test_what_is_no_probability_is_kept_out_by_the_code_and_by_the_table(shares: verdicts.Shares) -> None:
    verdicts.keep({(AJAR, OPEN): shares}, MODEL)
    assert not EntailmentVerdict.objects.exists()
    with pytest.raises(IntegrityError), transaction.atomic():
        EntailmentVerdict.objects.create(
            judged_by=MODEL, premise=verdicts.digest(AJAR), pair=verdicts.digest(AJAR, OPEN),
            entailment=shares[0], neutral=shares[1], contradiction=shares[2],
        )  # fmt: skip


def test_without_its_table_nothing_is_known_nothing_is_kept_and_the_transaction_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE {EntailmentVerdict._meta.db_table}")
        assert verdicts.about([AJAR], MODEL) == {}
        verdicts.keep({(AJAR, OPEN): SHARES}, MODEL)
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)
    assert "cannot be read" in caplog.text
    assert "cannot be written" in caplog.text


def test_old_verdicts_are_dropped_and_so_are_the_oldest_of_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        verdicts.keep({(f"There are {number} gates.", OPEN): SHARES}, MODEL)
    first = EntailmentVerdict.objects.order_by("pk")[0].pk
    EntailmentVerdict.objects.filter(pk=first).update(at=Now() - timedelta(days=verdicts.KEEP_DAYS, hours=1))
    assert verdicts.prune() == 1
    monkeypatch.setattr(verdicts, "MOST_ROWS", 3)
    assert verdicts.prune() == 1
    assert EntailmentVerdict.objects.count() == 3
    assert verdicts.about(["There are 1 gates."], MODEL) == {}
    assert verdicts.about(["There are 4 gates."], MODEL)


def test_a_belief_with_very_many_verdicts_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    verdicts.keep({(AJAR, f"The gate is {number} wide."): SHARES for number in range(verdicts.MOST_READ + 5)}, MODEL)
    assert len(verdicts.about([AJAR], MODEL)) == verdicts.MOST_READ
