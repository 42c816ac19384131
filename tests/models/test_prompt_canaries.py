"""A canary of a prompt: chance draws its requests, its answers are counted, and what proves worse is taken back."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from agents.actors import prompt_versions
from agents.evolution.activation import prompt_canaries, rollouts
from agents.evolution.activation.prompt_canaries import Answers, Comparison, chance_to_notice
from agents.evolution.sequential import Stretch
from agents.models import Rollout
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from library.prompts import declared, in_use
from people.models import User
from review.models import AuditEntry
from tests.models.test_prompts import _no_embeddings, plan, written  # fixtures  # noqa: F401

pytestmark = pytest.mark.django_db(transaction=True)
ClientOf = Callable[[User], Client]
CALLS = count(1)


@pytest.fixture
def candidate(plan: Component, reviewer: User) -> ComponentVersion:  # noqa: F811  # a fixture
    return written(plan, reviewer)


@pytest.fixture
def canary(candidate: ComponentVersion, operator: User) -> ComponentVersion:
    return prompt_canaries.begin(candidate, by=operator, percent=25)


def answered(version: ComponentVersion, good: int, bad: int) -> None:
    """So many answers of which this version's asker could use so many."""
    used = in_use.named("plan", version.version)
    assert used is not None
    filled = used.filled(**dict.fromkeys(used.prompt.values, ""))
    for was_of_use in [True] * good + [False] * bad:
        in_use.count(filled, was_of_use=was_of_use, call=next(CALLS))


def shipped(version: ComponentVersion) -> ComponentVersion:
    return ComponentVersion.objects.get(component=version.component_id, version="1.0.0")


def test_its_share_of_requests_holds_the_canary(canary: ComponentVersion, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_use, "is_drawn", lambda percent: percent == 25)
    assert in_use.of("plan").version == canary.version
    monkeypatch.setattr(in_use, "is_drawn", lambda percent: False)
    assert in_use.of("plan").version == "1.0.0"
    monkeypatch.undo()
    drawn = sum(in_use.is_drawn(25) for _ in range(4_000))
    assert 800 < drawn < 1_200, "11 standard deviations wide"


def test_a_canary_that_cannot_be_sent_any_more_is_passed_over(
    canary: ComponentVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    ComponentVersion.objects.filter(pk=canary.pk).update(body="nothing of what must stand in it")
    monkeypatch.setattr(in_use, "is_drawn", lambda percent: True)
    assert in_use.of("plan").version == "1.0.0"


def test_what_fails_five_times_more_than_chance_explains_is_taken_back(
    canary: ComponentVersion, operator: User, client_of: ClientOf
) -> None:
    answered(shipped(canary), 40, 2)
    answered(canary, 6, 4)
    prompt_canaries.sweep()
    assert ComponentVersion.objects.get(pk=canary.pk).status == "canary", "four failures are too few"
    answered(canary, 0, 1)
    prompt_canaries.sweep()
    prompt_canaries.sweep()
    assert ComponentVersion.objects.get(pk=canary.pk).status == "retired"
    assert shipped(canary).status == "active"
    rollout = Rollout.objects.get()
    assert rollout.state == "returned"
    assert rollout.reason.startswith(
        "taken back automatically: 5 of 11 answers could not be used, and 2 of 42 with 1.0.0"
    )
    assert AuditEntry.objects.filter(event="component", data__what="took back", data__failed=5).count() == 1
    page = client_of(operator).get(f"/library/{canary.component_id}/?version={canary.pk}").content.decode()
    assert "taken back" in page
    assert "5 of 11 answers could not be used" in page


def test_only_answers_since_it_began_count(candidate: ComponentVersion, operator: User) -> None:
    answered(candidate, 0, 9)
    answered(shipped(candidate), 50, 0)
    prompt_canaries.begin(candidate, by=operator, percent=5)
    prompt_canaries.sweep()
    found = prompt_canaries.comparison(Rollout.objects.get())
    assert (found.canary, found.active, found.p) == (Answers(0, 0), Answers(0, 0), 1.0)
    assert Rollout.objects.get().state == "watched"


def test_activating_it_ends_the_watch(canary: ComponentVersion, operator: User) -> None:
    prompt_versions.activate(canary, by=operator)
    prompt_canaries.sweep()
    assert Rollout.objects.get().state == "ended"
    assert in_use.of("plan").version == canary.version
    assert shipped(canary).status == "retired"


def test_goals_are_no_cases_of_a_prompt(canary: ComponentVersion) -> None:
    rollouts.sweep()
    assert Rollout.objects.get().state == "watched"


def test_who_may_begin_one(
    candidate: ComponentVersion, reviewer: User, operator: User, admin: User, client_of: ClientOf, settings: Any
) -> None:
    address = f"/library/{candidate.component_id}/versions/{candidate.pk}/canary/"
    client_of(reviewer).post(address, {"percent": "10"})
    with pytest.raises(LibraryRefused, match="Only an operator"):
        prompt_canaries.begin(candidate, by=reviewer, percent=10)
    for percent in ("0", "51", "-1", "1e1", "", "999"):
        client_of(operator).post(address, {"percent": percent})
    assert not Rollout.objects.exists()
    with pytest.raises(LibraryRefused, match="Only a candidate"):
        prompt_canaries.begin(shipped(candidate), by=operator, percent=10)
    settings.FOUR_EYES = True
    own = prompt_versions.save(
        candidate.component, declared.every()["plan"].text.replace("You plan", "You work out plans"), by=operator
    )
    with pytest.raises(LibraryRefused, match="You wrote this"):
        prompt_canaries.begin(own, by=operator, percent=10)
    client_of(operator).post(address, {"percent": "10"})
    assert Rollout.objects.get().percent == 10
    with pytest.raises(LibraryRefused, match="is the canary"):
        prompt_canaries.begin(own, by=admin, percent=10)


@given(st.lists(st.tuples(*[st.integers(0, 12)] * 4), max_size=12))
def test_one_that_fails_no_more_often_is_never_harmful(counted: list[tuple[int, int, int, int]]) -> None:
    """In each stretch it fails less often than the other, or as often."""
    stretches = []
    for uses, failed, others, other_failed in counted:
        failed, other_failed = min(failed, uses), min(other_failed, others)
        if failed * others <= other_failed * uses and others:
            stretches.append(Stretch(uses, others, failed + other_failed, failed))
    assert not Comparison(Answers(0, 0), Answers(0, 0), tuple(stretches)).is_harmful


def test_the_power_that_the_page_states() -> None:
    assert chance_to_notice(0.1, 0.1, 50, 20) < 0.05, "one that is just as good"
    assert chance_to_notice(0.4, 0.1, 50, 20) == pytest.approx(0.961, abs=1e-3)
    assert chance_to_notice(0.2, 0.1, 50, 20) < chance_to_notice(0.3, 0.1, 50, 20)
