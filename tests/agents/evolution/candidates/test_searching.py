"""A search for a better version: on the probe half only, within what was said beforehand, and one candidate at most."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from agents.evolution.candidates import searches, searching
from agents.evolution.replays import gate
from agents.models import DEFAULT_AGENT, Agent, CandidateSearch, Goal, Replay, Standstill
from agents.record import leased
from agents.record.errors import NotPossibleNow
from agents.states import ReplayState
from library.errors import LibraryRefused
from library.models import ComponentVersion
from people.models import User
from tests.agents.evolution.conftest import Totalled, rule
from tests.models.conftest import provider as provider
from tests.models.server import Provider

pytestmark = pytest.mark.django_db(transaction=True)
GOOD, BAD = "1\n2\n", "1\n\n2\n"


@pytest.fixture(autouse=True)
def _agent(transactional_db: None) -> None:
    Agent.objects.get_or_create(name=DEFAULT_AGENT)


@pytest.fixture
def probe(totalled: Totalled, monkeypatch: pytest.MonkeyPatch) -> list[Goal]:
    """Three goals of the probe half, two of which failed, and a sealed one."""
    sealed: set[int] = set()
    monkeypatch.setattr(gate, "is_sealed", lambda name, goal_id: goal_id in sealed)
    goals = [totalled(numbers) for numbers in (BAD, GOOD, BAD, BAD)]
    sealed.add(goals[-1].pk)
    # A sealed goal in the words of others would take these out of the half that is shown.
    Goal.objects.filter(pk=goals[-1].pk).update(text="total the list numbers.txt now")
    return goals[:-1]


def _said(text: str) -> str:
    return json.dumps({"rule": text})


def _asked(parent: ComponentVersion, by: User, texts: int = 2) -> CandidateSearch:
    return searches.ask(parent.component, by=by, why="blank lines", strategy="standard", texts=texts)


def test_the_best_text_becomes_one_candidate_that_is_replayed(
    probe: list[Goal], provider: Provider, operator: User, strict: ComponentVersion
) -> None:
    (said,) = searches.costs(strict.component, [2], by=operator)
    assert (said.cases, said.texts) == (3, 2)
    provider.will_say(_said(rule("strict").replace("total a list", "total it")), _said(rule("lenient")))
    search = _asked(strict, operator)
    searching.work(search.pk)
    search.refresh_from_db()
    assert (search.state, search.asked) == (ReplayState.DONE, 1), search.reason
    assert (search.tried[0]["passed"], search.tried[0]["of"]) == (1, 3)
    assert search.version is not None
    assert search.reason == "3 of 3 goals of the probe half pass, 1 of them before."
    assert (search.version.status, search.version.origin) == ("candidate", "model")
    assert Replay.objects.filter(version=search.version).count() == 1
    strict.refresh_from_db()
    assert strict.status == "active"
    assert "total the list numbers.txt now" not in json.dumps(provider.asked), "it is sealed"
    assert len(provider.asked) <= said.calls


def test_nothing_is_saved_where_no_text_does_better(
    probe: list[Goal], provider: Provider, operator: User, strict: ComponentVersion
) -> None:
    provider.will_say(*["no JSON"] * 12)
    search = _asked(strict, operator)
    searching.work(search.pk)
    search.refresh_from_db()
    assert (search.state, search.version) == (ReplayState.DONE, None)
    assert search.reason.startswith("No version did better")
    assert strict.component.versions.count() == 1


def test_a_stopped_search_takes_nothing_up_again(
    probe: list[Goal], provider: Provider, operator: User, owner: User, strict: ComponentVersion
) -> None:
    search = _asked(strict, operator)
    with pytest.raises(LibraryRefused):
        searches.stop(search, by=User.objects.create_user("nora", roles=[]))
    searches.stop(search, by=operator)
    searching.work(search.pk)
    search.refresh_from_db()
    assert (search.state, search.reason, provider.asked) == (ReplayState.IMPOSSIBLE, "stopped by opal", [])
    with pytest.raises(NotPossibleNow):
        searches.stop(search, by=operator)


def test_a_worker_that_lost_it_saves_nothing(
    probe: list[Goal], provider: Provider, operator: User, strict: ComponentVersion
) -> None:
    search = _asked(strict, operator)
    late = searches.claim(search.pk)
    assert late is not None
    assert searches.claim(search.pk) is None, "one at a time"
    searches.stop(search, by=operator)
    assert not leased.renew(late)
    assert not searches.note(late, asked=9, tried=[])
    assert not searches.end(late, ReplayState.DONE, "late")
    searching._end(late, searching._Best(rule("lenient"), 3, 3, 1))
    assert strict.component.versions.count() == 1


def test_a_search_that_is_stopped_while_it_saves_leaves_no_candidate(
    probe: list[Goal], provider: Provider, operator: User, strict: ComponentVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = _asked(strict, operator)
    held = searches.claim(search.pk)
    assert held is not None
    monkeypatch.setattr(searches, "end", lambda *_, **__: False)
    searching._end(held, searching._Best(rule("lenient"), 3, 3, 1))
    assert strict.component.versions.count() == 1


def test_what_was_asked_before_a_worker_died_is_not_asked_again(
    probe: list[Goal], provider: Provider, operator: User, strict: ComponentVersion
) -> None:
    search = _asked(strict, operator)
    CandidateSearch.objects.filter(pk=search.pk).update(asked=2)
    searching.work(search.pk)
    search.refresh_from_db()
    assert (search.state, provider.asked) == (ReplayState.DONE, [])


def test_it_needs_a_model_cases_and_rights(
    totalled: Totalled, operator: User, owner: User, strict: ComponentVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "No language model" in searches.costs(strict.component, [2], by=operator)[0].why_not
    with pytest.raises(NotPossibleNow, match="No language model"):
        _asked(strict, operator)
    with pytest.raises(LibraryRefused):
        _asked(strict, User.objects.create_user("nora", roles=[]))
    assert not CandidateSearch.objects.exists()


@pytest.mark.parametrize("texts", [0, 1, 21])
def test_only_a_sensible_number_of_texts(
    texts: int, probe: list[Goal], provider: Provider, operator: User, strict: ComponentVersion
) -> None:
    with pytest.raises(NotPossibleNow, match="Choose 2 to 20"):
        _asked(strict, operator, texts)


def test_two_at_once_are_one_and_nothing_begins_at_a_standstill(
    probe: list[Goal], provider: Provider, operator: User, strict: ComponentVersion
) -> None:
    assert _asked(strict, operator).pk == _asked(strict, operator).pk
    Standstill.objects.create(by=operator)
    assert searches.claim() is None


def test_its_page_says_the_cost_shows_how_texts_did_and_stops(
    probe: list[Goal], provider: Provider, operator: User, client: Client, strict: ComponentVersion
) -> None:
    client.force_login(operator)
    page = f"/rules/{strict.component_id}/"
    assert "5 texts: at most" in client.get(page).content.decode()
    form = {"why": "<b>blank</b> lines", "strategy": "standard", "texts": "5"}
    client.post(f"{page}search/", {**form, "texts": "many"})
    assert not CandidateSearch.objects.exists()
    client.post(f"{page}search/", form)
    fragment = client.get(page, headers={"HX-Target": "search"}).content.decode()
    assert "0 of 5 texts" in fragment
    assert "<b>blank" not in fragment
    client.post(f"{page}search/", {"stop": "1"})
    assert "stopped by opal" in client.get(page).content.decode()
    provider.will_say(_said(rule("lenient")))
    client.post(f"{page}search/", form)
    searching.work()
    shown = client.get(page).content.decode()
    assert "found one" in shown
    assert "3 of 3" in shown


def test_the_api_begins_shows_and_stops_one(
    probe: list[Goal], provider: Provider, operator: User, api_of: Any, strict: ComponentVersion
) -> None:
    api = api_of(operator)
    body = {"component": str(strict.component_id), "why": "blank lines", "texts": 3}
    begun = api.post("searches", body)
    assert begun.status_code == 202
    made = begun.json()
    assert (made["state"], made["asked"], made["most_texts"], made["candidate"]) == ("waiting", 0, 3, None)
    assert api.post(f"searches/{made['id']}/stop", {}).json()["state"] == "impossible"
    assert api.get(f"searches/{made['id']}").json()["reason"] == "stopped by opal"
    assert api.post("searches", {**body, "component": "999999"}).status_code == 404
