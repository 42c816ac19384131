"""The gate lets exactly the approved bytes through, and says why when it does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.models import IntentPlan
from agents.record import gate as plan_gate
from agents.record import prepared
from people.models import User
from review.audit import approval_seal
from review.audit.decision_chain import grant_of
from review.deciding import decisions, gate
from review.models import Approval
from tests.review.plans import WRITE, goal_of, proposed

pytestmark = pytest.mark.django_db
Off = Callable[[str, str], AbstractContextManager[None]]
APPROVAL_GUARD = ("review_approval", "review_approval_is_append_only")
DOCUMENT_GUARD = ("agents_intentplan", "intent_plan_immutable")


@pytest.fixture
def approved(plan: IntentPlan, judge: User) -> IntentPlan:
    return decisions.approve(plan, by=judge, digest=plan.digest, tries=2)


def fresh(plan: IntentPlan) -> IntentPlan:
    return IntentPlan.objects.get(pk=plan.pk)


def refused_because(plan: IntentPlan, words: str) -> None:
    verdict = gate.check(fresh(plan))
    assert not verdict.allowed
    assert words in verdict.reason


def test_an_approved_plan_may_run_with_the_tries_that_were_granted(approved: IntentPlan) -> None:
    verdict = gate.check(fresh(approved))
    assert verdict.allowed
    assert verdict.tries == 2
    assert "Jo Lindt" in verdict.reason


def test_each_step_of_the_approved_document_may_run_and_no_other(approved: IntentPlan) -> None:
    step = json.loads(bytes(approved.document))["intents"][1]
    assert gate.check(approved, step).allowed
    changed = {**step, "params": {**step["params"], "content": "something else"}}
    verdict = gate.check(approved, changed)
    assert not verdict.allowed
    assert "not in the approved document" in verdict.reason
    assert not gate.check(approved, {"position": object()}).allowed


def test_what_was_read_with_the_claim_answers_as_what_the_gate_reads(approved: IntentPlan, plan: IntentPlan) -> None:
    asked = plan_gate.reads("plan.goal_id = %(goal)s AND plan.state = 'approved'")
    read = prepared.together([(each, {"goal": approved.goal_id}) for each in asked])
    assert gate.check(fresh(approved), None, read) == gate.check(fresh(approved))
    with CaptureQueriesContext(connection) as caught:
        gate.check(fresh(approved), None, read)
    assert not [each for each in caught.captured_queries if "review_" in each["sql"]], "and it is not read again"


def test_what_was_read_of_another_plan_lets_nothing_through(approved: IntentPlan, judge: User) -> None:
    other = proposed(goal_of(judge), [WRITE])
    decisions.approve(other, by=judge, digest=other.digest)
    read = prepared.together([(each, {"plan": other.pk}) for each in plan_gate.reads("plan.id = %(plan)s")])
    assert gate.check(fresh(other), None, read).allowed
    assert not gate.check(fresh(approved), None, read).allowed
    assert not gate.check(fresh(approved), None, [None, None]).allowed, "nor when there is nothing"


def test_a_plan_nobody_approved_may_not_run(plan: IntentPlan) -> None:
    refused_because(plan, "nobody has approved")


def test_one_changed_byte_of_the_document_stops_it(approved: IntentPlan, without_guard: Off) -> None:
    with without_guard(*DOCUMENT_GUARD):
        changed = bytes(approved.document).replace(b"first line", b"first lime")
        IntentPlan.objects.filter(pk=approved.pk).update(document=changed)
    refused_because(approved, "its bytes have changed")


def test_a_document_and_digest_changed_together_are_not_what_was_approved(
    approved: IntentPlan, without_guard: Off
) -> None:
    other = proposed(goal_of(approved.goal.submitted_by, "Another"))
    with without_guard(*DOCUMENT_GUARD):
        IntentPlan.objects.filter(pk=approved.pk).update(
            document=other.document, digest=other.digest, approved_digest=other.digest
        )
    refused_because(approved, "not the one that was approved")


def test_a_forged_approval_does_not_count(approved: IntentPlan, judge: User, without_guard: Off) -> None:
    with without_guard(*APPROVAL_GUARD):
        Approval.objects.filter(intent_plan=approved).update(mac="0" * 64)
    refused_because(approved, "seal")


@pytest.mark.parametrize("field", ["by", "envelope", "at"])
def test_no_field_of_an_approval_can_be_changed(
    field: str, approved: IntentPlan, second_judge: User, without_guard: Off
) -> None:
    changed = {"by": second_judge, "envelope": {"tries": 5}, "at": approved.approval.at + timedelta(seconds=1)}
    with without_guard(*APPROVAL_GUARD):
        Approval.objects.filter(intent_plan=approved).update(**{field: changed[field]})
    refused_because(approved, "seal")


def test_the_approval_of_another_plan_does_not_count(approved: IntentPlan, submitter: User, without_guard: Off) -> None:
    other = proposed(goal_of(submitter, "Another goal"))
    IntentPlan.objects.filter(pk=other.pk).update(approved_digest=other.digest)
    with without_guard(*APPROVAL_GUARD):
        Approval.objects.filter(intent_plan=approved).update(intent_plan=other, digest=other.digest)
    refused_because(other, "seal")
    refused_because(approved, "nobody has approved")


def test_an_approval_made_with_another_key_does_not_count(approved: IntentPlan, without_guard: Off) -> None:
    forged = approval_seal.mac_of(grant_of(approved.approval), settings.APPROVAL_KEY + "x")
    with without_guard(*APPROVAL_GUARD):
        Approval.objects.filter(intent_plan=approved).update(mac=forged)
    refused_because(approved, "seal")


def test_who_approved_must_still_be_active(approved: IntentPlan, judge: User) -> None:
    User.objects.filter(pk=judge.pk).update(is_active=False)
    refused_because(approved, "no longer active")
