"""Firmware: who writes it, who puts it to use, and that every prompt holds exactly what is in use."""

from __future__ import annotations

from typing import Any

import pytest

from agents.actors import firmware
from agents.models import Agent, Generation
from library.errors import LibraryRefused
from library.models import ComponentVersion
from people.models import User
from tests.models.server import Provider
from tests.models.test_planning import GOOD, log, planned, said

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = "/rules/firmware/"


@pytest.fixture(autouse=True)
def _no_embeddings(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.library.vectors import install

    install(monkeypatch)


def in_use(domain: str, text: str, by: User) -> ComponentVersion:
    return firmware.activate(firmware.save(domain, text, by=by), by=by)


def test_a_prompt_holds_what_is_in_use_and_the_attempt_says_which(
    provider: Provider, owner: User, operator: User, client_of: Any, valkey: object
) -> None:
    in_use("general", "Write documents in German.", operator)
    in_use("finance", "Round to cents.", operator)
    in_use("medicine", "Name no patient.", operator)
    firmware.save("general", "Write documents in Latin.", by=operator)
    Agent.objects.update_or_create(name="mindx", defaults={"firmware_domain": "finance"})
    provider.will_say(said({"steps": []}), said(GOOD))
    goal = planned(owner)
    system, material = (one["content"] for one in provider.asked[0]["messages"])
    assert "Write documents in German.\n\nRound to cents." in system
    assert "Latin" not in system
    assert "patient" not in system + material
    assert [one.firmware for one in Generation.objects.all()] == ["general 1.0.0, finance 1.0.0"] * 2
    assert goal.intent_plans.get().plan.evidence["model"]["firmware"] == ["general 1.0.0", "finance 1.0.0"]
    assert "general 1.0.0, finance 1.0.0" in client_of(owner).get(f"/goals/{goal.pk}/plans/").content.decode()


def test_a_change_of_it_is_another_request(
    provider: Provider, owner: User, operator: User, settings: Any, valkey: object
) -> None:
    settings.MODEL_CACHE_DAYS = 7
    provider.will_say(said(GOOD))
    planned(owner)
    planned(owner)
    assert len(provider.asked) == 1, "the same question is answered from the cache"
    in_use("general", "Write documents in German.", operator)
    planned(owner)
    assert len(provider.asked) == 2


def test_a_domain_without_a_text_is_told(provider: Provider, owner: User, valkey: object) -> None:
    Agent.objects.update_or_create(name="mindx", defaults={"firmware_domain": "finance"})
    provider.will_say(said(GOOD))
    assert "no firmware of the domain finance is in use" in log(planned(owner))


def test_what_an_operator_retired_is_told_no_more(operator: User) -> None:
    version = in_use("general", "Write documents in German.", operator)
    agent = Agent(name="it")
    assert firmware.of(agent).text == "Write documents in German."
    firmware.retire(version, by=operator)
    assert firmware.of(agent) == firmware.Firmware()


@pytest.mark.parametrize("who", ["owner", "reviewer", "operator"])
def test_submitters_write_nothing_reviewers_candidates_and_operators_put_to_use(
    who: str, request: pytest.FixtureRequest, client_of: Any, operator: User
) -> None:
    user: User = request.getfixturevalue(who)
    client = client_of(user)
    answer = client.post(f"{PAGE}new/", {"domain": "general", "body": "Be kind.", "changes": "first"})
    assert answer.status_code == {"owner": 403}.get(who, 302)
    candidate = ComponentVersion.objects.filter(created_by=user).first() or firmware.save("general", "So.", by=operator)
    assert candidate.status == "candidate"
    client.post(f"{PAGE}{candidate.pk}/activate/")
    candidate.refresh_from_db()
    assert candidate.status == ("active" if who == "operator" else "candidate")
    client.post(f"{PAGE}{candidate.pk}/retire/")
    candidate.refresh_from_db()
    assert candidate.status == ("retired" if who == "operator" else "candidate")


def test_with_four_eyes_somebody_else_puts_it_to_use(operator: User, admin: User, settings: Any) -> None:
    settings.FOUR_EYES = True
    version = firmware.save("general", "Be kind.", by=operator)
    with pytest.raises(LibraryRefused, match="somebody else"):
        firmware.activate(version, by=operator)
    assert firmware.activate(version, by=admin).status == "active"


@pytest.mark.parametrize(
    ("domain", "body", "said"),
    [
        ("General", "So.", "small letters"),
        ("../x", "So.", "small letters"),
        ("general", "", "empty"),
        ("general", "so\u202eos", "hidden character U+202E"),
        ("general", "x" * 6_001, "at most 6,000"),
    ],
)
def test_what_is_refused_stays_in_the_form(domain: str, body: str, said: str, operator: User, client_of: Any) -> None:
    answer = client_of(operator).post(f"{PAGE}new/", {"domain": domain, "body": body})
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not ComponentVersion.objects.exists()


def test_pages_show_it_escaped_and_move_only_firmware(operator: User, client_of: Any) -> None:
    in_use("general", "Keep to <b>this</b>.", operator)
    client = client_of(operator)
    page = client.get(PAGE).content.decode()
    assert "&lt;b&gt;this" in page
    assert "<b>this" not in page
    from django.core.management import call_command

    call_command("load_starters", verbosity=0)
    rule = ComponentVersion.objects.filter(component__kind="rule")[0]
    assert client.post(f"{PAGE}{rule.pk}/retire/").status_code == 404
    assert client.post(f"{PAGE}{rule.pk}/explode/").status_code == 404
    assert client.get(f"{PAGE}new/?from=abc").status_code == 200
