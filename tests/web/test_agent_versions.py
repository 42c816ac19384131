"""The versions of an agent on its page: what each changed, and a plan to become one of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from agents.actors import lifecycle
from agents.components import agent_versions
from agents.goals import agent_goals
from agents.goals.component_goals import Terms
from agents.mastermind.configs import Config
from agents.models import Agent, Goal, IntentPlan
from library.models import ComponentVersion
from people.models import User

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]


@pytest.fixture
def scout(operator: User) -> Agent:
    """An agent of which a change is proposed."""
    agent = lifecycle.create("scout", Config(), by=operator)
    agent_goals.change(agent, Config({"people_only": True}), Terms(operator), changes="<b>less</b> haste")
    return agent


def test_a_version_says_what_it_changed_and_foreign_text_stays_text(
    scout: Agent, owner: User, client_of: ClientOf
) -> None:
    candidate = agent_versions.of(scout)["1.1.0"]
    page = client_of(owner).get(f"/agents/{scout.pk}/?version={candidate.pk}").content.decode()
    assert "1.0.0 to 1.1.0" in page
    assert "&quot;people_only&quot;: true" in page
    assert "&lt;b&gt;less&lt;/b&gt; haste" in page
    assert "Plan this change" not in page, "only operators have it planned"
    assert client_of(owner).get(f"/agents/{scout.pk}/?version=999").status_code == 404


def test_an_operator_has_a_candidate_planned_and_reads_the_plan(
    scout: Agent, operator: User, client_of: ClientOf
) -> None:
    client = client_of(operator)
    assert "Plan this change" in client.get(f"/agents/{scout.pk}/").content.decode()
    candidate = agent_versions.of(scout)["1.1.0"]
    answer = client.post(f"/agents/{scout.pk}/versions/{candidate.pk}")
    plan = IntentPlan.objects.latest("pk")
    assert answer["Location"] == plan.get_absolute_url()
    page = client.get(answer["Location"]).content.decode()
    assert "go back to 1.0.0" in page
    scout.refresh_from_db()
    assert not scout.people_only


def test_nobody_else_has_a_version_planned(scout: Agent, owner: User, reviewer: User, client_of: ClientOf) -> None:
    candidate = agent_versions.of(scout)["1.1.0"]
    before = Goal.objects.count()
    for person in (owner, reviewer):
        page = client_of(person).post(f"/agents/{scout.pk}/versions/{candidate.pk}", follow=True)
        assert "Only operators can create, change and retire" in page.content.decode()
    assert Goal.objects.count() == before


def test_a_version_of_another_agent_is_none_of_this_one(scout: Agent, operator: User, client_of: ClientOf) -> None:
    other = lifecycle.create("other", Config(), by=operator)
    version = agent_versions.first(other, by=operator, changes="made")
    assert client_of(operator).post(f"/agents/{scout.pk}/versions/{version.pk}").status_code == 404


def test_what_is_set_elsewhere_is_a_version_of_its_own_before_the_next_change(scout: Agent, operator: User) -> None:
    lifecycle.change(scout, Config({"max_repair_attempts": 0}), by=operator)
    agent_goals.change(scout, Config({"review_design": True}), Terms(operator))
    found = {one.version: (one.status, one.changes) for one in agent_versions.of(scout).values()}
    assert found["1.2.0"] == ("active", "as it was set elsewhere after 1.0.0")
    assert found["1.3.0"][0] == "candidate"
    assert agent_versions.values_of(agent_versions.of(scout)["1.3.0"])["max_repair_attempts"] == 0


def test_a_version_that_cannot_be_read_says_so_and_what_is_in_force_is_written_anew(
    scout: Agent, operator: User, client_of: ClientOf
) -> None:
    found = agent_versions.of(scout)
    ComponentVersion.objects.filter(pk__in=[one.pk for one in found.values()]).update(body='{"model": [')
    page = client_of(operator).post(f"/agents/{scout.pk}/versions/{found['1.1.0'].pk}", follow=True)
    assert "Version 1.1.0 of scout cannot be read." in page.content.decode()
    now = agent_versions.in_force(scout, by=operator)
    assert agent_versions.values_of(now)["people_only"] is False
