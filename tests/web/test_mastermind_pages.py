"""The command line in the page and the backlog: what is shown, decided, refused, and harmless."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.bdi.understanding.understood import Choice, Meant
from agents.coordinator import backlog, backlog_taking
from agents.coordinator.backlog import Wish
from agents.cycle import cycle
from agents.mastermind.components import Component
from agents.mastermind.stops import Rules
from agents.models import Agent, BacklogItem, GivenCommand, Goal
from agents.planning import offers
from people.models import User
from tests.library.vectors import install

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
LINE, BACKLOG = "/mastermind/", "/mastermind/backlog/"
TOOL = Component("tool", "summarization")


@pytest.fixture(autouse=True)
def first_agent(db: None, monkeypatch: pytest.MonkeyPatch) -> Agent:
    install(monkeypatch)
    return Agent.objects.get_or_create(name="mindx")[0]


def wish(text: str, by: User, **also: Any) -> BacklogItem:
    return backlog.add(Wish(TOOL, text, by=by, **also)).item


def said(response: Any) -> str:
    return " ".join(str(message) for message in get_messages(response.wsgi_request))


def test_a_line_is_carried_out_and_its_answer_stands_on_the_page(owner: User, client_of: ClientOf) -> None:
    client = client_of(owner)
    response = client.post(LINE, {"line": "evolve the summarisation tool", "key": "k1"})
    assert response.status_code == 302
    goal = Goal.objects.get()
    page = client.get(LINE).content.decode()
    assert "evolve summarization" in page
    assert f"/goals/{goal.pk}/" in page
    client.post(LINE, {"line": "evolve the summarisation tool", "key": "k1"})
    assert Goal.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_nobody_is_asked_what_a_sentence_of_mindx_means(
    owner: User, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready = Choice("list", "nearest", None, (Meant("simple_coder", "ls", {}, "list", 0.0),))
    monkeypatch.setattr(offers, "for_goal", lambda goal, tree: (ready,))
    client_of(owner).post(LINE, {"line": "evolve the summarization tool: Add better error handling", "key": "k"})
    goal = Goal.objects.get()
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert (goal.state, goal.reason.partition(":")[0]) == ("manual", "no_relevant_rule")
    assert "Write the plan by hand" in client_of(owner).get(f"/goals/{goal.pk}/").content.decode()


def test_what_is_not_understood_does_nothing_and_keeps_the_line(owner: User, client_of: ClientOf) -> None:
    response = client_of(owner).post(LINE, {"line": "evolve the sumarization tool", "key": "k"})
    page = response.content.decode()
    assert response.status_code == 422
    assert 'value="evolve the sumarization tool"' in page
    assert "?line=evolve%20summarization" in page
    assert not Goal.objects.exists()


def test_the_address_fills_the_line_and_does_nothing(owner: User, client_of: ClientOf) -> None:
    page = client_of(owner).get(LINE, {"line": 'deploy "><script>x</script>'}).content.decode()
    assert "&gt;&lt;script&gt;" in page
    assert "<script>x" not in page
    assert not GivenCommand.objects.exists()


def test_untrusted_text_is_harmless_on_every_page(admin: User, client_of: ClientOf) -> None:
    item = wish("placeholder", admin)
    BacklogItem.objects.filter(pk=item.pk).update(suggestion="<b>\x1b[31m\u202etxt", reason="<i>\u200b")
    client = client_of(admin)
    client.post(LINE, {"line": "coord_backlog", "key": ""})
    for address in (LINE, BACKLOG, f"{BACKLOG}{item.pk}/"):
        page = client.get(address).content.decode()
        assert "<b>\x1b" not in page
        assert not {"\x1b", "\u202e", "\u200b"} & set(page), address
        assert "U+202E" in page


def test_everybody_sees_their_own_lines_only(owner: User, outsider: User, client_of: ClientOf) -> None:
    client_of(owner).post(LINE, {"line": "deploy a secret page", "key": ""})
    assert "secret" not in client_of(outsider).get(LINE).content.decode()


def test_a_wish_is_approved_rejected_merged_and_split_by_those_who_triage(
    owner: User, reviewer: User, client_of: ClientOf
) -> None:
    one, two, three = (wish(text, owner) for text in ("Show tags", "Tell the branch", "Name the author"))
    refused = client_of(owner).post(f"{BACKLOG}decide/", {"item": [one.pk], "verdict": "approve"})
    assert "Only operators and reviewers can approve" in said(refused)
    client = client_of(reviewer)
    client.post(f"{BACKLOG}decide/", {"item": [one.pk, two.pk], "verdict": "approve", "reason": "both"})
    response = client.post(f"{BACKLOG}decide/", {"item": [three.pk], "verdict": "reject"})
    assert "Give a reason for rejecting it" in said(response)
    client.post(f"{BACKLOG}decide/", {"item": [three.pk], "verdict": "reject", "reason": "no"})
    assert list(BacklogItem.objects.order_by("pk").values_list("state", flat=True)) == [
        "approved",
        "approved",
        "rejected",
    ]
    client.post(f"{BACKLOG}decide/", {"item": [two.pk, one.pk], "verdict": "merge"})
    two.refresh_from_db()
    assert two.merged_into_id == one.pk
    page = client.get(f"{BACKLOG}{one.pk}/").content.decode()
    assert "Tell the branch" in page
    client.post(f"{BACKLOG}decide/", {"item": [two.pk], "verdict": "split"})
    two.refresh_from_db()
    assert two.state == "pending"


def test_of_several_each_is_decided_for_itself(operator: User, owner: User, client_of: ClientOf) -> None:
    plain = wish("Show tags", owner)
    critical = wish("Tell the branch", owner, critical=True)
    response = client_of(operator).post(f"{BACKLOG}decide/", {"item": [plain.pk, critical.pk], "verdict": "approve"})
    plain.refresh_from_db()
    critical.refresh_from_db()
    assert (plain.state, critical.state) == ("approved", "pending")
    assert "1 item approved" in said(response)
    assert "only a reviewer can decide it" in said(response)


def test_somebody_elses_wish_is_not_there(owner: User, outsider: User, client_of: ClientOf) -> None:
    item = wish("A secret wish", owner)
    assert client_of(outsider).get(f"{BACKLOG}{item.pk}/").status_code == 404
    assert "A secret wish" not in client_of(outsider).get(BACKLOG).content.decode()
    assert "that you may see" in said(
        client_of(outsider).post(f"{BACKLOG}decide/", {"item": [item.pk], "verdict": "reject"})
    )


def test_taking_up_stopping_and_letting_go_on(admin: User, reviewer: User, client_of: ClientOf) -> None:
    client = client_of(admin)
    backlog_taking.save_rules(Rules(1, 1, 5), 0.9, by=admin)
    for text in ("Show tags", "Tell the branch"):
        backlog.approve(wish(text, admin), by=reviewer)
    assert "operators" in said(client_of(reviewer).post(f"{BACKLOG}process/")).casefold()
    assert "1 started" in said(client.post(f"{BACKLOG}process/", {"number": "1"}))
    taken = Goal.objects.get(backlog_try__isnull=False)
    Goal.objects.filter(pk=taken.pk).update(state="manual")
    item = client.get(f"{BACKLOG}{taken.backlog_try.item_id}/").content.decode()
    assert "needs a person" in item, "a goal of which a person is asked does not run"
    assert 'class="card-foot' not in item, "no line for buttons where there is nothing to press"
    Goal.objects.update(state="failed", ended_at=timezone.now())
    backlog_taking.settle()
    page = client.get(BACKLOG).content.decode()
    assert "Nothing is started." in page
    assert "The last item that was tried did not improve anything" in page
    assert "not achieved" in page
    assert "did not improve anything" in said(client.post(f"{BACKLOG}process/"))
    client.post(f"{BACKLOG}lift/", {"reason": "a mistake of mine"})
    assert "Nothing is started." not in client.get(BACKLOG).content.decode()


def test_stop_rules_stand_beside_the_list_and_operators_are_led_to_where_they_are_changed(
    operator: User, reviewer: User, client_of: ClientOf
) -> None:
    page = client_of(reviewer).get(BACKLOG).content.decode()
    assert "Most tries started in a day" in page
    assert "/tuning/stop_rules/current/" not in page
    assert "/tuning/stop_rules/current/" in client_of(operator).get(BACKLOG).content.decode()


def test_filters_narrow_and_strange_ones_are_no_error(admin: User, client_of: ClientOf) -> None:
    wish("Show tags", admin)
    backlog.reject(wish("Tell the branch", admin), by=admin, reason="no")
    client = client_of(admin)
    assert "Tell the branch" not in client.get(BACKLOG).content.decode()
    assert "Tell the branch" in client.get(BACKLOG, {"state": "rejected"}).content.decode()
    assert "Show tags" in client.get(BACKLOG, {"state": "", "q": "tags", "target": TOOL.key}).content.decode()
    for query in ({"state": "sleeping"}, {"after": "x"}, {"after": "9" * 30}, {"source": "dreams"}, {"q": "\0"}):
        assert client.get(BACKLOG, query).status_code in (200, 400)


def test_no_form_leads_away(admin: User, client_of: ClientOf) -> None:
    item = wish("Show tags", admin)
    for back in ("https://evil.example/", "//evil.example", "javascript:alert(1)"):
        answer = client_of(admin).post(f"{BACKLOG}decide/", {"item": [item.pk], "verdict": "split", "back": back})
        assert answer["Location"] == BACKLOG


def test_the_backlog_asks_six_questions_at_most(admin: User, client_of: ClientOf) -> None:
    for number in range(30):
        wish(f"number{number} wish{number} of{number}", admin)
    client = client_of(admin)
    for query in ({}, {"state": "pending"}, {"target": TOOL.key}):
        with CaptureQueriesContext(connection) as asked:
            assert client.get(BACKLOG, query).status_code == 200
        assert len(asked) <= 6, [each["sql"] for each in asked.captured_queries]


def test_empty_pages_say_what_fills_them(owner: User, client_of: ClientOf) -> None:
    assert "No commands yet" in client_of(owner).get(LINE).content.decode()
    assert "coord_improve" in client_of(owner).get(BACKLOG).content.decode()
