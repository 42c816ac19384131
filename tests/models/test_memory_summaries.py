"""Long results are summarised by the model in a worker, checked against the result, and by their own sentences else."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from agents.actors import firmware
from agents.models import DEFAULT_AGENT, Agent
from library.memory import exporting, model_summaries, services, summaries, switches
from library.models import Experience, ExperienceSummary, ModelCall
from library.upkeep import summarise_memory
from people.models import User
from tests.models.server import Provider

pytestmark = pytest.mark.django_db(transaction=True)
LONG = "Anna counted 17 files in old/a.csv. " + "The parser read the next line. " * 30
GOOD = "Anna counted 17 files in old/a.csv."


@pytest.fixture
def remember(owner: User) -> Callable[..., Experience]:
    def made(name: str = "count", output: str = LONG, **more: Any) -> Experience:
        fields = {"timestamp": timezone.now(), "initiating_agent_id": "mindx", **more}
        return services.record(
            owner=owner, goal_ref=name, primary_goal_description=name, output_summary=output,
            final_outcome="success", **fields,
        )  # fmt: skip

    return made


def test_a_worker_has_a_long_result_summarised_once(
    provider: Provider, remember: Callable[..., Experience], owner: User, client_of: Callable[[User], Client]
) -> None:
    row = remember()
    remember("short", "done")
    provider.will_say(GOOD)
    assert summaries.of(row) != GOOD
    assert provider.asked == [], "who reads does not wait for a model"
    summarise_memory()
    summarise_memory()
    assert len(provider.asked) == 1
    row = Experience.objects.get(pk=row.pk)
    assert summaries.of(row) == GOOD
    asked = ExperienceSummary.objects.get().call
    assert asked is not None
    call = ModelCall.objects.get(pk=asked)
    assert (call.purpose, call.prompts[0].split()[0]) == ("memory_summary", "memory-summary")
    assert GOOD in client_of(owner).get(f"/memory/{row.pk}/").content.decode()
    assert GOOD in "".join(exporting.chunks(owner))
    services.forget(row, owner)
    assert not ExperienceSummary.objects.exists()


def test_what_the_result_does_not_say_is_refused_with_the_reason(
    provider: Provider, remember: Callable[..., Experience], owner: User, client_of: Callable[[User], Client]
) -> None:
    row = remember()
    provider.will_say("Anna counted 18 files.")
    summarise_memory()
    row = Experience.objects.get(pk=row.pk)
    assert summaries.of(row) == summaries.shortened(LONG, summaries.LONG_FROM)
    page = client_of(owner).get(f"/memory/{row.pk}/").content.decode()
    assert "“18”, which the result does not" in page
    summarise_memory()
    assert len(provider.asked) == 1, "it is not asked again"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (GOOD, ""),
        ("The parser read on. Nothing failed.", ""),
        ("", "answered nothing"),
        ("It counted 18 files.", "“18”"),
        ("It counted twelve files.", "“twelve”"),
        ("Then it was Bob who counted.", "“Bob”"),
        ("It read new/b.csv.", "“new/b.csv”"),
        ("Anna counted. " * 60, "839 characters"),
    ],
)
def test_figures_names_and_paths_must_stand_in_the_result(text: str, wrong: str) -> None:
    found = model_summaries.why_not(text, LONG)
    assert wrong in found
    assert bool(found) == bool(wrong)


def test_what_the_firmware_forbids_is_refused(
    provider: Provider, remember: Callable[..., Experience], operator: User
) -> None:
    text = "Be careful.\nCHECKS:\nno-parser: forbid words parser"
    firmware.activate(firmware.save("general", text, by=operator), by=operator)
    remember()
    provider.will_say("The parser read.")
    summarise_memory()
    kept = ExperienceSummary.objects.get()
    assert (kept.text, "parser" in kept.why_not) == ("", True)


def test_nothing_is_sent_where_the_operator_the_agent_or_the_age_says_so(
    provider: Provider, remember: Callable[..., Experience], operator: User, settings: Any
) -> None:
    provider.will_say(GOOD)
    remember("old", timestamp=timezone.now() - timedelta(days=2))
    remember("quiet", initiating_agent_id="quiet")
    switches.switch("quiet", on=False, by=operator)
    summarise_memory()
    assert provider.asked == []
    remember()
    settings.MEMORY_SUMMARIES = False
    summarise_memory()
    settings.MEMORY_SUMMARIES, settings.MODEL = True, ""
    summarise_memory()
    assert (provider.asked, ExperienceSummary.objects.count()) == ([], 0)


def test_a_spent_budget_postpones_it(provider: Provider, remember: Callable[..., Experience]) -> None:
    agent, _ = Agent.objects.get_or_create(name=DEFAULT_AGENT)
    Agent.objects.filter(pk=agent.pk).update(tokens_per_day=1)
    remember()
    provider.will_say(GOOD)
    summarise_memory()
    assert (provider.asked, ExperienceSummary.objects.count()) == ([], 0)
    Agent.objects.filter(pk=agent.pk).update(tokens_per_day=100_000)
    summarise_memory()
    assert ExperienceSummary.objects.get().text == GOOD


def test_an_experience_that_was_forgotten_meanwhile_gets_none(
    provider: Provider, remember: Callable[..., Experience], owner: User
) -> None:
    row = remember()

    def forget_and_answer(body: dict[str, Any], headers: dict[str, str]) -> Any:
        Experience.objects.filter(pk=row.pk).delete()
        connection.close()  # that of the server's thread
        return GOOD

    provider.take = forget_and_answer  # type: ignore[method-assign]
    summarise_memory()
    assert not ExperienceSummary.objects.exists()
