"""Rows that a worker acts on, written with the application's database role alone: none of them takes effect.

`docs/why/security.md` lists what each kind of row could do and what stops it; each line that claims a protection has its
test here, or names the file that has it.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction

from agents.models import IntentPlan
from people import sealing
from people.models import RowSeal, User
from review.models import Approval, AuditEntry, Decision, HeldDecision
from review.services import holding
from review.services.ruling import Ruling
from tests.forging import forge

pytestmark = pytest.mark.django_db
_HELD = (
    "INSERT INTO review_helddecision"
    " (intent_plan_id, by_id, digest, verdict, ruling, made_at, due_at, dropped)"
    " VALUES (%s, %s, %s, 'approve', %s, now() - interval '20 s', now() - interval '10 s', '')"
)


@pytest.fixture(autouse=True)
def _held(settings: object) -> None:
    settings.HOLD_S = 600  # type: ignore[attr-defined]


def held_by(plan: IntentPlan, judge: User, verdict: str = "approve", words: str = "") -> HeldDecision:
    holding.decide(plan, Ruling(verdict, plan.digest, words), by=judge)
    return HeldDecision.objects.get(dropped="")


def settle() -> None:
    """The sweep, when everything that is held is due."""
    forge("UPDATE review_helddecision SET due_at = now() - interval '1 s'")
    holding.settle_due()


def nothing_was_decided(plan: IntentPlan) -> None:
    plan.refresh_from_db()
    assert plan.state == "awaiting_review"
    assert not Decision.objects.exists()
    assert not Approval.objects.exists()


def refused(row: HeldDecision) -> None:
    """The row says why, the journal tells of it."""
    row.refresh_from_db()
    assert "not sealed by mindX" in row.dropped
    told = AuditEntry.objects.get(event="forged")
    assert told.subject == f"plan:{row.intent_plan_id}"


def test_a_decision_that_was_written_into_the_table_approves_nothing(plan: IntentPlan, judge: User) -> None:
    forge(_HELD, plan.pk, judge.pk, plan.digest, json.dumps(Ruling("approve", plan.digest).as_json()))
    holding.settle_due()
    nothing_was_decided(plan)
    refused(HeldDecision.objects.get())


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("ruling", lambda plan, other: json.dumps(Ruling("approve", plan.digest, tries=5).as_json())),
        ("ruling", lambda plan, other: json.dumps(Ruling("approve", plan.digest, comment="go").as_json())),
        ("by_id", lambda plan, other: other.pk),
        ("verdict", lambda plan, other: "reject"),
        ("made_at", lambda plan, other: "2026-01-01T00:00:00Z"),
    ],
)
def test_a_decision_that_was_changed_in_the_table_approves_nothing(
    plan: IntentPlan, judge: User, second_judge: User, column: str, value: Callable[[IntentPlan, User], object]
) -> None:
    row = held_by(plan, judge)
    assert forge(f"UPDATE review_helddecision SET {column} = %s", value(plan, second_judge)) == 1
    settle()
    nothing_was_decided(plan)
    refused(row)


def test_a_decision_that_its_person_took_back_cannot_be_put_back(plan: IntentPlan, judge: User) -> None:
    row = held_by(plan, judge)
    kept = HeldDecision.objects.filter(pk=row.pk).values().get()
    assert holding.undo(row.pk, plan, by=judge)
    columns = ", ".join(kept)
    values = [json.dumps(each) if isinstance(each, dict) else each for each in kept.values()]
    forge(f"INSERT INTO review_helddecision ({columns}) VALUES ({', '.join(['%s'] * len(values))})", *values)
    settle()
    nothing_was_decided(plan)
    refused(row)


def test_a_decision_that_was_dropped_is_not_taken_up_again(plan: IntentPlan, judge: User) -> None:
    row = held_by(plan, judge)
    User.objects.filter(pk=judge.pk).update(is_active=False)
    settle()
    User.objects.filter(pk=judge.pk).update(is_active=True)
    assert forge("UPDATE review_helddecision SET dropped = ''") == 1
    settle()
    nothing_was_decided(plan)
    refused(row)


def test_a_decision_that_nobody_touched_takes_effect(plan: IntentPlan, judge: User) -> None:
    held_by(plan, judge)
    settle()
    plan.refresh_from_db()
    assert plan.state == "approved"
    assert not AuditEntry.objects.filter(event="forged").exists()


def test_a_seal_is_not_made_changed_or_removed_by_the_application(plan: IntentPlan, judge: User) -> None:
    row = held_by(plan, judge)
    for change in ("UPDATE people_rowseal SET mac = ''", "DELETE FROM people_rowseal"):
        with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
            forge(change)
    copied = "INSERT INTO people_rowseal (model, row, number, mac) SELECT model, row, 2, mac FROM people_rowseal"
    forge(copied)
    assert not sealing.is_genuine(row), "a seal made for the first version fits no second one"


def test_verify_names_the_rows_whose_seals_do_not_fit(plan: IntentPlan, judge: User) -> None:
    row = held_by(plan, judge)
    out = io.StringIO()
    call_command("audit", "verify", stdout=out)
    assert "All sealed rows are genuine" in out.getvalue()
    forge("UPDATE review_helddecision SET verdict = 'reject'")
    with pytest.raises(CommandError, match=f"held decision {row.pk}"):
        call_command("audit", "verify", stdout=io.StringIO())
    assert RowSeal.objects.count() == 1
