"""Pausing agents, answering what became of a step, searching memory and library."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from agents.models import Agent, Intent, Standstill
from agents.record.moves import move_goal
from agents.states import GoalState
from library import embedding
from library.memory import selectors as memory
from library.models import Component, ComponentVersion, Experience
from tests.library.vectors import install

pytestmark = pytest.mark.django_db


@pytest.fixture
def agent(db: None) -> Agent:
    """The one that takes goals."""
    return Agent.objects.get_or_create(name="mindx")[0]


def test_an_operator_pauses_and_resumes_and_doing_it_twice_changes_nothing(
    api_of: Any, operator: Any, agent: Agent
) -> None:
    caller = api_of(operator)
    for verb, paused in (("pause", True), ("pause", True), ("resume", False), ("resume", False)):
        answer = caller.post(f"agents/{agent.pk}/{verb}")
        assert (answer.status_code, answer.json()["paused"]) == (200, paused)
        agent.refresh_from_db()
        assert agent.paused is paused
    assert caller.post("agents/999/pause").status_code == 404


def test_others_may_not_pause(api_of: Any, operator: Any, agent: Agent) -> None:
    caller = api_of(operator)
    operator.roles = ["submitter", "reviewer"]
    operator.save()
    assert caller.post(f"agents/{agent.pk}/pause").status_code == 403
    agent.refresh_from_db()
    assert agent.paused is False


@pytest.fixture
def unknown(propose_plan: Any, owner: Any) -> Intent:
    """An intent of the owner's whose worker died while it ran."""
    plan = propose_plan(owner)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE agents_intentplan SET state = 'executing', approved_digest = digest WHERE id = %s", [plan.pk]
        )
        cursor.execute("UPDATE agents_intent SET state = 'outcome_unknown' WHERE intent_plan_id = %s", [plan.pk])
    move_goal(plan.goal, GoalState.MANUAL, by="a test", reason="did it go out?")
    return plan.intents.get(position=1)


def test_the_submitter_says_what_became_of_a_step(api_of: Any, owner: Any, unknown: Intent) -> None:
    answer = api_of(owner).post(f"intents/{unknown.pk}/outcome", {"outcome": "succeeded"})
    assert (answer.status_code, answer.json()["state"]) == (200, "succeeded")
    again = api_of(owner).post(f"intents/{unknown.pk}/outcome", {"outcome": "failed"})
    assert again.status_code == 409


@pytest.mark.parametrize("body", [{}, {"outcome": "maybe"}, {"outcome": 1}, {"outcome": "failed", "why": "x"}])
def test_an_outcome_that_is_none_is_refused(api_of: Any, owner: Any, unknown: Intent, body: dict[str, Any]) -> None:
    assert api_of(owner).post(f"intents/{unknown.pk}/outcome", body).status_code == 422
    unknown.refresh_from_db()
    assert unknown.state == "outcome_unknown"


def test_an_outcome_is_not_for_outsiders_nor_for_those_who_only_see_it(
    api_of: Any, outsider: Any, reviewer: Any, unknown: Intent
) -> None:
    body = {"outcome": "succeeded"}
    assert api_of(outsider).post(f"intents/{unknown.pk}/outcome", body).status_code == 404
    assert api_of(reviewer).post(f"intents/{unknown.pk}/outcome", body).status_code == 403
    unknown.refresh_from_db()
    assert unknown.state == "outcome_unknown"


def _experience(owner: Any, text: str) -> Experience:
    return Experience.objects.create(
        goal_ref=text,
        owner=owner,
        primary_goal_description=text,
        initiating_agent_id="mindx",
        final_outcome="success",
        output_summary="It worked.",
        timestamp=timezone.now(),
    )


def test_experiences_are_found_by_their_owner_and_not_by_an_outsider(
    api_of: Any, owner: Any, outsider: Any, reviewer: Any
) -> None:
    _experience(owner, "Create a Python project named api_client")
    for user, count in ((owner, 1), (reviewer, 1), (outsider, 0)):
        found = api_of(user).get("experiences?q=python%20project").json()
        assert len(found["items"]) == count, user
        assert len(api_of(user).get("experiences").json()["items"]) == count
    assert {"id", "goal", "primary_goal_description", "final_outcome", "similarity"} <= set(
        api_of(owner).get("experiences?q=python").json()["items"][0]
    )


@pytest.mark.parametrize("query", ["", "q=note&"])
def test_experiences_come_in_pages(api_of: Any, owner: Any, query: str) -> None:
    expected = {str(_experience(owner, f"Write note {number}").pk) for number in range(5)}
    seen, after = [], ""
    while after is not None:
        page = api_of(owner).get(f"experiences?{query}limit=2&after={after}").json()
        seen += [item["id"] for item in page["items"]]
        after = page["next"]
    assert len(seen) == 5
    assert set(seen) == expected


