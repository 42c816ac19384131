"""A live A/B trial of a prompt: each answer is counted for the version that chance drew, in pairs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from agents.evolution.ab_trials import version_trials
from agents.evolution.ab_trials.trial_plans import Asked
from agents.evolution.ab_trials.version_trials import Wanted
from agents.evolution.activation import prompt_canaries
from agents.models import Rollout, VersionTrial, VersionTrialCase
from agents.record.errors import NotPossibleNow
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from people.models import User
from tests.cast import person
from tests.models.test_prompt_canaries import answered, shipped
from tests.models.test_prompts import _no_embeddings, plan, written  # fixtures  # noqa: F401

pytestmark = pytest.mark.django_db(transaction=True)
ClientOf = Callable[[User], Client]


@pytest.fixture
def candidate(plan: Component, reviewer: User) -> ComponentVersion:  # noqa: F811  # a fixture
    return written(plan, reviewer)


def wanted(b: ComponentVersion) -> Wanted:
    return Wanted(shipped(b), b, "live", Asked(difference=40, differ=60))


@pytest.fixture
def trial(candidate: ComponentVersion, operator: User) -> VersionTrial:
    return version_trials.begin(wanted(candidate), by=operator)


def test_answers_are_paired_and_the_trial_ends_when_it_knows(trial: VersionTrial) -> None:
    b = ComponentVersion.objects.get(pk=trial.b_id)
    assert (b.status, b.canary_percent) == ("canary", 50)
    answered(shipped(b), good=1, bad=0)
    answered(b, good=1, bad=0)
    answered(b, good=6, bad=0)
    version_trials.sweep()
    assert [look.count.cases for look in version_trials.looks(trial)] == [1], "the others wait for their pair"
    answered(shipped(b), good=0, bad=6)
    version_trials.sweep()
    trial.refresh_from_db()
    assert trial.is_running, "six are too few at 5 %"
    answered(b, good=4, bad=0)
    answered(shipped(b), good=0, bad=4)
    version_trials.sweep()
    trial.refresh_from_db()
    assert trial.verdict == "b_better"
    b.refresh_from_db()
    assert (b.status, shipped(b).status) == ("candidate", "active")
    assert Rollout.objects.get().state == "ended"
    answered(shipped(b), good=1, bad=0)
    assert trial.cases.count() == 22, "nothing is counted any more"


def test_the_watch_over_its_canary_goes_on(trial: VersionTrial) -> None:
    b = ComponentVersion.objects.get(pk=trial.b_id)
    answered(shipped(b), good=40, bad=0)
    answered(b, good=0, bad=5)
    prompt_canaries.sweep()
    version_trials.sweep()
    trial.refresh_from_db()
    assert trial.verdict == "stopped"
    assert trial.reason.startswith("the watch ended it: 1.1.0 was taken back automatically: 5 of 5 answers")


def test_operators_begin_it_and_nobody_beside_a_canary(
    candidate: ComponentVersion, operator: User, reviewer: User
) -> None:
    for other in (reviewer, person("dev", "developer")):
        with pytest.raises(LibraryRefused, match="do not allow you to start"):
            version_trials.begin(wanted(candidate), by=other)
    begun = prompt_canaries.begin(candidate, by=operator, percent=10)
    with pytest.raises(NotPossibleNow, match="is a canary"):
        version_trials.begin(wanted(begun), by=operator)
    assert not VersionTrial.objects.exists()
    assert not VersionTrialCase.objects.exists()


def test_the_page_names_calls_to_operators_alone(
    trial: VersionTrial, operator: User, owner: User, client_of: ClientOf
) -> None:
    b = ComponentVersion.objects.get(pk=trial.b_id)
    answered(shipped(b), good=1, bad=1)
    answered(b, good=2, bad=0)
    address = f"/evolution/trials/{trial.pk}/"
    call = trial.cases.latest("pk").call
    assert f">call {call}<" in client_of(operator).get(address).content.decode()
    page = client_of(owner).get(address).content.decode()
    assert f">call {call}<" not in page
    assert page.count("hidden: you may not see this goal") == 4
    assert "2 of at most" in page
    assert client_of(owner).post(f"{address}stop").status_code == 302
    trial.refresh_from_db()
    assert trial.is_running, "an owner of goals stops nothing"
