"""Who means to decide a plan: taken, given, told, and nobody kept from deciding by it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from agents.models import IntentPlan
from agents.record.errors import NotPossibleNow
from people.journal import Event
from people.models import User
from review.deciding import decisions
from review.errors import DecisionRefused
from review.models import AuditEntry, Decision, Notice, NoticeKind, QueueEntry
from review.queue import assigning, listing
from review.reading import journal_lines
from tests.review.plans import goal_of, proposed

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]


def test_a_reviewer_takes_a_plan_and_it_is_shown_and_in_the_journal(
    plan: IntentPlan, judge: User, second_judge: User, client_of: ClientOf
) -> None:
    client = client_of(judge)
    client.post("/review/assign/", {"plan": plan.pk, "to": "me", "back": "/review/"})
    assert QueueEntry.objects.get(pk=plan.pk).assigned_to == judge
    assert "assigned to you" in client.get("/review/").content.decode()
    other = client_of(second_judge)
    assert "assigned to Jo Lindt" in other.get("/review/").content.decode()
    assert "assigned to <strong>Jo Lindt" in other.get(f"/review/{plan.pk}/").content.decode()
    entry = AuditEntry.objects.get(event=Event.ASSIGNED)
    assert (entry.by, entry.subject) == (judge, f"plan:{plan.pk}")
    assert journal_lines.sentence(entry.event, entry.subject, entry.data) == f"assigned plan {plan.pk} to jo"
    assert not Notice.objects.exists()


def test_whom_it_is_given_to_is_told_and_nobody_is_kept_from_deciding(
    plan: IntentPlan, judge: User, second_judge: User, keeper: User
) -> None:
    assigning.assign(plan, second_judge, by=judge)
    notice = Notice.objects.get()
    assert (notice.user, notice.kind) == (second_judge, NoticeKind.ASSIGNED)
    assigning.assign(plan, None, by=second_judge)
    Notice.objects.update(read_at=notice.at)
    assigning.assign(plan, second_judge, by=judge)
    assert Notice.objects.get().read_at is None
    decisions.reject(plan, by=keeper, digest=plan.digest, reason="no")
    assert Decision.objects.get().by == keeper


def test_only_reviewers_give_and_only_those_who_may_decide_are_given(
    plan: IntentPlan, submitter: User, judge: User, stranger: User, client_of: ClientOf, settings: Any
) -> None:
    with pytest.raises(DecisionRefused, match="reviewer role"):
        assigning.assign(plan, judge, by=submitter)
    with pytest.raises(DecisionRefused, match="may not decide"):
        assigning.assign(plan, stranger, by=judge)
    assert client_of(submitter).post("/review/assign/", {"plan": plan.pk, "to": "me"}).status_code == 403
    settings.FOUR_EYES = True
    mine = proposed(goal_of(judge, "mine"))
    with pytest.raises(DecisionRefused, match="four eyes"):
        assigning.assign(mine, judge, by=judge)
    assert not QueueEntry.objects.exclude(assigned_to=None).exists()
    assert not AuditEntry.objects.filter(event=Event.ASSIGNED).exists()


def test_what_waits_no_more_is_given_to_nobody(plan: IntentPlan, judge: User, client_of: ClientOf) -> None:
    decisions.reject(plan, by=judge, digest=plan.digest, reason="no")
    with pytest.raises(NotPossibleNow):
        assigning.assign(plan, judge, by=judge)
    text = client_of(judge).post("/review/assign/", {"plan": plan.pk, "to": "me"}, follow=True).content.decode()
    assert "is no longer waiting for review" in text


def test_the_next_revision_comes_to_whoever_had_the_one_before(plan: IntentPlan, judge: User) -> None:
    assigning.assign(plan, judge, by=judge)
    revision = proposed(plan.goal)
    assert QueueEntry.objects.get(pk=revision.pk).assigned_to == judge


def test_several_are_given_on_a_page_without_scripts(
    submitter: User, judge: User, second_judge: User, client_of: ClientOf
) -> None:
    plans = [proposed(goal_of(submitter, f"goal {n}")) for n in range(2)]
    client = client_of(judge)
    page = client.get("/review/assign/", {"plan": [plan.pk for plan in plans]}).content.decode()
    assert 'value="kai"' in page
    assert 'value="sue"' not in page
    client.post("/review/assign/", {"plan": [plan.pk for plan in plans], "to": "kai"})
    assert QueueEntry.objects.filter(assigned_to=second_judge).count() == 2


@pytest.mark.parametrize("sent", [{"to": "me"}, {"plan": "x", "to": "me"}, {"plan": "1", "to": "nobody-here"}])
def test_what_nobody_could_have_sent_changes_nothing(
    sent: dict[str, str], plan: IntentPlan, judge: User, client_of: ClientOf
) -> None:
    sent = {**sent, "plan": str(plan.pk)} if sent.get("plan") == "1" else sent
    answer = client_of(judge).post("/review/assign/", {**sent, "back": "https://elsewhere.example/"})
    assert answer["Location"] == "/review/"
    assert not QueueEntry.objects.exclude(assigned_to=None).exists()


def test_a_tab_counts_what_is_mine(plan: IntentPlan, judge: User, client_of: ClientOf) -> None:
    assigning.assign(plan, judge, by=judge)
    text = client_of(judge).get("/review/?assigned=me").content.decode()
    assert 'Assigned to me <span class="count count-person">1</span>' in text
    assert [row.plan for row in listing.page(judge, None)[0]] == [plan]
