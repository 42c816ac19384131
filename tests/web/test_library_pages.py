"""The pages of the library: searching as one types, one component, and when it is of use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agents.models import Plan
from library import embedding
from library.components import services
from library.memory import services as memory
from library.models import Component, ComponentVersion
from people.models import User
from tests.library.vectors import install

pytestmark = pytest.mark.django_db
GREET = "RULE greet\nIF your task is to greet {name}\nTHEN:\n  # A folder lasts.\n  create the folder {name}\n"


@pytest.fixture(autouse=True)
def _vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


@pytest.fixture
def greet(operator: User) -> ComponentVersion:
    made = services.publish("rule", "greet", GREET, by=operator, status="active", applicability_text="greet a person")
    services.publish("firmware", "general", "Write <b>English</b>.", by=operator, status="active")
    embedding.embed_missing()
    return made


def test_it_is_searched_by_task_and_query_with_the_scores_that_rank(
    greet: ComponentVersion, owner: User, client_of: Callable[[User], Client]
) -> None:
    page = client_of(owner)
    everything = page.get("/library/").content.decode()
    assert "greet" in everything
    assert "general" in everything
    assert "<meter" not in everything, "nothing was compared"
    fragment = page.get("/library/", {"task": "greet a person"}, headers={"HX-Target": "found", "HX-Request": "true"})
    found = fragment.content.decode()
    assert "<html" not in found
    assert "task 100" in found
    assert "query" not in found.split("<meter")[1]
    both = page.get("/library/", {"task": "greet a person", "q": "folder", "weight": "30"}).content.decode()
    assert "30 % task and the rest query" in both
    only = page.get("/library/", {"task": "greet a person", "kind": "firmware"}).content.decode()
    assert ">greet<" not in only
    for odd in ({"weight": "9" * 50}, {"kind": "x", "status": "y"}, {"q": "\0"}, {"tag": "<b>"}):
        assert page.get("/library/", odd).status_code == 200


def test_a_component_shows_its_versions_their_difference_and_its_text_as_text(
    greet: ComponentVersion, owner: User, reviewer: User, client_of: Callable[[User], Client]
) -> None:
    other = services.publish("rule", "greet", GREET.replace("lasts", "stays"), by=reviewer, changes="<i>words</i>")
    at = f"/library/{greet.component_id}/"
    shown = client_of(owner).get(at, {"version": other.pk, "against": greet.pk}).content.decode()
    assert "1.0.0 to 1.1.0" in shown
    assert "&lt;i&gt;words&lt;/i&gt;" in shown
    assert "from 1.0.0" in shown
    assert 'aria-label="1.0.0; 1.1.0 from 1.0.0"' in shown, "the lineage as a graph"
    firmware = Component.objects.get(kind="firmware")
    assert "&lt;b&gt;English&lt;/b&gt;" in client_of(owner).get(f"/library/{firmware.pk}/").content.decode()
    assert client_of(owner).get(at, {"version": firmware.versions.get().pk}).status_code == 404
    assert client_of(owner).get("/library/0/").status_code == 404


def test_who_may_write_says_when_it_is_of_use_and_it_is_embedded_again(
    greet: ComponentVersion, owner: User, reviewer: User, client_of: Callable[[User], Client]
) -> None:
    at = f"/library/{greet.component_id}/versions/{greet.pk}/when"
    assert client_of(owner).post(at, {"when": "never"}).status_code == 403
    greet.refresh_from_db()
    assert greet.applicability_text == "greet a person"
    client_of(reviewer).post(at, {"when": " "})
    client_of(reviewer).post(at, {"when": "welcome somebody"})
    greet.refresh_from_db()
    assert (greet.applicability_text, greet.applicability_embedding) == ("welcome somebody", None)
    assert greet.body == GREET
    embedding.embed_missing()
    greet.refresh_from_db()
    assert greet.applicability_embedding is not None
    other = f"/library/{greet.component_id + 1}/versions/{greet.pk}/when"
    assert client_of(reviewer).post(other, {"when": "x"}).status_code == 404


def test_goals_that_would_find_it_are_those_of_whoever_looks(
    greet: ComponentVersion, owner: User, outsider: User, client_of: Callable[[User], Client]
) -> None:
    memory.record(
        goal_ref="1", owner=owner, primary_goal_description="greet a person", final_outcome="success",
        timestamp=timezone.now(), initiating_agent_id="default",
    )  # fmt: skip
    embedding.embed_missing()
    at = f"/library/{greet.component_id}/"
    assert '">greet a person</a>' in client_of(owner).get(at).content.decode()
    assert '">greet a person</a>' not in client_of(outsider).get(at).content.decode()


def test_the_page_tells_how_far_a_new_sentence_model_has_come_while_it_is_under_way(
    greet: ComponentVersion, owner: User, client_of: Callable[[User], Client]
) -> None:
    page = client_of(owner)
    assert "<progress" not in page.get("/library/").content.decode()
    ComponentVersion.objects.filter(pk=greet.pk).update(embedded_by="openai/<b>before</b>")
    shown = page.get("/library/").content.decode()
    assert "1 of 2 components embedded with all-MiniLM-L6-v2" in shown
    assert '<progress max="2" value="1"' in shown
    fragment = page.get("/library/", headers={"HX-Target": "found", "HX-Request": "true"}).content.decode()
    assert "<progress" not in fragment, "it is outside of what a search replaces"


def test_who_uses_it_is_told_by_the_newest_plans_and_goals_of_others_are_counted_only(
    greet: ComponentVersion,
    owner: User,
    outsider: User,
    propose_plan: Callable[..., Any],
    client_of: Callable[[User], Client],
) -> None:
    at = f"/library/{greet.component_id}/"
    assert "No plan has used it yet" in client_of(owner).get(at).content.decode()
    plan = propose_plan(owner)
    Plan.objects.filter(pk=plan.plan_id).update(source="rule", evidence={"rule": {"name": "greet", "version": "1.0.0"}})
    agent, goal = plan.goal.agent.name, f"/goals/{plan.goal_id}/"
    shown = client_of(owner).get(at).content.decode()
    assert f"{agent} (1)" in shown
    assert goal in shown
    theirs = client_of(outsider).get(at).content.decode()
    assert f"{agent} (1)" in theirs
    assert goal not in theirs
    firmware = Component.objects.get(kind="firmware")
    assert agent in client_of(outsider).get(f"/library/{firmware.pk}/").content.decode()
