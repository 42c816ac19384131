"""A delegated request leaves one experience with its end, with the rights of whoever asked, and says what is known."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from agents.bdi.bus.remembering import Delegated, experience_of, spoken
from agents.bus import answering, moves, providers, remembering, requests, settling
from agents.models import BusRequest, Goal, IntentPlan
from agents.states import RequestState
from library.memory import selectors, services
from library.models import Experience
from people.models import User
from review.deciding import decisions

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def goal(owner: User, make_goal: Callable[..., Goal]) -> Goal:
    return make_goal(owner, text="Write the report about the moon")


def of(asked: BusRequest) -> Experience:
    return Experience.objects.get(part=f"request {asked.pk}")


def test_an_answer_is_remembered_with_the_rights_of_whoever_asked(
    goal: Goal, owner: User, outsider: User, connect: Callable[..., Any], client: Client
) -> None:
    connect().does = lambda request: providers.Answer({"text": "a lunar answer"})
    asked = requests.request(by=owner, capability="say", content={"a": 1}, why="to know its phase", parent=goal)
    answering.work(asked.pk)
    row = of(asked)
    assert (row.kind, row.owner, row.goal_ref, row.final_outcome) == ("request", owner, str(goal.pk), "unchecked")
    assert row.primary_goal_description == goal.text
    assert "Ask for say: to know its phase" in row.sub_task_description
    assert row.output_summary == "a lunar answer"
    assert row.involved_components == ["system echo"]
    assert "chosen by confidence" in row.key_decisions_made[0]
    assert row in selectors.visible_to(owner)
    assert row not in selectors.visible_to(outsider)
    client.force_login(owner)
    page = client.get(reverse("experience", args=[row.pk])).content.decode()
    assert f"Request of goal {goal.pk}" in page
    assert "a lunar answer" in page
    assert row in [found for found, _ in selectors.search("lunar answer", user=owner, limit=5)]


def test_answers_that_are_stored_together_are_each_remembered(
    goal: Goal, owner: User, connect: Callable[..., Any]
) -> None:
    connect()
    asked = [requests.request(by=owner, capability="say", content={"n": n}, parent=goal) for n in range(5)]
    answering.work(asked[0].pk)
    assert {BusRequest.objects.get(pk=one.pk).state for one in asked} == {"answered"}
    assert Experience.objects.filter(kind="request").count() == 5
    assert {of(one).feedback_signals["state"] for one in asked} == {"answered"}


def test_what_expires_and_what_people_reject_says_so(goal: Goal, owner: User, reviewer: User) -> None:
    late = requests.request(by=owner, capability="simple_coder.read", content={"path": "a"}, parent=goal)
    BusRequest.objects.filter(pk=late.pk).update(deadline=timezone.now() - timedelta(seconds=1))
    settling.sweep()
    assert (of(late).final_outcome, of(late).key_decisions_made) == ("failure", ["Nobody was asked before it ended."])
    asked = requests.request(by=owner, capability="simple_coder.read", content={"path": "b"}, parent=goal)
    answering.work(asked.pk)
    plan = IntentPlan.objects.get(goal__bus_request=asked)
    decisions.reject(plan, by=reviewer, digest=plan.digest, reason="not this file", via="api")
    settling.sweep()
    assert of(asked).final_outcome == "abandoned"
    assert "not this file" in of(asked).output_summary


def test_what_a_person_asks_for_no_goal_is_no_delegation(owner: User, connect: Callable[..., Any]) -> None:
    connect()
    asked = requests.request(by=owner, capability="say", content={})
    answering.work(asked.pk)
    assert not Experience.objects.exists()


def test_the_goal_of_somebody_else_is_not_told(goal: Goal, operator: User, connect: Callable[..., Any]) -> None:
    connect()
    asked = requests.request(by=operator, capability="say", content={}, why="to look", parent=goal)
    answering.work(asked.pk)
    row = of(asked)
    assert row.owner == operator
    assert goal.text not in f"{row.primary_goal_description} {row.sub_task_description} {row.tags}"


def test_a_worker_that_dies_while_it_is_written_leaves_neither_end_nor_experience(
    goal: Goal, owner: User, connect: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    connect()
    asked = requests.request(by=owner, capability="say", content={}, parent=goal)
    claimed = moves.claim(asked.pk)
    assert claimed is not None

    def dies(request: BusRequest) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(remembering, "remember", dies)
        with pytest.raises(KeyboardInterrupt):
            answering.take_turn(claimed)
    assert BusRequest.objects.get(pk=asked.pk).state == RequestState.RUNNING
    assert not Experience.objects.exists()
    BusRequest.objects.filter(pk=asked.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    answering.work(asked.pk)
    assert Experience.objects.filter(part=f"request {asked.pk}").count() == 1


def test_what_was_forgotten_does_not_come_back_and_goes_with_the_person(
    goal: Goal, owner: User, connect: Callable[..., Any]
) -> None:
    connect()
    first, second = (requests.request(by=owner, capability="say", content={"n": n}, parent=goal) for n in range(2))
    answering.work(first.pk)
    services.forget(of(first), owner)
    settling.sweep()
    assert not Experience.objects.filter(part=f"request {first.pk}").exists()
    assert of(second).owner == owner
    services.forget_of(owner, owner)
    assert not Experience.objects.exists()


@pytest.mark.parametrize(
    ("state", "checked", "let_go", "outcome"),
    [
        ("answered", True, False, "success"),
        ("answered", False, False, "unchecked"),
        ("failed", False, False, "failure"),
        ("failed", False, True, "abandoned"),
        ("expired", False, False, "failure"),
        ("cancelled", False, False, "abandoned"),
    ],
)
def test_an_outcome_says_no_more_than_is_known(state: str, checked: bool, let_go: bool, outcome: str) -> None:
    told = Delegated(
        1, "say", "", {}, "", "confidence", state, "", is_checked=checked, was_let_go=let_go, whole="a", agent="b"
    )
    assert experience_of(told)["final_outcome"] == outcome


def test_an_answer_is_told_by_its_own_words() -> None:
    assert spoken({"goal": "1", "result": {"stdout": "moon"}}) == "moon"
    assert spoken({"n": 1}) == '{"n": 1}'
    assert spoken({}) == ""
