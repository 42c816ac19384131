"""Candidates that are begun without a person: as many a day as an admin grants, activated by people only."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.utils import timezone

from agents.evolution.candidates import searches, searching, starting
from agents.models import EvolutionProposal, EvolutionStart
from agents.record.errors import NotPossibleNow, NotYours
from library.components import services as library
from library.models import Component, ComponentVersion
from people.models import User
from review.models import AuditEntry
from tests.agents.evolution.conftest import rule
from tests.models.conftest import provider
from tests.models.server import Provider

__all__ = ["provider"]
pytestmark = pytest.mark.django_db(transaction=True)


def failing(name: str, weight: float = 1.0) -> None:
    EvolutionProposal.objects.create(
        kind="low_success", subject=f"rule {name}", says=f"The rule “{name}” fails often.", why="x", weight=weight,
        component_kind="rule", component_name=name, seen_at=timezone.now(),
    )  # fmt: skip


@pytest.fixture
def others(operator: User) -> None:
    for name in ("total a list", "total a column"):
        body = rule("strict").replace("total a list", name).replace("total the list", name.replace(" a ", " the "))
        library.publish("rule", name, body, by=operator, status="active")


def said(name: str) -> str:
    body = rule("lenient").replace("total a list", name).replace("total the list", name.replace(" a ", " the "))
    return json.dumps({"rule": body})


def test_nothing_is_begun_before_an_admin_grants_it(provider: Provider, others: None, admin: User) -> None:
    failing("total a list")
    assert starting.run() == 0
    starting.grant(0, by=admin)
    assert starting.run() == 0
    assert provider.asked == []


def test_as_many_as_granted_are_begun_the_heaviest_first_and_none_is_active(
    provider: Provider, others: None, admin: User, client_of: Any
) -> None:
    failing("total a list", weight=1)
    failing("total a column", weight=2)
    starting.grant(1, by=admin)
    provider.will_say(said("total a column"))
    assert starting.run() == 1
    assert provider.asked == [], "a worker asks"
    searching.work()
    made = ComponentVersion.objects.get(component__name="total a column", status="candidate")
    assert (made.origin, made.created_by) == ("model", admin)
    assert "started automatically" in made.changes
    assert EvolutionStart.objects.get().candidate == made
    assert starting.run() == 0, "the day is used up"
    starting.grant(2, by=admin)
    provider.will_say("no", "no", "no", "no")
    assert starting.run() == 1
    searching.work()
    assert EvolutionStart.objects.latest("pk").told.startswith(
        "No candidate: The model's candidates could not be taken"
    )
    assert "could not be taken" in client_of(admin).get("/evolution/").content.decode()
    starting.grant(20, by=admin)
    assert starting.run() == 0, "one waits for people, the other has just been tried"
    assert not ComponentVersion.objects.filter(origin="model", status="active").exists()


def test_one_that_cannot_be_asked_for_counts_and_says_why(provider: Provider, others: None, admin: User) -> None:
    failing("total a list")
    component = Component.objects.get(name="total a list")
    searches.ask_for_one(component, by=admin, why="blank lines", strategy="standard")
    starting.grant(1, by=admin)
    assert starting.run() == 1
    start = EvolutionStart.objects.get()
    assert (start.search, "for another reason" in start.told) == (None, True)


def test_only_admins_grant_it_and_it_ends_with_their_role(
    provider: Provider, others: None, admin: User, operator: User
) -> None:
    with pytest.raises(NotYours):
        starting.grant(1, by=operator)
    for wrong in (-1, starting.MOST_A_DAY + 1):
        with pytest.raises(NotPossibleNow):
            starting.grant(wrong, by=admin)
    starting.grant(3, by=admin)
    assert AuditEntry.objects.filter(subject="evolution:grant").count() == 1
    failing("total a list")
    User.objects.filter(pk=admin.pk).update(is_active=False)
    assert starting.run() == 0


def test_the_page_shows_and_sets_it(admin: User, operator: User, client_of: Any) -> None:
    assert 'name="starts"' not in client_of(operator).get("/evolution/").content.decode()
    client = client_of(admin)
    assert 'name="starts"' in client.get("/evolution/").content.decode()
    assert client.post("/evolution/grant", {"starts": "3"}).status_code == 302
    assert "At most 3 candidates a day" in client.get("/evolution/").content.decode()
    client.post("/evolution/grant", {"starts": "x"})
    held = starting.granted()
    assert held is not None
    assert held.starts_a_day == 3
