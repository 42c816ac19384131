"""A new tool or workflow that a model writes is a worker's work: asked for at once, fenced, stopped, paid for once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.test import Client

from agents.evolution.candidates import searches, searching
from agents.models import CandidateSearch, ToolCheck
from agents.record.errors import NotPossibleNow
from agents.states import ReplayState
from library.components import services
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from people.models import User
from tests.agents.bdi.workflows.workflow_texts import GREET
from tests.agents.toolkit.made_texts import WORD_COUNT
from tests.models.conftest import provider
from tests.models.server import Provider

__all__ = ["provider"]
pytestmark = pytest.mark.django_db(transaction=True)
TEXTS = {"tool": WORD_COUNT, "workflow": GREET}


class Killed(BaseException):
    """Stands for a worker that is gone from one moment to the next."""


def said(kind: str) -> str:
    return json.dumps({kind: TEXTS[kind]})


@pytest.mark.parametrize("kind", ["tool", "workflow"])
def test_what_a_killed_worker_was_answered_is_not_paid_for_again(
    provider: Provider, reviewer: User, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.will_say("no JSON", said(kind))
    search = searches.ask_for_new(kind, "Do it", by=reviewer)
    assert provider.asked == [], "nothing is asked while somebody waits for a page"
    with monkeypatch.context() as patched:

        def killed(*_: Any, **__: Any) -> None:
            raise Killed

        patched.setattr(searching, "_save", killed)
        with pytest.raises(Killed):
            searching.work(search.pk)
    assert (len(provider.asked), Component.objects.filter(kind=kind).count()) == (2, 0)
    CandidateSearch.objects.filter(pk=search.pk).update(lease_until=Now())
    searching.work(search.pk)
    search.refresh_from_db()
    assert (search.state, search.lease_fence, search.asked) == (ReplayState.DONE, 2, 2), search.reason
    assert len(provider.asked) == 2, "both answers were there"
    version = ComponentVersion.objects.get(component__kind=kind)
    assert search.version == version
    assert (version.status, version.origin, version.created_by) == ("candidate", services.MODEL, reviewer)
    assert version.changes.endswith(": Do it")
    assert ToolCheck.objects.filter(version=version).exists() == (kind == "tool")


def test_an_answer_that_comes_after_it_was_stopped_makes_nothing(provider: Provider, reviewer: User) -> None:
    search = searches.ask_for_new("tool", "Count words", by=reviewer)

    def reply(asked: Any) -> None:
        searches.stop(CandidateSearch.objects.get(pk=search.pk), by=reviewer)
        asked.stream(said("tool"))

    provider.will_say(reply, said("tool"))
    searching.work(search.pk)
    search.refresh_from_db()
    assert (search.state, search.reason) == (ReplayState.IMPOSSIBLE, "stopped by rita")
    assert not Component.objects.filter(kind="tool").exists()


def test_a_person_has_one_wish_of_a_kind_at_a_time(provider: Provider, reviewer: User, operator: User) -> None:
    first = searches.ask_for_new("tool", "Count words", by=reviewer)
    assert searches.ask_for_new("tool", "Count words", by=reviewer) == first, "the same wish"
    with pytest.raises(NotPossibleNow, match="another tool for you"):
        searches.ask_for_new("tool", "Count lines", by=reviewer)
    with pytest.raises(NotPossibleNow, match="another tool for you"):
        searches.ask_for_new("tool", "Count words", by=reviewer, snippet="def count(): ...")
    others = [
        searches.ask_for_new("workflow", "Count words", by=reviewer),
        searches.ask_for_new("tool", "Count words", by=operator),
    ]
    assert len({first.pk, *(one.pk for one in others)}) == 3
    with pytest.raises(IntegrityError), transaction.atomic():
        CandidateSearch.objects.create(new_kind="tool", by=reviewer, why="x", most_texts=1)
    with pytest.raises(IntegrityError), transaction.atomic():
        CandidateSearch.objects.create(new_kind="rule", by=reviewer, why="x", most_texts=1)


def test_who_may_not_write_gets_none_and_a_name_that_is_taken_meanwhile_is_said(
    provider: Provider, reviewer: User, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(LibraryRefused):
        searches.ask_for_new("tool", "Count words", by=owner)
    search = searches.ask_for_new("tool", "Count words", by=reviewer)
    User.objects.filter(pk=reviewer.pk).update(roles=[])
    searching.work(search.pk)
    search.refresh_from_db()
    assert (search.state, provider.asked) == (ReplayState.IMPOSSIBLE, [])
    assert "roles do not let you" in search.reason
    User.objects.filter(pk=reviewer.pk).update(roles=["reviewer"])
    again = searches.ask_for_new("workflow", "Greet", by=reviewer)
    save = searching._save

    def late(*given: Any) -> None:
        services.publish("workflow", "Greet", GREET, by=reviewer)
        save(*given)

    provider.will_say(said("workflow"))
    monkeypatch.setattr(searching, "_save", late)
    searching.work(again.pk)
    again.refresh_from_db()
    assert (again.state, "“Greet” already" in again.reason) == (ReplayState.IMPOSSIBLE, True), again.reason


def test_without_a_model_nothing_is_asked_for(reviewer: User, api_of: Any) -> None:
    answer = api_of(reviewer).post("components", {"kind": "tool", "wish": "Count words"})
    assert (answer.status_code, "MINDX_MODEL" in answer.json()["detail"]) == (409, True)
    assert not CandidateSearch.objects.exists()


def test_the_api_answers_at_once_with_where_to_read_it(
    provider: Provider, reviewer: User, owner: User, api_of: Any
) -> None:
    provider.will_say(said("workflow"))
    wish = {"kind": "workflow", "wish": "Greet somebody"}
    assert api_of(owner, "library:read").post("components", wish).status_code == 403
    assert api_of(reviewer).post("components", {"kind": "rule", "wish": "x"}).status_code == 422
    assert api_of(reviewer).post("components", {**wish, "body": GREET}).status_code == 422
    answer = api_of(reviewer).post("components", wish)
    begun = answer.json()
    assert (answer.status_code, begun["state"], begun["component"]) == (202, "waiting", None)
    assert answer.headers["Location"] == begun["href"] == f"/api/v1/searches/{begun['id']}"
    searching.work()
    ended = api_of(reviewer).get(f"searches/{begun['id']}").json()
    version = ComponentVersion.objects.get(component__kind="workflow")
    assert (ended["state"], ended["candidate"]) == ("done", str(version.pk))
    assert ended["component"] == str(version.component_id)


def test_a_workflow_is_written_by_the_api_as_its_whole_text(reviewer: User, api_of: Any) -> None:
    answer = api_of(reviewer).post("components", {"kind": "workflow", "body": GREET})
    made = answer.json()
    assert (answer.status_code, made["state"], made["checks"], made["trials"]) == (201, "candidate", [], None)
    wrong = api_of(reviewer).post("components", {"kind": "workflow", "body": "steps: []"})
    assert wrong.status_code == 422


@pytest.mark.parametrize(("kind", "at"), [("tool", "/tools/new/"), ("workflow", "/workflows/new/")])
def test_the_page_shows_how_far_it_is_and_stops_it_and_keeps_the_wish(
    provider: Provider, reviewer: User, operator: User, client_of: Callable[[User], Client], kind: str, at: str
) -> None:
    client = client_of(reviewer)
    assert client.post(at, {"do": "describe", "wish": " "}).status_code == 422
    shown = client.post(at, {"do": "describe", "wish": "Count <words>"}, follow=True)
    search = CandidateSearch.objects.get()
    assert shown.redirect_chain == [(f"{at}?search={search.pk}", 302)]
    page = shown.content.decode()
    assert "waiting" in page
    assert "Ask the model" not in page, "one at a time"
    assert client_of(operator).get(f"{at}?search={search.pk}").status_code == 404
    assert client.get(f"{at}?search=x").status_code == 404
    card = client.get(f"{at}?search={search.pk}", headers={"HX-Request": "true", "HX-Target": "written"})
    assert card.content.decode().strip().startswith("<section")
    client.post(at, {"stop": str(search.pk)})
    page = client.get(f"{at}?search={search.pk}").content.decode()
    assert "stopped by rita" in page
    assert ">Count &lt;words&gt;</textarea>" in page, "the wish is still there"
    provider.will_say(said(kind))
    client.post(at, {"do": "describe", "wish": "Count words"})
    searching.work()
    page = client.get(f"{at}?search={CandidateSearch.objects.latest('pk').pk}").content.decode()
    version = ComponentVersion.objects.get(component__kind=kind)
    assert f"?version={version.pk}" in page
    assert "is a candidate" in page
    assert f"?version={version.pk}" not in client.get(at).content.decode(), "what has ended is asked for by its address"
