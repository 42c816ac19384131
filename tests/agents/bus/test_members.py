"""The registry: one name once, kept in step with agents and tools, searched together with the library."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from agents.bus import discovery, in_step, members, vectors
from agents.bus.members import NameTaken, Offer, Registration
from agents.models import Agent, BusCapability, BusEntry, BusMember
from agents.record.errors import GoalRefused
from library.components import services as library
from library.errors import EmbeddingUnavailable
from library.language import embeddings
from people.models import User

pytestmark = pytest.mark.django_db(transaction=True)


def _who(name: str = "weather", *offers: Offer, **more: Any) -> Registration:
    return Registration(name, "foreign", more.pop("description", ""), offers or (Offer("forecast"),), **more)


def test_of_two_registrations_of_one_name_at_once_one_wins() -> None:
    began, ends = threading.Barrier(2), list[str]()

    def register(name: str) -> None:
        began.wait()
        try:
            ends.append(str(members.register(_who(name)).pk))
        except NameTaken:
            ends.append("taken")
        finally:
            connection.close()

    threads = [threading.Thread(target=register, args=(name,)) for name in ("Weather", "weather")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    (row,) = BusMember.objects.filter(name__iexact="weather")
    assert sorted(ends) == sorted([str(row.pk), "taken"])
    assert BusEntry.objects.filter(event="registered").count() == 1


def test_agents_and_tools_register_by_themselves_and_are_kept_in_step(owner: User) -> None:
    in_step.refresh()
    agent = BusMember.objects.get(kind="agent")
    assert (agent.name, [one.name for one in agent.capabilities.all()]) == ("mindx", ["achieve_goal"])
    assert BusCapability.objects.get(name="simple_coder.write").effect == "workspace"
    made = Agent.objects.create(name="scout", tools=["git_tool"])
    in_step.refresh()
    scout = BusMember.objects.get(name="scout")
    assert "git repository" in scout.description
    Agent.objects.filter(pk=made.pk).update(firmware_domain="finance")
    in_step.refresh()
    scout.refresh_from_db()
    assert "finance" in scout.description
    Agent.objects.filter(pk=made.pk).update(retired_at="2026-01-01T00:00:00Z")
    in_step.refresh()
    scout.refresh_from_db()
    assert scout.status == "retired"
    before = BusEntry.objects.count()
    in_step.forget()
    in_step.refresh()
    assert BusEntry.objects.count() == before, "nothing has changed"


def test_an_agent_with_the_name_of_a_tool_gets_a_longer_one(db: None) -> None:
    Agent.objects.create(name="git_tool")
    in_step.refresh()
    assert set(BusMember.objects.filter(name__startswith="git_tool").values_list("name", "kind")) == {
        ("git_tool", "agent"),
        ("git_tool tool", "tool"),
    }


def test_what_a_member_says_anew_is_embedded_anew_and_its_record_stays() -> None:
    row = members.register(_who("weather", Offer("forecast", "Tell the weather"), description="Weather of tomorrow"))
    vectors.embed_missing()
    BusCapability.objects.filter(member=row).update(succeeded=7)
    members.change(
        row, _who("weather", Offer("forecast", "Tell the weather"), Offer("past"), description="Any weather")
    )
    row.refresh_from_db()
    assert row.description_embedding is None
    assert row.offer_embedding is None
    assert set(row.capabilities.values_list("name", "succeeded", "is_gone")) == {
        ("forecast", 7, False),
        ("past", 0, False),
    }
    members.change(row, _who("weather", Offer("past")))
    assert row.capabilities.get(name="forecast").is_gone
    assert not discovery.by_capability("forecast").exists()


@pytest.mark.parametrize(
    ("who", "field"),
    [
        (_who(""), "name"),
        (_who("a\nb"), "name"),
        (_who("a" * 121), "name"),
        (_who(" a"), "name"),
        (Registration("a", "ghost", "", (Offer("x"),)), "kind"),
        (_who("a", description="x" * 10_000_000), "description"),
        (Registration("a", "foreign", "", ()), "capabilities"),
        (_who("a", *(Offer(f"x{number}") for number in range(201))), "capabilities"),
        (_who("a", Offer("x"), Offer("x")), "capabilities"),
        (_who("a", Offer("x y")), "capabilities"),
        (_who("a", Offer("x", confidence=1.5)), "capabilities"),
        (_who("a", Offer("x", confidence=float("nan"))), "capabilities"),
        (_who("a", Offer("x", effect="magic")), "capabilities"),
        (_who("a", Offer("x", takes={"type": "nonsense"})), "capabilities"),
        (_who("a", Offer("x", takes={"description": "x" * 20_001})), "capabilities"),
        (_who("a", Offer("x", takes={"properties": {"a": {"$ref": "http://evil/"}}})), "capabilities"),
        (_who("a", Offer("x", gives={"items": [{"pattern": "(a+)+$"}]})), "capabilities"),
    ],
)
def test_a_registration_that_does_not_fit_is_refused(who: Registration, field: str) -> None:
    with pytest.raises(GoalRefused) as refused:
        members.register(who)
    assert refused.value.field == field
    assert not BusMember.objects.exists()


def test_an_agent_that_lies_about_its_confidence_is_lowered_by_its_record() -> None:
    liar = members.register(_who("liar", Offer("do", confidence=1.0)))
    honest = members.register(_who("honest", Offer("do", confidence=0.6)))
    assert [one.member for one in discovery.by_capability("do")] == [liar, honest]
    BusCapability.objects.filter(member=liar).update(failed=4)
    BusCapability.objects.filter(member=honest).update(succeeded=9, failed=1)
    found = {one.member.name: one.earned for one in discovery.by_capability("do")}
    # (1.0 · 4 + 0) / 8 for the liar; a good record raises nobody above what it says.
    assert found == {"honest": 0.6, "liar": 0.5}


def test_a_task_in_words_finds_members_and_components_and_only_the_usable_can_be_asked(
    owner: User, reviewer: User
) -> None:
    weather = members.register(
        _who("weather", Offer("forecast", "the weather of tomorrow"), description="tell the weather")
    )
    away = members.register(_who("away", Offer("forecast", "the weather of tomorrow"), description="tell the weather"))
    members.retire(away)
    library.publish("workflow", "tell the weather", "tell the weather", by=reviewer)
    vectors.embed_missing()
    found = {one.name: one for one in discovery.search("tell the weather", by=owner).items}
    assert (found["weather"].member, found["weather"].is_usable) == (weather, True)
    assert found["weather"].task is not None
    assert found["weather"].content is not None
    assert "away" not in found
    assert list(discovery.healthy().filter(pk__in=[weather.pk, away.pk])) == [weather]


def test_without_a_sentence_model_words_find_members_and_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    members.register(_who("weather", Offer("forecast"), description="tell the weather"))

    def broken(texts: Any) -> Any:
        raise EmbeddingUnavailable("no model here")

    monkeypatch.setattr(embeddings, "embed", broken)
    assert vectors.embed_missing() == 0
    results = discovery.search("the weather")
    assert [one.name for one in results.items if one.member] == ["weather"]
    assert results.by_words == "no model here"


def test_a_vector_never_stands_beside_a_text_that_it_was_not_made_of(monkeypatch: pytest.MonkeyPatch) -> None:
    row = members.register(_who("weather", description="old words"))
    embed: Callable[[Any], Any] = embeddings.embed

    def meanwhile(texts: Any) -> Any:
        BusMember.objects.filter(pk=row.pk).update(description="new words")
        return embed(texts)

    monkeypatch.setattr(embeddings, "embed", meanwhile)
    assert vectors.embed_missing() == 0
    row.refresh_from_db()
    assert row.description_embedding is None
