"""A candidate that a model writes is a worker's work: it waits, is fenced, is stopped, and pays for no answer twice."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone

from agents.evolution.candidates import asking, searches, searching, writing
from agents.evolution.candidates.asking import Wanted
from agents.models import DEFAULT_AGENT, Agent, CandidateSearch, Replay, Standstill
from agents.record.errors import NotPossibleNow
from agents.states import ReplayState
from library.errors import LibraryRefused
from library.models import ComponentVersion, ModelCall
from people import sealing
from people.models import User
from tests.agents.evolution.conftest import rule
from tests.models.conftest import provider as provider
from tests.models.server import Provider

pytestmark = pytest.mark.django_db(transaction=True)


class Killed(BaseException):
    """Stands for a worker that is gone from one moment to the next."""


@pytest.fixture(autouse=True)
def _agent(transactional_db: None) -> None:
    Agent.objects.get_or_create(name=DEFAULT_AGENT)


def _said(text: str) -> str:
    return json.dumps({"rule": text})


def _asked(parent: ComponentVersion, by: User, why: str = "blank lines") -> CandidateSearch:
    return searches.ask_for_one(parent.component, by=by, why=why, strategy="standard")


def test_what_a_killed_worker_was_answered_is_not_paid_for_again(
    provider: Provider, operator: User, strict: ComponentVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.will_say("no JSON", _said(rule("lenient")))
    search = _asked(strict, operator)
    with monkeypatch.context() as patched:

        def killed(*_: Any, **__: Any) -> None:
            raise Killed

        patched.setattr(searching, "_save", killed)
        with pytest.raises(Killed):
            searching.work(search.pk)
    assert len(provider.asked) == 2
    CandidateSearch.objects.filter(pk=search.pk).update(lease_until=Now())
    searching.work(search.pk)
    search.refresh_from_db()
    assert (search.state, search.lease_fence, search.asked) == (ReplayState.DONE, 2, 2), search.reason
    assert search.version is not None
    assert len(provider.asked) == 2, "both answers were there"
    assert Replay.objects.filter(version=search.version).count() == 1
    searching.work(search.pk)
    assert strict.component.versions.count() == 2


def test_the_same_wish_again_asks_again(provider: Provider, operator: User, strict: ComponentVersion) -> None:
    provider.will_say(json.dumps({"cannot": "no idea"}), _said(rule("lenient")))
    first = _asked(strict, operator)
    searching.work(first.pk)
    first.refresh_from_db()
    assert (first.state, first.reason) == (ReplayState.IMPOSSIBLE, "The model wrote no candidate: no idea")
    second = _asked(strict, operator)
    searching.work(second.pk)
    second.refresh_from_db()
    assert (second.state, len(provider.asked)) == (ReplayState.DONE, 2), "an answer of other work is not taken"


def test_the_same_request_twice_has_two_answers_and_the_next_worker_takes_both(
    provider: Provider, operator: User, strict: ComponentVersion
) -> None:
    first, second = rule("lenient"), rule("picky")
    provider.will_say(_said(first), _said(second))
    wanted, begun = Wanted(strict, "blank lines", "aggressive"), timezone.now()
    for _ in range(2):
        writer = replace(asking.writer(), since=begun)
        assert [writing.better(writer, wanted, strict.body, [])[0] for _ in range(2)] == [first, second]
    assert len(provider.asked) == 2


def test_it_is_stopped_while_the_model_is_asked(
    provider: Provider, operator: User, strict: ComponentVersion, api_of: Any
) -> None:
    search = _asked(strict, operator)

    def reply(asked: Any) -> None:
        searches.stop(CandidateSearch.objects.get(pk=search.pk), by=operator)
        asked.stream("no JSON")

    provider.will_say(reply, _said(rule("lenient")))
    searching.work(search.pk)
    search.refresh_from_db()
    assert (search.state, search.reason) == (ReplayState.IMPOSSIBLE, "stopped by opal")
    assert (len(provider.asked), strict.component.versions.count()) == (1, 1), "the repair was not asked for"
    refused = api_of(operator).post(f"searches/{search.pk}/stop", {})
    assert (refused.status_code, refused.json()["detail"]) == (409, "It has ended already.")


def test_an_answer_that_comes_after_another_worker_began_is_not_saved(
    provider: Provider, operator: User, strict: ComponentVersion
) -> None:
    search = _asked(strict, operator)
    late = searches.claim(search.pk)
    assert late is not None
    CandidateSearch.objects.filter(pk=search.pk).update(lease_until=Now())
    assert searches.claim(search.pk) is not None
    searching._save(late, rule("lenient"), "late", "late")
    assert strict.component.versions.count() == 1


def test_three_workers_are_enough(provider: Provider, operator: User, strict: ComponentVersion) -> None:
    search = _asked(strict, operator)
    CandidateSearch.objects.filter(pk=search.pk).update(lease_fence=CandidateSearch.lost_most)
    searching.work(search.pk)
    search.refresh_from_db()
    assert (search.reason, provider.asked) == ("3 workers died while it ran", [])


def test_one_at_a_time_and_a_long_search_does_not_hold_it_up(
    provider: Provider, operator: User, strict: ComponentVersion
) -> None:
    first = _asked(strict, operator)
    assert _asked(strict, operator).pk == first.pk, "the same wish"
    with pytest.raises(NotPossibleNow, match="for another reason"):
        _asked(strict, operator, "something else")
    other = CandidateSearch.objects.create(
        parent=ComponentVersion.objects.create(component=strict.component, version="9.0.0", body="x", status="retired"),
        by=operator, why="x", most_texts=5,
    )  # fmt: skip
    sealing.seal(other)
    assert searches.claim(other.pk) is not None
    assert searches.claim(first.pk) is not None, "beside the search"
    CandidateSearch.objects.filter(pk=other.pk).update(state=ReplayState.WAITING.value, lease_until=None)
    one_more = CandidateSearch.objects.create(
        parent=ComponentVersion.objects.create(component=strict.component, version="9.1.0", body="x", status="retired"),
        by=operator, why="x", most_texts=1,
    )  # fmt: skip
    sealing.seal(one_more)
    assert searches.claim(one_more.pk) is None, "one model is asked at a time"
    Standstill.objects.create(by=operator)
    assert searches.claim() is None


def test_a_budget_that_is_used_up_is_said_in_words(
    provider: Provider, operator: User, strict: ComponentVersion, client: Client
) -> None:
    Agent.objects.filter(name=DEFAULT_AGENT).update(tokens_per_day=10)
    search = _asked(strict, operator)
    searching.work(search.pk)
    search.refresh_from_db()
    assert (search.state, "of today's budget" in search.reason) == (ReplayState.IMPOSSIBLE, True)
    assert (provider.asked, ModelCall.objects.count()) == ([], 0)
    client.force_login(operator)
    assert "of today&#x27;s budget" in client.get(f"/rules/{strict.component_id}/").content.decode()


def test_who_may_not_write_any_more_gets_none_and_refusals_store_nothing(
    provider: Provider, operator: User, owner: User, strict: ComponentVersion, api_of: Any, client: Client
) -> None:
    at = f"components/{strict.component_id}/evolve"
    assert api_of(owner, "library:read").post(at, {"why": "x"}).status_code == 403
    assert api_of(operator).post(at, {"why": ""}).status_code == 422
    with pytest.raises(LibraryRefused):
        _asked(strict, User.objects.create_user("nora", roles=[]))
    client.force_login(operator)
    client.post(f"/rules/{strict.component_id}/evolve/", {"why": "x", "strategy": "wild"})
    assert not CandidateSearch.objects.exists()
    search = _asked(strict, operator)
    User.objects.filter(pk=operator.pk).update(roles=[])
    searching.work(search.pk)
    search.refresh_from_db()
    assert (search.state, provider.asked) == (ReplayState.IMPOSSIBLE, [])
    assert "roles do not let you" in search.reason


def test_its_form_stops_it(provider: Provider, operator: User, strict: ComponentVersion, client: Client) -> None:
    client.force_login(operator)
    page = f"/rules/{strict.component_id}/"
    client.post(f"{page}evolve/", {"why": "blank lines", "strategy": "standard"})
    client.post(f"{page}evolve/", {"stop": "1"})
    shown = client.get(page).content.decode()
    assert "stopped by opal" in shown
    assert "no candidate" in shown
    client.post(f"{page}search/", {"stop": "1"})
    assert CandidateSearch.objects.count() == 1
