"""Learned policies as rows: trained within a budget, stored with what taught them, and used by runs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agents.environments.learned import Learned, PolicyUnusable
from agents.models import EnvironmentAction, EnvironmentEpisode, EnvironmentPolicy, EnvironmentRun
from agents.record.errors import GoalRefused, NotPossibleNow, NotYours
from agents.simulations import learned_policies, runs, training, working
from agents.simulations.house import HouseWorld
from agents.states import TrainingState
from people.models import User
from tests.agents.simulations.some_worlds import Button, ButtonWorld

pytestmark = pytest.mark.django_db(transaction=True)
T = TrainingState


@pytest.fixture(autouse=True)
def _no_memory() -> None:
    training._last.clear()


def trained(operator: User, episodes: int = 3, **also: Any) -> EnvironmentPolicy:
    asked = {"environment": "house", "task": "bring", "share": 0, **also}
    policy = learned_policies.train(**asked, episodes=episodes, by=operator)
    training.work(policy.pk)
    policy.refresh_from_db()
    return policy


def test_a_policy_is_trained_on_train_variations_until_its_budget_is_used_up(operator: User) -> None:
    policy = trained(operator, 14)
    assert (policy.state, policy.episodes, policy.episodes_left) == ("stopped", 14, 0)
    numbers = EnvironmentEpisode.objects.filter(policy=policy).values_list("number", flat=True)
    assert list(numbers) == list(range(1, 15))
    played = set(EnvironmentEpisode.objects.filter(policy=policy).values_list("variation", flat=True))
    assert played == set(HouseWorld().variations("bring")["train"])
    kept, digest = learned_policies.stored("house", "bring")
    assert (kept.lessons, digest) == (policy.lessons, hashlib.sha256(bytes(policy.data or b"")).hexdigest())
    assert not kept.is_learning


def test_training_helps(operator: User) -> None:
    policy = trained(operator, 60)
    scores = list(EnvironmentEpisode.objects.filter(policy=policy).values_list("score", flat=True))
    fewest = EnvironmentEpisode.objects.filter(policy=policy).order_by("number")
    actions = list(fewest.values_list("actions_by_policy", flat=True))
    assert sum(scores[-10:]) >= sum(scores[:10])
    assert sum(actions[-10:]) < sum(actions[:10]) / 2


def test_a_run_acts_by_what_was_learned_and_says_so(operator: User, worked: Callable[..., EnvironmentRun]) -> None:
    policy = trained(operator, 2)
    run = worked(share=0, fallback="learned", step_limit=4)
    assert run.at_step == 4
    assert set(EnvironmentAction.objects.filter(run=run).values_list("by", "policy")) == {("learned", policy.digest)}


def test_a_worker_that_died_costs_only_what_was_not_stored(operator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "STORES_S", -1.0)
    policy = learned_policies.train("house", "bring", episodes=4, share=0, by=operator)
    episode, played = training._episode, []

    def dies(*args: Any) -> EnvironmentEpisode:
        played.append(args[-1])
        if len(played) == 3:
            raise KeyboardInterrupt
        return episode(*args)

    with monkeypatch.context() as patch:
        patch.setattr(training, "_episode", dies)
        with pytest.raises(KeyboardInterrupt):
            training.work(policy.pk)
    EnvironmentPolicy.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    training.work()
    policy.refresh_from_db()
    assert (policy.state, policy.episodes, policy.lost_workers) == ("stopped", 4, 0)
    assert EnvironmentEpisode.objects.count() == 4


def test_a_run_and_a_training_take_turns(
    operator: User, started: Callable[..., EnvironmentRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    """There may be two workers only; goals find one of them free."""
    monkeypatch.setattr(training, "SLICE_S", -1.0)
    run = started()
    policy = learned_policies.train("house", "bring", episodes=5, share=0, by=operator)
    episode, meanwhile = training._episode, []

    def looks(*args: Any) -> EnvironmentEpisode:
        working.work(run.pk)
        meanwhile.append(EnvironmentRun.objects.get().at_step)
        return episode(*args)

    monkeypatch.setattr(training, "_episode", looks)
    training.work(policy.pk)
    policy.refresh_from_db()
    assert (meanwhile, policy.state, policy.episodes) == ([0], "waiting", 1)
    working.work(run.pk)
    run.refresh_from_db()
    assert run.state == "ended"


def test_what_was_stopped_and_reset_meanwhile_is_not_stored(operator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    episode = training._episode

    def stopped(*args: Any) -> EnvironmentEpisode:
        row = EnvironmentPolicy.objects.get()
        learned_policies.stop(row, by=operator)
        learned_policies.reset(row, by=operator)
        return episode(*args)

    monkeypatch.setattr(training, "_episode", stopped)
    policy = trained(operator, 1)
    assert (policy.data, policy.episodes, policy.generation) == (None, 0, 1)
    assert not EnvironmentEpisode.objects.exists()


@pytest.mark.parametrize("damage", ["bytes", "digest", "file"])
def test_damaged_bytes_are_refused(damage: str, operator: User, started: Callable[..., EnvironmentRun]) -> None:
    policy = trained(operator, 1)
    data = bytes(policy.data or b"")
    broken = {"bytes": data[:2000] + b"?" + data[2001:], "digest": data, "file": b"junk"}[damage]
    digest = {"bytes": policy.digest, "digest": "0" * 64, "file": hashlib.sha256(b"junk").hexdigest()}[damage]
    run = started(fallback="learned", share=0)
    EnvironmentPolicy.objects.filter(pk=policy.pk).update(data=broken, digest=digest)
    with pytest.raises(PolicyUnusable):
        learned_policies.stored("house", "bring")
    with pytest.raises(GoalRefused):
        started(fallback="learned")
    with pytest.raises(NotPossibleNow):
        learned_policies.train("house", "bring", episodes=1, share=0, by=operator)
    working.work(run.pk)
    run.refresh_from_db()
    assert (run.outcome, run.at_step) == ("policy_unusable", 0)


def test_a_policy_is_trained_in_simulations_only(operator: User, world: Callable[..., Any]) -> None:
    world(ButtonWorld(is_simulation=False))
    with pytest.raises(GoalRefused, match="no simulation"):
        learned_policies.train("button", "press", episodes=1, share=0, by=operator)


def test_an_environment_that_is_none_after_all_ends_the_training(operator: User, world: Callable[..., Any]) -> None:
    class Real(Button):
        is_simulation = False

    made = world(ButtonWorld(lambda: Real())).made
    policy = trained(operator, 2, environment="button", task="press")
    assert (policy.state, policy.episodes, made[0].done) == ("stopped", 0, [])
    assert "simulations only" in policy.reason


def test_an_environment_that_dies_ends_the_training(operator: User, world: Callable[..., Any]) -> None:
    button = world(ButtonWorld(lambda: Button(dies_at=1)))
    policy = trained(operator, 2, environment="button", task="press", share=100)
    assert (policy.state, policy.episodes, button.running_now) == ("stopped", 0, 0)
    assert "the button is broken" in policy.reason


@pytest.mark.parametrize(
    ("wrong", "field"),
    [({"environment": "moon"}, "environment"), ({"task": "x"}, "task"), ({"share": 101}, "share")],
)
def test_what_cannot_be_trained_names_its_field(wrong: dict[str, Any], field: str, operator: User) -> None:
    with pytest.raises(GoalRefused) as refused:
        trained(operator, **wrong)
    assert refused.value.field == field
    for episodes in (0, 501):
        with pytest.raises(GoalRefused):
            trained(operator, episodes)


def test_only_operators_train(owner: User, reviewer: User, operator: User) -> None:
    policy = trained(operator, 1)
    for person in (owner, reviewer):
        with pytest.raises(NotYours):
            trained(person)
        with pytest.raises(NotYours):
            learned_policies.stop(policy, by=person)
        with pytest.raises(NotYours):
            learned_policies.reset(policy, by=person)
    policy.refresh_from_db()
    assert (policy.episodes, runs.NONE) == (1, "")
    assert isinstance(learned_policies.of_row(policy), Learned)