@pytest.mark.parametrize(
    "after", ["x", "e30", "W10", "WzEsMl0", "WyJ4IiwyXQ", "WzEsMmUzMDAwXQ", "%FF", "💥", "WzEsLTFd"]
)
@pytest.mark.parametrize("query", ["", "q=note&"])
def test_a_mark_that_no_page_ended_with_is_refused(api_of: Any, owner: Any, query: str, after: str) -> None:
    answer = api_of(owner).get(f"experiences?{query}after={after}")
    if answer.status_code != 200:  # [1, 2] is a possible similarity and id
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "after")


def test_a_search_longer_than_any_sentence_is_refused(api_of: Any, owner: Any) -> None:
    answer = api_of(owner).get(f"experiences?q={'x' * (memory.QUERY_MAX_CHARACTERS + 1)}")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "q")


def test_components_are_found_by_their_words(api_of: Any, owner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch).broken = "no sentence model"
    for name in ("start a python project", "tidy a folder"):
        component = Component.objects.create(kind="rule", name=name)
        ComponentVersion.objects.create(component=component, version="1.0.0", body=f"RULE {name}", status="active")
    caller = api_of(owner)
    assert [item["name"] for item in caller.get("components").json()["items"]] == [
        "start a python project",
        "tidy a folder",
    ]
    found = caller.get("components?q=Python").json()
    assert [item["name"] for item in found["items"]] == ["start a python project"]
    assert (found["next"], found["by_words"]) == (None, "no sentence model")


def test_components_are_ranked_by_task_and_query_with_every_score(
    api_of: Any, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    for name, body, use in (("one", "add numbers", "check a bill"), ("two", "check a bill", "greet people")):
        component = Component.objects.create(kind="rule", name=name, domain="finance")
        ComponentVersion.objects.create(
            component=component, version="1.0.0", body=body, applicability_text=use, status="active"
        )
    embedding.embed_missing()
    caller = api_of(owner)
    first, second = caller.get("components?task=check a bill&q=check a bill&domain=finance").json()["items"]
    assert (first["name"], second["name"]) == ("one", "two")
    assert [round(first["scores"][part], 3) for part in ("task", "content", "usage", "total")] == [1, 0, 0, 0.7]
    assert caller.get("components?task=x&weight=2").status_code == 422
    assert caller.get("components?task=x&kind=tool").json()["items"] == []


def test_a_component_tells_its_versions_their_lineage_and_what_differs(api_of: Any, owner: Any) -> None:
    component = Component.objects.create(kind="rule", name="tidy")
    first = ComponentVersion.objects.create(component=component, version="1.0.0", body="a\nb", status="retired")
    ComponentVersion.objects.create(component=component, version="1.1.0", body="a\nc", parent=first, status="active")
    caller = api_of(owner)
    at = f"components/{component.pk}"
    assert caller.get(at).json()["version"]["version"] == "1.1.0"
    assert [each["version"] for each in caller.get(f"{at}/versions").json()["items"]] == ["1.1.0", "1.0.0"]
    assert caller.get(f"{at}/lineage").json()["edges"] == [{"parent": "1.0.0", "child": "1.1.0"}]
    told = caller.get(f"{at}/diff?from=1.0.0&to=1.1.0").json()["diff"]
    assert "-b\n" in told
    assert "+c\n" in told
    assert caller.get(f"{at}/diff?from=1.0.0&to=9.9.9").status_code == 422
    for nobody in (
        "components/0",
        f"components/{component.pk + 1}",
        "components/x/versions",
        "components/999999/lineage",
    ):
        assert caller.get(nobody).status_code == 404, nobody


def test_an_operator_stops_everything_with_a_reason_and_lets_it_go_on(api_of: Any, operator: Any) -> None:
    caller = api_of(operator)
    answer = caller.post("standstill", {"reason": "moving house"})
    assert (answer.status_code, answer.json()["stands_still"], answer.json()["by"]) == (200, True, operator.username)
    assert caller.post("standstill", {"reason": "another"}).json()["reason"] == "moving house"
    assert caller.post("standstill", {"reason": ""}).status_code == 422
    assert caller.post("standstill/end").json()["stands_still"] is False
    assert not Standstill.objects.exists()


def test_others_may_not_stop_everything(api_of: Any, operator: Any) -> None:
    caller = api_of(operator)
    operator.roles = ["submitter", "reviewer"]
    operator.save()
    assert caller.post("standstill", {"reason": "no"}).status_code == 403
    assert caller.post("standstill/end").status_code == 403
    assert not Standstill.objects.exists()
