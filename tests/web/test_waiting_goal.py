"""What the page of a goal says while the goal waits before another try: how long, for whom, and why."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agents.bdi.recovery.failures import Facts
from agents.models import FailureRecord, Goal
from agents.pages.goals.goal_page import signature
from people.models import User
from tests.web.test_goal_page import said

Maker = Callable[..., Goal]
ClientOf = Callable[[User], Client]


@pytest.fixture
def waiting_for(make_goal: Maker) -> Callable[..., Goal]:
    """`waiting_for(person, seconds)`: a goal whose second step failed on a host, and that waits for another try."""

    def made(of: User, seconds: float, cools: bool = False, **failed: Any) -> Goal:
        until = timezone.now() + timedelta(seconds=seconds)
        goal = make_goal(of)
        Goal.objects.filter(pk=goal.pk).update(state="recovering", wake_at=until, reason="HTTP 429")
        row = {
            "failure_class": "RATE_LIMIT_ERROR", "classified_as": "RATE_LIMIT_ERROR", "reason": "HTTP 429",
            "position": 2, "stage": "execution", "tool": "http_request", "strategy": "retry_with_delay",
            "facts": Facts(tool="http_request", approved=("api.example.org",)).to_json(),
            "cools_until": until if cools else None,
        }  # fmt: skip
        goal.failures.create(**row | failed)
        return goal

    return made


def test_a_goal_that_waits_for_another_try_says_for_whom_and_why(
    owner: User, waiting_for: Callable[..., Goal], client_of: ClientOf
) -> None:
    goal = waiting_for(owner, 400)
    page = said(client_of(owner), "goal", goal.pk)
    assert re.search(
        r"Waiting \d+ s: api\.example\.org asked to slow down \(step 2\)\. The next try is at \d\d:\d\d", page
    )
    own = waiting_for(owner, 400, failure_class="TOOL_EXECUTION_ERROR", reason="exit code 1: it is locked")
    assert re.search(r"Waiting \d+ s: exit code 1: it is locked \(step 2\)\.", said(client_of(owner), "goal", own.pk))
    Goal.objects.filter(pk=goal.pk).update(wake_at=timezone.now() - timedelta(seconds=1))
    assert not re.search(r"Waiting \d+ s", said(client_of(owner), "goal", goal.pk)), "a worker takes it up now"


def test_whose_goal_it_waits_for_is_said_only_to_who_may_see_that_one(
    owner: User, outsider: User, reviewer: User, waiting_for: Callable[..., Goal], client_of: ClientOf
) -> None:
    found, goal = waiting_for(outsider, 90, cools=True), waiting_for(owner, 90)
    Goal.objects.filter(pk=goal.pk).update(wake_at=FailureRecord.objects.get(goal=found).cools_until)
    told = said(client_of(owner), "goal", goal.pk)
    assert re.search(r"Waiting \d+ s: api\.example\.org asked to slow down \(a step of another goal\)\.", told)
    assert f"goal {found.pk}" not in told
    told = said(client_of(reviewer), "goal", goal.pk)
    assert re.search(rf"asked to slow down \(step 2 of goal {found.pk}\)\.", told)


def test_the_live_page_is_told_when_a_goal_waits_longer(owner: User, waiting_for: Callable[..., Goal]) -> None:
    goal = waiting_for(owner, 40)
    before = signature(goal.pk)
    Goal.objects.filter(pk=goal.pk).update(wake_at=timezone.now() + timedelta(seconds=400))
    assert signature(goal.pk) != before


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("sandbox_unavailable: no user namespaces", "Waiting for the sandbox. The sandbox could not start"),
        ("waits_for_person: two people must approve it", "Waiting for a person: two people must approve it."),
        ("waits_for_answer: the agent cara counts", "waiting for an answer"),
    ],
)
def test_a_goal_that_waits_for_no_try_says_what_it_waits_for(
    owner: User, waiting_for: Callable[..., Goal], client_of: ClientOf, reason: str, words: str
) -> None:
    goal = waiting_for(owner, 15)
    Goal.objects.filter(pk=goal.pk).update(reason=reason)
    assert words in said(client_of(owner), "goal", goal.pk)
