"""A decision of the browser is held for some seconds: it can be taken back, and it is checked when it counts."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.db import connections, transaction
from django.test import Client
from django.utils import timezone

from agents.goals import goals
from agents.models import Goal, IntentPlan, Transition
from agents.pages.goals import goal_page
from agents.record.errors import StaleDigest
from people.models import User
from review.deciding import decisions, editing, holding
from review.deciding.ruling import Ruling
from review.errors import WordsRefused
from review.models import Approval, Decision, HeldDecision

pytestmark = pytest.mark.django_db(transaction=True)
ClientOf = Callable[[User], Client]
STEPS: tuple[dict[str, Any], ...] = (
    {"tool": "simple_coder", "command": "mkdir", "params": {"path": "a"}},
    {"tool": "simple_coder", "command": "mkdir", "params": {"path": "b"}},
)


@pytest.fixture(autouse=True)
def _held(settings: Any) -> None:
    settings.HOLD_S = 600


@pytest.fixture
def plan(owner: User, propose_plan: Callable[..., IntentPlan]) -> IntentPlan:
    """Two steps that stand alone."""
    return propose_plan(owner, STEPS)


def decide(client: Client, plan: IntentPlan, verdict: str = "approve", **fields: Any) -> Any:
    return client.post(f"/review/{plan.pk}/decide/", {"digest": plan.digest, "verdict": verdict, **fields})


def words_of(response: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", "", response.content.decode())).split())


def come_due() -> None:
    HeldDecision.objects.update(due_at=timezone.now() - timedelta(seconds=1))


def state_of(plan: IntentPlan) -> str:
    return IntentPlan.objects.get(pk=plan.pk).state


def test_nothing_is_decided_before_its_time_and_all_of_it_then(
    plan: IntentPlan, reviewer: User, client_of: ClientOf
) -> None:
    assert decide(client_of(reviewer), plan, tries="2").status_code == 302
    assert holding.settle_due() == 0
    assert (state_of(plan), Decision.objects.count()) == ("awaiting_review", 0)
    come_due()
    holding.settle_due()
    assert state_of(plan) == "approved"
    assert Approval.objects.get().envelope == {"tries": 2}
    assert not HeldDecision.objects.exists()
    assert holding.settle_due() == 0


def test_the_database_says_when_it_is_due(plan: IntentPlan, reviewer: User, client_of: ClientOf) -> None:
    decide(client_of(reviewer), plan)
    left = (HeldDecision.objects.get().due_at - timezone.now()).total_seconds()
    assert 590 < left <= 600


def test_the_next_page_says_what_is_held_and_has_the_way_back(
    plan: IntentPlan, reviewer: User, client_of: ClientOf
) -> None:
    client = client_of(reviewer)
    decide(client, plan)
    held = HeldDecision.objects.get()
    toast = f"Goal {plan.goal_id}, “{plan.goal.text}”: approved, starts in"
    for address, said in (("/", toast), ("/review/", toast), (plan.get_absolute_url(), "You decided this: approved.")):
        page = client.get(address)
        assert said in words_of(page)
        assert f"/review/{plan.pk}/held/{held.pk}/undo/" in page.content.decode()
    undone = client.post(f"/review/{plan.pk}/held/{held.pk}/undo/")
    assert undone.headers["Location"] == plan.get_absolute_url()
    come_due()
    assert holding.settle_due() == 0
    assert (state_of(plan), Decision.objects.count()) == ("awaiting_review", 0)
    assert "approved, starts in" not in words_of(client.get("/"))


@pytest.mark.parametrize(
    ("verdict", "fields", "said"),
    [
        ("approve", {}, "approved by {}, starts in"),
        ("approve", {"ticks": "2", "intents": ["2"], "part_reason": "no a"}, "step 2 approved by {}, starts in"),
        ("reject", {"reason": "no"}, "rejected by {}, takes effect in"),
        ("request-changes", {"comment": "no a"}, "sent back by {}, takes effect in"),
    ],
)
def test_the_goal_says_who_decided_and_when_it_counts(
    plan: IntentPlan,
    owner: User,
    reviewer: User,
    admin: User,
    client_of: ClientOf,
    verdict: str,
    fields: dict[str, Any],
    said: str,
) -> None:
    before = goal_page.signature(plan.goal_id)
    decide(client_of(reviewer), plan, verdict, **fields)
    assert goal_page.signature(plan.goal_id) != before, "a live page is told of it"
    address = f"/goals/{plan.goal_id}/"
    for person, name in ((reviewer, "you"), (admin, "Rita Holm"), (owner, "Rita Holm")):
        page = client_of(person).get(address)
        assert said.format(name) in words_of(page)
        assert "awaiting review" not in words_of(page)
        assert "Review the plan" not in words_of(page)
        assert ('id="goal-undo"' in page.content.decode()) == (person == reviewer)
        assert 'class="toast"' not in page.content.decode(), "said once, where it stands"
    held = HeldDecision.objects.get()
    mine = client_of(reviewer).get(address).content.decode()
    assert re.search(rf'action="/review/{plan.pk}/held/{held.pk}/undo/".*?<button[^>]* data-key="z"', mine, re.DOTALL)
    assert f"Undo the decision on goal {plan.goal_id}" in words_of(client_of(reviewer).get(address))
    undone = client_of(reviewer).post(f"/review/{plan.pk}/held/{held.pk}/undo/", follow=True)
    assert f"Undone. Goal {plan.goal_id} awaits a decision again." in words_of(undone)
    assert goal_page.signature(plan.goal_id) == before
    assert "awaiting review" in words_of(client_of(reviewer).get(address))


def test_what_took_effect_is_not_taken_back(plan: IntentPlan, reviewer: User, client_of: ClientOf) -> None:
    client = client_of(reviewer)
    decide(client, plan)
    held = HeldDecision.objects.get()
    come_due()
    holding.settle_due()
    page = client.post(f"/review/{plan.pk}/held/{held.pk}/undo/", follow=True)
    assert "has taken effect" in words_of(page)
    assert state_of(plan) == "approved"
    address = f"/review/{plan.pk}/held/{held.pk}/"
    assert f"Goal {plan.goal_id} is approved, starting …" in words_of(client.get(address))
    Transition.objects.filter(new="approved").update(at=timezone.now() - timedelta(seconds=9))
    assert "workers are behind: 2 turns wait" in words_of(client.get(address)), "the plan, and its dry run"
    plan.shadow_runs.all().delete()
    assert "no worker has taken it up yet" in words_of(client.get(address))
    IntentPlan.objects.filter(pk=plan.pk).update(state="executing")
    assert "has taken effect" in words_of(client.get(address))


def test_nobody_takes_back_what_another_one_decided(
    plan: IntentPlan, reviewer: User, admin: User, outsider: User, client_of: ClientOf
) -> None:
    decide(client_of(reviewer), plan)
    address = f"/review/{plan.pk}/held/{HeldDecision.objects.get().pk}/undo/"
    client_of(admin).post(address)
    assert client_of(outsider).post(address).status_code == 404
    assert client_of(reviewer).get(address).status_code == 405
    assert HeldDecision.objects.count() == 1


@pytest.mark.parametrize(
    ("verdict", "fields", "status"),
    [
        ("reject", {"reason": ""}, 422),
        ("request-changes", {"comment": ""}, 422),
        ("approve", {"tries": "99"}, 422),
        ("approve", {"digest": "0" * 64}, 409),
        ("approve", {"ticks": "2", "intents": ["1"], "part_reason": ""}, 422),
        ("whatever", {}, 422),
    ],
)
def test_what_would_be_refused_then_is_refused_now(
    plan: IntentPlan, reviewer: User, client_of: ClientOf, verdict: str, fields: dict[str, Any], status: int
) -> None:
    response = client_of(reviewer).post(
        f"/review/{plan.pk}/decide/", {"digest": plan.digest, "verdict": verdict, **fields}
    )
    assert response.status_code == status
    assert not HeldDecision.objects.exists()
    assert not Decision.objects.exists()


def test_who_may_not_decide_holds_nothing(plan: IntentPlan, owner: User, client_of: ClientOf) -> None:
    assert decide(client_of(owner), plan).status_code == 403
    assert not HeldDecision.objects.exists()


def test_a_part_is_held_and_then_approved(plan: IntentPlan, reviewer: User, client_of: ClientOf) -> None:
    decide(client_of(reviewer), plan, ticks="2", intents=["2"], part_reason="not a", rest="drop")
    assert Goal.objects.get(pk=plan.goal_id).intent_plans.count() == 1, "the rehearsal leaves nothing behind"
    come_due()
    holding.settle_due()
    part = Approval.objects.get().intent_plan
    assert (part.revision, part.rest, part.left_out[0]["reason"]) == (2, "drop", "not a")


def test_the_page_of_what_one_decided_oneself_says_so_and_undoes_it(
    plan: IntentPlan, reviewer: User, client_of: ClientOf
) -> None:
    client = client_of(reviewer)
    decide(client, plan)
    page = client.get(plan.get_absolute_url())
    text = page.content.decode()
    assert "You decided this: approved" in words_of(page)
    assert re.search(r'<form class="decision"[^>]* hidden>', text), "there is nothing left to decide"
    assert 'data-s="awaiting_review"' not in text.split('id="plan-state"')[1].split("</span>")[0]
    (undo,) = re.findall(r'action="(/review/\d+/held/\d+/undo/)"', text)
    assert "csrfmiddlewaretoken" in text.split(undo)[1].split("</form>")[0]
    assert text.count('data-key="z"') == 1, "one button has the key"
    client.post(undo)
    after = client.get(plan.get_absolute_url())
    assert "You decided this" not in words_of(after)
    assert not re.search(r'<form class="decision"[^>]* hidden>', after.content.decode())


def test_two_people_at_once_the_second_one_sees_who_was_first(
    plan: IntentPlan, reviewer: User, admin: User, client_of: ClientOf
) -> None:
    decide(client_of(reviewer), plan)
    other = client_of(admin)
    page = other.get(plan.get_absolute_url())
    assert "Rita Holm was first: Plan" in words_of(page)
    assert re.search(r'<form class="decision"[^>]* hidden>', page.content.decode())
    late = decide(other, plan, "reject", reason="no")
    assert late.status_code == 409
    assert "Rita Holm was first" in words_of(late)
    with pytest.raises(StaleDigest, match="Rita Holm was first"):
        decisions.approve(plan, by=admin, digest=plan.digest, via="api")
    with pytest.raises(StaleDigest, match="Rita Holm was first"):
        editing.edit(plan, by=admin, digest=plan.digest, position=1, params={"path": "c"})
    come_due()
    holding.settle_due()
    assert [(one.verdict, one.by) for one in Decision.objects.all()] == [("approve", reviewer)]


def test_an_open_page_learns_who_is_about_to_decide_and_that_it_was_taken_back(
    plan: IntentPlan, reviewer: User, admin: User, client_of: ClientOf
) -> None:
    other = client_of(admin)
    address = f"/review/{plan.pk}/standing/"
    assert other.get(address, {"state": "awaiting_review"}).status_code == 204
    decide(client_of(reviewer), plan)
    told = other.get(address, {"state": "awaiting_review"})
    assert "Rita Holm was first" in words_of(told)
    seen = re.search(r'data-state="([^"]+)"', told.content.decode())
    assert seen is not None
    assert other.get(address, {"state": seen[1]}).status_code == 204
    holding.undo(HeldDecision.objects.get().pk, plan, by=reviewer)
    back = other.get(address, {"state": seen[1]})
    assert 'data-state="awaiting_review"' in back.content.decode()


def test_two_people_at_the_same_moment_hold_one_decision(plan: IntentPlan, reviewer: User, admin: User) -> None:
    start, told = threading.Barrier(2), []

    def one(user: User) -> None:
        start.wait()
        try:
            holding.decide(plan, Ruling("approve", plan.digest), by=user)
        except StaleDigest as error:
            told.append(str(error))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=one, args=(user,)) for user in (reviewer, admin)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert HeldDecision.objects.count() == 1
    assert len(told) == 1
    assert "was first" in told[0]


def test_a_newer_decision_of_the_same_person_takes_the_place_of_the_pending_one(
    plan: IntentPlan, reviewer: User, client_of: ClientOf
) -> None:
    decide(client_of(reviewer), plan)
    decide(client_of(reviewer), plan, "reject", reason="on second thought")
    come_due()
    holding.settle_due()
    assert [(one.verdict, one.comment) for one in Decision.objects.all()] == [("reject", "on second thought")]


def test_the_pending_item_stays_after_the_run_was_cancelled_elsewhere(
    plan: IntentPlan, owner: User, reviewer: User, client_of: ClientOf
) -> None:
    """The trap: the plan leaves the queue at once, and who had decided is told that it no longer counts."""
    client = client_of(reviewer)
    decide(client, plan)
    goals.cancel(plan.goal, by=owner)
    assert str(plan.get_absolute_url()) not in client.get("/review/").content.decode().split('id="toasts"')[0]
    come_due()
    holding.settle_due()
    assert not Decision.objects.exists()
    page = client.get("/")
    assert f"Your decision on plan {plan.pk} was dropped." in words_of(page)
    assert f"already cancelled by {owner.username}" in words_of(page)
    client.post(f"/review/{plan.pk}/held/{HeldDecision.objects.get().pk}/undo/")
    assert "was dropped" not in words_of(client.get("/"))


@pytest.mark.parametrize("change", ["roles", "is_active", "four_eyes"])
def test_rights_are_those_of_the_moment_when_it_counts(
    plan: IntentPlan, reviewer: User, client_of: ClientOf, settings: Any, change: str
) -> None:
    decide(client_of(reviewer), plan)
    if change == "roles":
        User.objects.filter(pk=reviewer.pk).update(roles=["submitter"])
    elif change == "is_active":
        User.objects.filter(pk=reviewer.pk).update(is_active=False)
    else:
        settings.FOUR_EYES = True
        Goal.objects.filter(pk=plan.goal_id).update(submitted_by=reviewer)
    come_due()
    holding.settle_due()
    assert (state_of(plan), Decision.objects.count()) == ("awaiting_review", 0)
    assert HeldDecision.objects.get().dropped


def test_a_fault_in_one_does_not_keep_the_others_and_is_tried_again(
    owner: User, reviewer: User, propose_plan: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = propose_plan(owner, STEPS), propose_plan(owner, STEPS)
    for one in (bad, good):
        holding.decide(one, Ruling("approve", one.digest), by=reviewer)
    come_due()
    approve = decisions.approve

    def faulty(plan: IntentPlan, **also: Any) -> IntentPlan:
        if plan.pk == bad.pk:
            raise RuntimeError("the disk is gone")
        return approve(plan, **also)

    with monkeypatch.context() as broken:
        broken.setattr(decisions, "approve", faulty)
        assert holding.settle_due() == 2
    assert (state_of(bad), state_of(good)) == ("awaiting_review", "approved")
    holding.settle_due()
    assert state_of(bad) == "approved"


def test_what_fails_for_a_minute_ends_with_the_person_who_decided(
    plan: IntentPlan, reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(*_: Any, **__: Any) -> None:
        raise RuntimeError("a fault")

    holding.decide(plan, Ruling("approve", plan.digest), by=reviewer)
    monkeypatch.setattr(decisions, "approve", faulty)
    come_due()
    holding.settle_due()
    assert HeldDecision.objects.get().dropped == ""
    HeldDecision.objects.update(due_at=timezone.now() - timedelta(minutes=2))
    holding.settle_due()
    assert "Decide again" in HeldDecision.objects.get().dropped


def test_a_worker_that_is_at_it_keeps_others_away_and_loses_nothing_when_it_dies(
    plan: IntentPlan, reviewer: User
) -> None:
    holding.decide(plan, Ruling("approve", plan.digest), by=reviewer)
    come_due()
    looked: list[int] = []

    def other_worker() -> None:
        looked.append(holding.settle_due())
        connections.close_all()

    with transaction.atomic():
        HeldDecision.objects.select_for_update().get()
        thread = threading.Thread(target=other_worker)
        thread.start()
        thread.join()
        transaction.set_rollback(True)  # what the database does when a worker dies
    assert looked == [0]
    assert holding.settle_due() == 1
    assert state_of(plan) == "approved"


def test_without_a_hold_it_takes_effect_at_once(
    plan: IntentPlan, reviewer: User, client_of: ClientOf, settings: Any
) -> None:
    settings.HOLD_S = 0
    decide(client_of(reviewer), plan)
    assert state_of(plan) == "approved"
    assert not HeldDecision.objects.exists()


def test_the_next_plan_is_another_one_than_the_one_that_is_held(
    plan: IntentPlan, owner: User, reviewer: User, client_of: ClientOf, propose_plan: Callable[..., IntentPlan]
) -> None:
    assert decide(client_of(reviewer), plan).headers["Location"] == f"/goals/{plan.goal_id}/"
    second = propose_plan(owner, STEPS)
    assert decide(client_of(reviewer), second).headers["Location"] == f"/goals/{second.goal_id}/"


def test_words_that_hide_are_refused_before_they_are_held(plan: IntentPlan, reviewer: User) -> None:
    with pytest.raises(WordsRefused):
        holding.decide(plan, Ruling("reject", plan.digest, "no\u202e"), by=reviewer)
