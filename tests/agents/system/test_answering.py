"""The system agents answer on the bus by capability, with the asker's rights, and change nothing."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from agents.bus import answering, discovery, in_step, requests, vectors
from agents.bus.providers import connected
from agents.models import BusMember, BusRequest, EvolutionProposal, Goal
from library.memory import services as memory
from people.models import User

pytestmark = pytest.mark.django_db(transaction=True)
AGENTS = ("SystemAgent", "ArchitectZero", "MemoryManager", "EvolutionStrategist", "IntentReviewer")


def ask(by: User, capability: str, **content: Any) -> BusRequest:
    asked = requests.request(by=by, capability=capability, content=content)
    answering.work(asked.pk)
    return BusRequest.objects.get(pk=asked.pk)


def remember(owner: User, said: str, outcome: str = "failure") -> None:
    memory.record(
        owner=owner,
        goal_ref=f"{owner.pk}-{said}",
        primary_goal_description=said,
        final_outcome=outcome,
        timestamp=timezone.now(),
        initiating_agent_id="mindx",
        output_summary="the host did not answer",
    )


def test_all_five_are_members_that_only_read() -> None:
    in_step.forget()
    in_step.refresh()
    assert set(AGENTS) <= set(connected())
    for name in AGENTS:
        member = BusMember.objects.get(name=name)
        assert member.kind == BusMember.Kind.SYSTEM
        assert {one.effect for one in member.capabilities.all()} == {"idempotent"}


def test_memory_answers_with_sources_and_only_from_what_the_asker_may_read(owner: User, outsider: User) -> None:
    remember(owner, "fetch the prices")
    answered = ask(owner, "answer_about_experience", question="what failed about the prices?").answer or {}
    assert [one["title"] for one in answered["sources"]] == ["fetch the prices"]
    other = ask(outsider, "answer_about_experience", question="what failed about the prices?").answer or {}
    assert other["sources"] == []
    assert ask(owner, "answer_about_experience").state == "failed"


def test_the_strategist_names_goals_only_to_those_who_see_all(owner: User, reviewer: User) -> None:
    EvolutionProposal.objects.create(
        kind="failing", subject="rule:x", says="Evolve x", why="it fails", weight=2, goals=[7], seen_at=timezone.now()
    )
    shown = ask(owner, "propose_evolution").answer or {}
    assert [(one["says"], one["goals"]) for one in shown["proposals"]] == [("Evolve x", [])]
    assert (ask(reviewer, "propose_evolution").answer or {})["proposals"][0]["goals"] == ["7"]


def test_the_architect_draws_and_stores_nothing(owner: User) -> None:
    answered = ask(owner, "design_solution", requirements="Count lines. Then sort them", with_model=False).answer or {}
    assert [one["name"] for one in answered["components"]] == ["count-lines", "sort"]
    assert not Goal.objects.exists()
    refused = ask(owner, "design_solution", requirements="x", reuse_from=0.1, evolve_from=0.9)
    assert (refused.state, "from 0 to 1" in refused.reason) == ("failed", True)


def test_the_system_agent_finds_and_gathers(owner: User) -> None:
    assert "components" in (ask(owner, "find_components", task="count lines").answer or {})
    assert "found" in (ask(owner, "discover_agents", task="memory").answer or {})
    assert "context" in (ask(owner, "build_context", task="count lines").answer or {})


def test_an_agent_is_found_by_a_task_in_words(owner: User) -> None:
    in_step.refresh()
    vectors.embed_missing()
    found = discovery.search("questions past experience", by=owner)
    assert "MemoryManager" in {one.name for one in found.items if one.is_usable}
