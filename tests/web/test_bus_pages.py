"""The pages of the bus: asking, reading, cancelling, replaying, each with one's own rights; foreign text stays text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from agents.bus import answering, breakers
from agents.bus.providers import Answer
from agents.models import BusBreaker, BusCapability, BusEntry, BusRequest, BusSettings
from people.models import User
from tests.agents.bus.conftest import _looked_at_anew, connect  # noqa: F401  # fixtures
from tests.library.vectors import install

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
Connect = Callable[..., Any]


@pytest.fixture(autouse=True)
def _vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


def _ask(client: Client, **form: str) -> BusRequest:
    answer = client.post(reverse("bus-ask"), form)
    asked = BusRequest.objects.latest("pk")
    assert answer.headers["Location"] == asked.get_absolute_url()
    return asked


def test_a_task_in_words_finds_who_can_do_it(client_of: ClientOf, owner: User) -> None:
    client = client_of(owner)
    assert "simple_coder" in client.get(reverse("bus")).content.decode()
    url = f"{reverse('bus')}?task=write+a+file"
    whole = client.get(url).content.decode()
    assert "<main" in whole
    part = client.get(url, headers={"HX-Request": "true", "HX-Target": "found"}).content.decode()
    assert "<main" not in part
    assert BusEntry.objects.filter(event="searched").count() == 2
    client.get(url, headers={"HX-Request": "true", "HX-Target": "found", "HX-Trigger-Name": "task"})
    assert BusEntry.objects.filter(event="searched").count() == 2, "what is typed is no search yet"


def test_a_request_is_asked_answered_and_replayed(client_of: ClientOf, owner: User, connect: Connect) -> None:  # noqa: F811
    connect()
    client = client_of(owner)
    asked = _ask(client, capability="say", content='{"text": "moon"}', why="to see", key="a1")
    assert (
        client.post(reverse("bus-ask"), {"capability": "say", "key": "a1"})
        .headers["Location"]
        .endswith(f"/{asked.pk}/")
    )
    answering.work(asked.pk)
    page = client.get(asked.get_absolute_url()).content.decode()
    assert "moon" in page
    assert "hx-trigger" not in page, "nothing more will come"
    client.post(reverse("bus-request-act", args=[asked.pk, "replay"]))
    again = BusRequest.objects.latest("pk")
    assert again.replay_of == asked
    client.post(reverse("bus-request-act", args=[again.pk, "cancel"]))
    again.refresh_from_db()
    assert again.state == "cancelled"
    assert "hx-trigger" in client.get(_ask(client, capability="say").get_absolute_url()).content.decode()


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({}, "Name a capability"),
        ({"capability": "<b>no</b>"}, "Nobody on the bus offers “&lt;b&gt;no&lt;/b&gt;”"),
        ({"capability": "say", "content": "[1]"}, "The content is a JSON object"),
        ({"capability": "say", "content": '{"a": 1, "a": 2}'}, "stands twice"),
        ({"capability": "say", "min_confidence": "much"}, "a number from 0 to 1"),
        ({"capability": "say", "workspace": "theirs"}, "No workspace of yours"),
    ],
)
def test_what_cannot_be_asked_is_said_and_nothing_typed_is_lost(
    form: dict[str, str],
    said: str,
    client_of: ClientOf,
    owner: User,
    connect: Connect,  # noqa: F811
) -> None:
    connect()
    answer = client_of(owner).post(reverse("bus-ask"), {"task": "", "why": "because", **form})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert said in page
    assert 'value="because"' in page
    assert not BusRequest.objects.exists()


def test_a_foreign_answer_is_shown_as_text(client_of: ClientOf, owner: User, connect: Connect) -> None:  # noqa: F811
    connect().does = lambda request: Answer({"<script>": "<script>alert(1)</script>\u202e\x1b[31m"}, reason="<b>x</b>")
    client = client_of(owner)
    asked = _ask(client, capability="say")
    answering.work(asked.pk)
    page = client.get(asked.get_absolute_url()).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert "<b>x</b>" not in client.get(reverse("bus-log")).content.decode()


def test_nobody_sees_or_ends_the_requests_of_others(
    client_of: ClientOf,
    owner: User,
    outsider: User,
    reviewer: User,
    connect: Connect,  # noqa: F811
) -> None:
    connect()
    asked = _ask(client_of(owner), capability="say", why="a secret of olga")
    answering.work(asked.pk)
    other = _ask(client_of(owner), capability="say", why="a secret of olga")
    theirs = client_of(outsider)
    assert theirs.get(asked.get_absolute_url()).status_code == 404
    assert theirs.post(reverse("bus-request-act", args=[other.pk, "cancel"])).status_code == 404
    for name in ("bus-requests", "bus-log"):
        assert "secret of olga" not in theirs.get(reverse(name)).content.decode()
        assert "secret of olga" in client_of(reviewer).get(reverse(name)).content.decode()
    assert client_of(reviewer).post(reverse("bus-request-act", args=[other.pk, "cancel"])).status_code == 403
    other.refresh_from_db()
    assert other.state == "waiting"


def test_only_operators_close_breakers_and_change_settings(
    client_of: ClientOf,
    owner: User,
    operator: User,
    connect: Connect,  # noqa: F811
) -> None:
    connect()
    member = BusCapability.objects.get(name="say").member
    for _ in range(3):
        breakers.failed(member.pk, 0, "down")
    close, settings = reverse("bus-breaker-close", args=[member.pk]), reverse("bus-settings")
    form = {"failures": "1", "cooldown_s": "60", "depth": "2", "requests": "9"}
    assert client_of(owner).post(close).status_code == 403
    assert client_of(owner).post(settings, form).status_code == 403
    assert reverse("bus-settings") not in client_of(owner).get(reverse("bus-breakers")).content.decode()
    page = client_of(operator).get(f"{reverse('bus-breakers')}?try=1&failures=1&cooldown_s=5").content.decode()
    assert "On past calls" in page
    client_of(operator).post(close)
    assert BusBreaker.objects.get().state == "closed"
    client_of(operator).post(settings, {**form, "failures": "0"})
    client_of(operator).post(settings, {**form, "failures": "many"})
    assert not BusSettings.objects.exists()
    client_of(operator).post(settings, form)
    assert BusSettings.objects.get().failures == 1


def test_the_chart_says_how_calls_ended(client_of: ClientOf, owner: User, connect: Connect) -> None:  # noqa: F811
    connect()
    asked = _ask(client_of(owner), capability="say")
    answering.work(asked.pk)
    page = client_of(owner).get(f"{reverse('bus-log')}?side=data&member=echo").content.decode()
    assert "Calls, how they ended, for each day: most in the bar of" in page
    assert "Answered: say" in page
    assert "Nothing matches" in client_of(owner).get(f"{reverse('bus-log')}?event=late").content.decode()
