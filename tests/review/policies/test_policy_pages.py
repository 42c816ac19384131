"""The pages of policies: who may read and write them, what they show, and that nothing in them acts by itself."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agents.models import IntentPlan
from people.models import User
from review.deciding import auto_approval, decisions
from review.models import QueueEntry, ReviewPolicy
from review.policies import writing
from review.policy.verdict import Action
from tests.review.some_policies import draft, in_force

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
FORM = {"name": "no removing", "action": "forbid", "commands": "rm\r\nmv\r\n", "note": "first"}


def approving(**also: Any) -> dict[str, Any]:
    day = (timezone.now() + timedelta(days=3)).date().isoformat()
    form = {"name": "notes pass", "action": "auto_approve", "tools": "simple_coder", "budget": "2", "expires_on": day}
    return form | {"sampling_percent": "10", "shadow_clean": "on"} | also


@pytest.fixture
def policy(keeper: User) -> ReviewPolicy:
    return writing.write(draft(Action.FORBID, "<b>hostile</b>\u00a0name", commands=["rm"]), by=keeper)


@pytest.mark.parametrize("path", ["/review/policies/", "/review/policies/{}/"])
def test_reviewers_and_operators_read_and_nobody_else(
    path: str, policy: ReviewPolicy, judge: User, operator: User, submitter: User, client_of: ClientOf
) -> None:
    address = path.format(policy.pk)
    assert client_of(judge).get(address).status_code == 200
    assert client_of(operator).get(address).status_code == 200
    assert client_of(submitter).get(address).status_code == 403
    page = client_of(judge).get(address).content.decode()
    assert "&lt;b&gt;hostile&lt;/b&gt;" in page
    assert "<b>hostile" not in page
    assert "Write a policy" not in page


@pytest.mark.parametrize("path", ["new/", "{}/edit/", "{}/replay/", "{}/enable/", "{}/suspend/", "{}/retire/"])
def test_a_reviewer_alone_writes_nothing(path: str, policy: ReviewPolicy, judge: User, client_of: ClientOf) -> None:
    answer = client_of(judge).post(f"/review/policies/{path.format(policy.pk)}", FORM)
    assert answer.status_code == 403
    policy.refresh_from_db()
    assert (policy.state, policy.number, policy.replayed, ReviewPolicy.objects.count()) == ("draft", 1, 0, 1)


def test_a_policy_is_written_replayed_and_enabled(operator: User, client_of: ClientOf) -> None:
    client = client_of(operator)
    assert client.post("/review/policies/new/", FORM).status_code == 302
    policy = ReviewPolicy.objects.get()
    assert policy.versions.get().conditions == {"commands": ["mv", "rm"]}
    address = f"/review/policies/{policy.pk}/"
    assert "Enable version" not in client.get(address).content.decode()
    refused = client.post(f"{address}enable/", {"version": "1"}, follow=True)
    assert "Replay this version" in refused.content.decode()
    assert "Enable version 1" in client.post(f"{address}replay/", follow=True).content.decode()
    # Python calls “²” a digit, and it is no number.
    assert client.post(f"{address}enable/", {"version": "²"}, follow=True).status_code == 200
    assert "is enabled." in client.post(f"{address}enable/", {"version": "1"}, follow=True).content.decode()
    policy.refresh_from_db()
    assert policy.state == "enabled"
    client.post(f"{address}edit/", FORM | {"commands": "rm"})
    policy.refresh_from_db()
    assert (policy.number, policy.state) == (2, "draft")
    assert "Version 1: forbid" in client.get(address).content.decode()
    assert client.post(f"{address}explode/").status_code == 404
    assert client.get(f"{address}replay/").status_code == 405


def test_what_goes_to_a_model_is_a_condition_of_the_page(operator: User, client_of: ClientOf) -> None:
    client = client_of(operator)
    client.post("/review/policies/new/", {"name": "none leaves", "action": "require_two", "asks_model": "on"})
    policy = ReviewPolicy.objects.get()
    assert policy.versions.get().conditions == {"asks_model": True}
    page = client.get(f"/review/policies/{policy.pk}/edit/").content.decode()
    assert 'name="asks_model" checked' in page


@pytest.mark.parametrize(
    ("form", "words"),
    [
        (FORM | {"name": ""}, "required"),
        (FORM | {"paths": "\n".join(str(number) for number in range(40))}, "up to 32 entries"),
        (FORM | {"action": "let"}, "valid choice"),
        (FORM | {"risk_at_most": "low"}, "at least"),
        (approving(budget=""), "1 to 1,000 plans a day"),
        (approving(expires_on=""), "within the next 365"),
        (approving(expires_on="2020-01-01"), "within the next 365"),
        (approving(tools="", shadow_clean=""), "at least one condition"),
        (approving(sampling_percent="101"), "less than or equal to 100"),
    ],
)
def test_what_is_wrong_stands_under_its_field_and_what_was_typed_stays(
    form: dict[str, Any],
    words: str,
    keeper: User,
    client_of: ClientOf,
) -> None:
    answer = client_of(keeper).post("/review/policies/new/", form)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert words in page
    assert "Not saved." in page
    assert not ReviewPolicy.objects.exists()


def test_one_name_is_one_policy(policy: ReviewPolicy, operator: User, client_of: ClientOf) -> None:
    answer = client_of(operator).post("/review/policies/new/", FORM | {"name": policy.name})
    assert (answer.status_code, "with this name already exists" in answer.content.decode()) == (422, True)


def test_the_list_shows_use_against_the_budget(keeper: User, client_of: ClientOf) -> None:
    policy = in_force(Action.AUTO_APPROVE, keeper, tools=["simple_coder"])
    auto_approval.spend(policy.versions.get())
    page = client_of(keeper).get("/review/policies/?history=1").content.decode()
    assert "<strong>1</strong> of 3 today" in page
    assert "No kind of plan was approved" in page


def test_the_plan_page_shows_risk_policies_and_the_first_of_two_approvals(
    plan: IntentPlan,
    judge: User,
    second_judge: User,
    keeper: User,
    client_of: ClientOf,
) -> None:
    auto_approval.look(plan.pk)
    in_force(Action.REQUIRE_TWO, keeper, "two for writing", commands=["write"])
    client, address = client_of(judge), plan.get_absolute_url()
    page = client.get(address).content.decode()
    assert "Two people must approve this." in page
    assert "two for writing" in page
    assert 'data-r="unknown"' in page
    assert "fewer than 10 cases so far" in page
    client.post(f"{address}decide/", {"digest": plan.digest, "verdict": "approve", "tries": "3"})
    page = client.get(address).content.decode()
    assert "1 of 2 approvals" in page
    assert "Withdraw my approval" in page
    assert "Withdraw my approval" not in client_of(second_judge).get(address).content.decode()
    client.post(f"{address}withdraw/", {"digest": plan.digest})
    assert "Two people must approve this." in client.get(address).content.decode()
    decisions.approve(plan, by=second_judge, digest=plan.digest)
    assert "1 of 2 approvals" in client.get(address).content.decode()
    decisions.approve(plan, by=judge, digest=plan.digest)
    page = client.get(address).content.decode()
    assert "This plan is approved" in page
    for words in ("1 of 2 approvals", "Withdraw my approval", "Two people must"):
        assert words not in page, "both have approved it"
    assert client.get(f"{address}withdraw/").status_code == 405


def test_a_plan_that_waits_for_the_second_person_is_completed_on_its_page(
    plan: IntentPlan,
    judge: User,
    second_judge: User,
    keeper: User,
    client_of: ClientOf,
) -> None:
    decisions.approve(plan, by=judge, digest=plan.digest)
    in_force(Action.REQUIRE_TWO, keeper, commands=["write"])
    address = plan.get_absolute_url()
    assert "Approve as the second person" not in client_of(judge).get(address).content.decode()
    assert "Approve as the second person" in client_of(second_judge).get(address).content.decode()
    stale = client_of(second_judge).post(f"{address}second/", {"digest": "0" * 64}, follow=True)
    assert "not the digest" in stale.content.decode()
    done = client_of(second_judge).post(f"{address}second/", {"digest": plan.digest}, follow=True).content.decode()
    assert "Approved by two people" in done
    assert "Approved as the second of two" in done


def test_the_queue_shows_the_risk_of_each_plan(plan: IntentPlan, judge: User, client_of: ClientOf) -> None:
    auto_approval.look(plan.pk)
    QueueEntry.objects.update(rank=0)  # the queue keeps the risk in rows of its own
    assert 'data-r="high"' in client_of(judge).get("/review/").content.decode()
