"""Reviewers hear that a program asks: who can decide it, once, without its arguments, and no longer than it waits."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from people.models import User
from review.errors import WordsRefused
from review.inbox import requests, telling
from review.inbox.requests import Sent, Verdict
from review.models import Delivery, InboxRequest, Notice, NoticeChoice
from review.notices import deliveries
from tests.forging import sealed

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Wake-ups are kept instead of going to a worker."""
    asked: list[int] = []
    monkeypatch.setattr(deliveries, "wake", asked.append)
    return asked


def sent(by: User, **more: Any) -> InboxRequest:
    call = {"source": "invoice bot", "tool": "mail.send", "arguments": {"to": "secret@example.org"}}
    return requests.take_in(Sent(**{**call, **more}), by=by)


def told() -> set[str]:
    return set(Notice.objects.filter(kind="inbox", read_at__isnull=True).values_list("user__username", flat=True))


def reject(row: InboxRequest, by: User) -> None:
    requests.decide(row, Verdict("reject", reason="not this one"), by=by, digest=row.digest)


def test_who_can_decide_is_told_and_led_to_the_page(
    owner: User, reviewer: User, outsider: User, client_of: ClientOf
) -> None:
    row = sent(owner, description="for May", thread="t-7")
    assert told() == {reviewer.username}
    notice = Notice.objects.get()
    assert notice.text == "A program of olga asks in the inbox: “invoice bot” wants to call “mail.send”"
    page = client_of(reviewer).get("/review/notices/").content.decode()
    assert notice.text in page
    assert f"inbox request {row.pk}" in page
    followed = client_of(reviewer).get(f"/review/notices/{notice.pk}/", follow=True)
    assert followed.redirect_chain == [(f"/inbox/{row.pk}/", 302)]
    assert client_of(outsider).get(f"/review/notices/{notice.pk}/").status_code == 404
    assert not told()


def test_with_four_eyes_nobody_is_told_of_what_they_sent(reviewer: User, settings: Any) -> None:
    settings.FOUR_EYES = True
    sent(reviewer)
    assert not told()
    settings.FOUR_EYES = False
    sent(reviewer)
    assert told() == {reviewer.username}


def test_what_a_program_calls_itself_is_shown_as_one_plain_line(owner: User, reviewer: User) -> None:
    sent(owner, source="bot\n\u202eevil\x1b[31m", tool="t" * 200)
    text = Notice.objects.get().text
    assert not {"\n", "\u202e", "\x1b"} & set(text)
    assert f"“{'t' * 60}…”" in text


def test_a_refused_request_tells_nobody(owner: User, reviewer: User) -> None:
    with pytest.raises(WordsRefused):
        sent(owner, tool="")
    assert not Notice.objects.exists()


@pytest.mark.parametrize("way", ["decided", "cancelled", "expired"])
def test_it_counts_as_read_and_is_sent_nowhere_once_it_waits_no_more(
    way: str, owner: User, reviewer: User, woken: list[int]
) -> None:
    sealed(NoticeChoice.objects.create(user=reviewer, apprise_address="json://example.org", apprise_kinds=["inbox"]))
    row, other = sent(owner), sent(owner)
    if way == "decided":
        reject(row, reviewer)
    elif way == "cancelled":
        requests.cancel(row, by=owner)
    else:
        InboxRequest.objects.filter(pk=row.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
        assert requests.sweep() == 1
    unread = Notice.objects.filter(read_at__isnull=True)
    assert [notice.inbox_request_id for notice in unread] == [other.pk]
    assert [one.notice.inbox_request_id for one in Delivery.objects.all()] == [other.pk]


def test_what_was_sent_already_stays_in_the_list_of_deliveries(
    owner: User, reviewer: User, django_capture_on_commit_callbacks: Any, woken: list[int]
) -> None:
    sealed(NoticeChoice.objects.create(user=reviewer, apprise_address="json://example.org", apprise_kinds=["inbox"]))
    with django_capture_on_commit_callbacks(execute=True):
        row = sent(owner)
    delivery = Delivery.objects.get()
    assert woken == [delivery.pk]
    body = deliveries._body(delivery)
    assert f"/inbox/{row.pk}/" in body
    assert "secret@example.org" not in body
    Delivery.objects.update(state="sent", ended_at=timezone.now())
    reject(row, reviewer)
    assert Delivery.objects.get().state == "sent"


def test_a_flood_fills_nobodys_mailbox_and_another_sender_is_heard(
    owner: User, reviewer: User, outsider: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telling, "UNREAD_MOST", 2)
    rows = [sent(owner) for _ in range(4)]
    assert Notice.objects.filter(user=reviewer).count() == 2
    sent(outsider)
    assert Notice.objects.filter(user=reviewer).count() == 3
    reject(rows[0], reviewer)
    sent(owner)
    assert Notice.objects.filter(user=reviewer).count() == 4
