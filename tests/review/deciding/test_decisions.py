"""Who may decide, what a decision leaves behind, and that exactly one of two wins."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from agents.models import Belief, Goal, IntentPlan, LogLine
from agents.record.errors import StaleDigest
from people.models import User
from people.roles import Role
from review.audit import decision_chain
from review.deciding import decisions
from review.errors import DecisionRefused, WordsRefused
from review.models import Approval, Comment, Decision
from tests.review.plans import goal_of, person, proposed

pytestmark = pytest.mark.django_db
Off = Callable[[str, str], AbstractContextManager[None]]
DECISION_GUARD = ("review_decision", "review_decision_is_append_only")


def nothing_happened(plan: IntentPlan) -> None:
    assert IntentPlan.objects.get(pk=plan.pk).state == "awaiting_review"
    assert Goal.objects.get(pk=plan.goal_id).state == "awaiting_review"
    assert not Decision.objects.exists()
    assert not Approval.objects.exists()
    assert not Comment.objects.exists()
    assert not LogLine.objects.filter(goal_id=plan.goal_id).exists()


def test_an_approval_holds_person_digest_envelope_and_decision(plan: IntentPlan, judge: User) -> None:
    decided = decisions.approve(plan, by=judge, digest=plan.digest, comment="Looks right", tries=4)
    assert decided.state == "approved"
    assert decided.approved_digest == plan.digest
    approval = Approval.objects.get(intent_plan=plan)
    assert (approval.by, approval.digest, approval.envelope) == (judge, plan.digest, {"tries": 4})
    assert approval.decision.verdict == "approve"
    assert approval.decision.comment == "Looks right"


def test_a_comment_given_with_an_approval_reaches_the_log(plan: IntentPlan, judge: User) -> None:
    decisions.approve(plan, by=judge, digest=plan.digest, comment="Watch the clock")
    assert LogLine.objects.filter(goal=plan.goal, text__contains="Watch the clock").exists()


def test_a_rejection_drops_the_goal_with_its_reason(plan: IntentPlan, judge: User) -> None:
    decisions.reject(plan, by=judge, digest=plan.digest, reason="Touches too much")
    goal = Goal.objects.get(pk=plan.goal_id)
    assert goal.state == "dropped"
    assert "Touches too much" in goal.reason
    assert not Approval.objects.exists()


def test_requested_changes_reach_the_agent_and_stay_as_a_comment(plan: IntentPlan, judge: User) -> None:
    decisions.request_changes(plan, by=judge, digest=plan.digest, comment="Use another folder")
    assert IntentPlan.objects.get(pk=plan.pk).state == "superseded"
    assert Goal.objects.get(pk=plan.goal_id).state == "pending"
    assert Belief.objects.get(goal=plan.goal).sentence == "Use another folder"
    assert Comment.objects.get(intent_plan=plan).state == "open"


@pytest.mark.parametrize("roles", [[Role.SUBMITTER], [Role.OPERATOR], [Role.DEVELOPER], []])
def test_only_a_reviewer_decides(plan: IntentPlan, roles: list[Role]) -> None:
    other = person("other", *roles)
    for decide in every_decision(plan, other):
        with pytest.raises(DecisionRefused, match="reviewer role"):
            decide()
    nothing_happened(plan)


def test_the_submitter_who_is_no_reviewer_may_not_approve_their_own(plan: IntentPlan, submitter: User) -> None:
    with pytest.raises(DecisionRefused):
        decisions.approve(plan, by=submitter, digest=plan.digest)
    nothing_happened(plan)


def test_an_inactive_reviewer_decides_nothing(plan: IntentPlan) -> None:
    gone = person("gone", Role.REVIEWER, is_active=False)
    with pytest.raises(DecisionRefused):
        decisions.approve(plan, by=gone, digest=plan.digest)
    nothing_happened(plan)


def test_under_four_eyes_nobody_decides_their_own_goal(judge: User, second_judge: User, settings: Any) -> None:
    settings.FOUR_EYES = True
    own = proposed(goal_of(judge))
    for decide in every_decision(own, judge):
        with pytest.raises(DecisionRefused, match="four eyes"):
            decide()
    nothing_happened(own)
    assert decisions.approve(own, by=second_judge, digest=own.digest).state == "approved"


def test_under_four_eyes_an_admin_is_no_exception(settings: Any) -> None:
    settings.FOUR_EYES = True
    admin = person("root", Role.ADMIN)
    own = proposed(goal_of(admin))
    with pytest.raises(DecisionRefused, match="four eyes"):
        decisions.approve(own, by=admin, digest=own.digest)
    nothing_happened(own)


def test_without_four_eyes_a_reviewer_may_decide_their_own(judge: User) -> None:
    own = proposed(goal_of(judge))
    assert decisions.approve(own, by=judge, digest=own.digest).state == "approved"


def every_decision(plan: IntentPlan, by: User) -> list[Callable[[], IntentPlan]]:
    return [
        lambda: decisions.approve(plan, by=by, digest=plan.digest),
        lambda: decisions.reject(plan, by=by, digest=plan.digest, reason="no"),
        lambda: decisions.request_changes(plan, by=by, digest=plan.digest, comment="other"),
    ]


@pytest.mark.parametrize("digest", ["", "0" * 64, "not a digest", "é" * 64, "\ud800", "A" * 10_000])
def test_any_digest_but_the_current_one_is_stale(digest: str, plan: IntentPlan, judge: User) -> None:
    with pytest.raises(StaleDigest):
        decisions.approve(plan, by=judge, digest=digest)
    with pytest.raises(StaleDigest):
        decisions.reject(plan, by=judge, digest=digest, reason="no")
    with pytest.raises(StaleDigest):
        decisions.request_changes(plan, by=judge, digest=digest, comment="other")
    nothing_happened(plan)


def test_the_digest_of_an_earlier_revision_is_stale(plan: IntentPlan, judge: User) -> None:
    newer = proposed(plan.goal)
    with pytest.raises(StaleDigest):
        decisions.approve(plan, by=judge, digest=plan.digest)
    with pytest.raises(StaleDigest):
        decisions.approve(newer, by=judge, digest=plan.digest)
    assert not Decision.objects.exists()


def test_a_document_that_does_not_fit_its_digest_is_never_approved(
    plan: IntentPlan, judge: User, without_guard: Off
) -> None:
    with without_guard("agents_intentplan", "intent_plan_immutable"):
        changed = bytes(plan.document).replace(b"first line", b"first lime")
        IntentPlan.objects.filter(pk=plan.pk).update(document=changed)
    with pytest.raises(DecisionRefused, match="not the one that was proposed"):
        decisions.approve(plan, by=judge, digest=plan.digest)
    nothing_happened(plan)


@pytest.mark.parametrize(
    "text", ["x" * 4001, "a\x00b", "a\x1b[31mb", "evil \u202e txt", "a\u2066b", "line\u2028break", "\x7f"]
)
def test_words_that_hide_or_flood_are_refused(text: str, plan: IntentPlan, judge: User) -> None:
    for decide in (
        lambda: decisions.approve(plan, by=judge, digest=plan.digest, comment=text),
        lambda: decisions.reject(plan, by=judge, digest=plan.digest, reason=text),
        lambda: decisions.request_changes(plan, by=judge, digest=plan.digest, comment=text),
    ):
        with pytest.raises(WordsRefused):
            decide()
    nothing_happened(plan)


@pytest.mark.parametrize("text", ["", "  \n "])
def test_a_rejection_needs_a_reason_and_changes_need_a_wish(text: str, plan: IntentPlan, judge: User) -> None:
    with pytest.raises(WordsRefused) as refused:
        decisions.reject(plan, by=judge, digest=plan.digest, reason=text)
    assert refused.value.field == "reason"
    with pytest.raises(WordsRefused) as refused:
        decisions.request_changes(plan, by=judge, digest=plan.digest, comment=text)
    assert refused.value.field == "comment"
    nothing_happened(plan)


def test_other_scripts_and_newlines_are_ordinary_words(plan: IntentPlan, judge: User) -> None:
    decisions.reject(plan, by=judge, digest=plan.digest, reason="שלום\r\nzu groß, 太大\tok")
    assert Decision.objects.get().comment == "שלום\nzu groß, 太大\tok"


@pytest.mark.parametrize("tries", [0, 6, -1, True, 10**9])
def test_an_envelope_outside_one_to_five_tries_is_refused(tries: int, plan: IntentPlan, judge: User) -> None:
    with pytest.raises(WordsRefused) as refused:
        decisions.approve(plan, by=judge, digest=plan.digest, tries=tries)
    assert refused.value.field == "tries"
    nothing_happened(plan)


def test_the_database_refuses_to_change_or_delete_a_decision(plan: IntentPlan, judge: User) -> None:
    decisions.approve(plan, by=judge, digest=plan.digest)
    for rows in (Decision.objects, Approval.objects):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            rows.update(digest="0" * 64)
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            rows.all()._raw_delete("default")


def several_decisions(submitter: User, judge: User) -> list[Decision]:
    for number in range(4):
        plan = proposed(goal_of(submitter, f"goal {number}"))
        if number % 2:
            decisions.approve(plan, by=judge, digest=plan.digest, comment=f"note {number}")
        else:
            decisions.reject(plan, by=judge, digest=plan.digest, reason=f"no {number}")
    return list(Decision.objects.order_by("pk"))


def test_verify_decisions_confirms_an_untouched_chain(submitter: User, judge: User) -> None:
    rows = several_decisions(submitter, judge)
    assert [row.previous_hash for row in rows[1:]] == [row.hash for row in rows[:-1]]
    out = StringIO()
    call_command("verify_decisions", stdout=out)
    assert out.getvalue().splitlines() == [
        f"4 decisions hold. Last hash: {rows[-1].hash}",
        "0 rows of typed commands hold. Last hash: none",
    ]


def test_verify_decisions_names_the_row_that_was_changed(submitter: User, judge: User, without_guard: Off) -> None:
    rows = several_decisions(submitter, judge)
    with without_guard(*DECISION_GUARD):
        Decision.objects.filter(pk=rows[2].pk).update(comment="something kinder")
    with pytest.raises(CommandError, match=f"Decision {rows[2].pk} does not hold"):
        call_command("verify_decisions")


def test_verify_decisions_names_the_row_after_a_removed_one(submitter: User, judge: User, without_guard: Off) -> None:
    rows = several_decisions(submitter, judge)
    with without_guard(*DECISION_GUARD):
        Decision.objects.filter(pk=rows[0].pk)._raw_delete("default")
    with pytest.raises(CommandError, match=f"Decision {rows[1].pk} does not hold: it does not follow"):
        call_command("verify_decisions")


def test_an_audit_notices_a_missing_and_a_forged_approval(submitter: User, judge: User, without_guard: Off) -> None:
    rows = several_decisions(submitter, judge)
    with without_guard("review_approval", "review_approval_is_append_only"):
        Approval.objects.filter(decision=rows[3]).update(mac="f" * 64)
        broken = decision_chain.walk().broken
        assert broken is not None
        assert (broken.row, "seal" in broken.reason) == (rows[3].pk, True)
        Approval.objects.filter(decision=rows[1])._raw_delete("default")
        broken = decision_chain.walk().broken
        assert broken is not None
        assert (broken.row, "missing" in broken.reason) == (rows[1].pk, True)


@pytest.mark.django_db(transaction=True)
def test_of_two_decisions_at_one_moment_one_wins_and_the_other_is_told_who() -> None:
    owner = person("owner", Role.SUBMITTER)
    reviewers = [person("anna", Role.REVIEWER), person("ben", Role.REVIEWER)]
    for turn in range(5):
        plan = proposed(goal_of(owner, f"goal {turn}"))
        outcomes = at_once(
            partial(decisions.approve, plan, by=reviewers[0], digest=plan.digest),
            partial(decisions.reject, plan, by=reviewers[1], digest=plan.digest, reason="no"),
        )
        won = [outcome for outcome in outcomes if isinstance(outcome, IntentPlan)]
        lost = [outcome for outcome in outcomes if isinstance(outcome, StaleDigest)]
        assert len(won) == len(lost) == 1, outcomes
        winner = Decision.objects.get(intent_plan=plan).by
        assert winner.username in str(lost[0])
    assert decision_chain.walk().broken is None


@pytest.mark.django_db(transaction=True)
def test_decisions_on_different_plans_at_one_moment_make_one_chain() -> None:
    owner, reviewer = person("owner", Role.SUBMITTER), person("anna", Role.REVIEWER)
    plans = [proposed(goal_of(owner, f"goal {number}")) for number in range(6)]
    outcomes = at_once(*(partial(decisions.approve, plan, by=reviewer, digest=plan.digest) for plan in plans))
    assert [getattr(outcome, "state", outcome) for outcome in outcomes] == ["approved"] * 6
    found = decision_chain.walk()
    assert (found.rows, found.broken) == (6, None)


def at_once(*calls: Callable[[], object]) -> list[object]:
    """Call all of them in threads that start together; what each returned or raised."""
    barrier, results = threading.Barrier(len(calls)), [None] * len(calls)  # type: tuple[threading.Barrier, list[Any]]

    def run(at: int, call: Callable[[], object]) -> None:
        try:
            barrier.wait(timeout=60)
            results[at] = call()
        except Exception as error:  # the test asserts on whatever came
            results[at] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(at, call)) for at, call in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    return results
