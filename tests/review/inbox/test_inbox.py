"""Calls that other programs ask about: decided once, for exactly what was shown, and never by silence."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from mindx_web.api.review import inbox as api
from people.models import User
from review.errors import DecisionRefused, NotNow, WordsRefused
from review.inbox import requests
from review.inbox.requests import Sent, Verdict
from review.models import AuditEntry, InboxRequest
from tests.forging import forge

pytestmark = pytest.mark.django_db(transaction=True)
SCHEMA = {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}
CALL: dict[str, Any] = {"source": "invoice bot", "tool": "mail.send", "arguments": {"to": "a@example.org"}}
PAST = timedelta(seconds=-1)
ALL = ("approve", "edit", "reject", "respond")


def sent(by: User, **more: Any) -> InboxRequest:
    return requests.take_in(Sent(**{**CALL, **more}), by=by)


def decided(
    row: InboxRequest, by: User, decision: str = "approve", answer: Any = None, reason: str = ""
) -> InboxRequest:
    return requests.decide(row, Verdict(decision, answer, reason), by=by, digest=row.digest)


def test_a_program_asks_a_person_decides_and_the_program_is_told(owner: User, reviewer: User, api_of: Any) -> None:
    asked = {**CALL, "description": "The reminder for May", "allowed": ["approve", "edit", "reject"], "thread": "t-7"}
    made = api_of(owner).post("inbox", asked)
    assert made.status_code == 201
    row = made.json()
    assert (row["state"], row["decision"], row["answer"], row["by"]) == ("waiting", "", None, "olga")
    edit = {"digest": row["digest"], "decision": "edit", "answer": {"to": "b@example.org"}, "reason": "her new address"}
    assert api_of(owner).post(f"inbox/{row['id']}/decide", edit).status_code == 403
    told = api_of(reviewer).post(f"inbox/{row['id']}/decide", edit).json()
    now = api_of(owner).get(f"inbox/{row['id']}?wait=30").json()
    assert now == told
    assert (now["state"], now["decision"], now["answer"], now["decided_by"]) == (
        "decided", "edit", {"to": "b@example.org"}, "rita",
    )  # fmt: skip
    assert len(now["answer_digest"]) == 64
    entry = AuditEntry.objects.get(event="inbox")
    assert entry.by == reviewer
    assert [entry.data[name] for name in ("digest", "answer_digest")] == [row["digest"], now["answer_digest"]]
    assert "b@example.org" not in str(entry.data), "values stay where they can be forgotten"
    assert [one["id"] for one in api_of(owner).get("inbox?state=decided").json()["items"]] == [row["id"]]


def test_a_decision_is_for_what_was_shown(owner: User, reviewer: User) -> None:
    row, other = sent(owner), sent(owner, arguments={"to": "c@example.org"})
    assert row.digest != other.digest
    with pytest.raises(NotNow, match="has changed since you opened it"):
        requests.decide(row, Verdict("approve"), by=reviewer, digest=other.digest)
    InboxRequest.objects.filter(pk=row.pk).update(arguments={"to": "mallory@example.org"})
    row.refresh_from_db()
    with pytest.raises(NotNow, match="not as mindX stored it"):
        decided(row, reviewer)
    assert InboxRequest.objects.get(pk=row.pk).state == "waiting"


def test_the_digest_is_over_what_is_kept_however_it_was_written(owner: User, reviewer: User) -> None:
    there = timezone.now().astimezone(ZoneInfo("Asia/Kolkata")) + timedelta(hours=1)
    row = sent(owner, arguments={"n": 1e5, "m": 0.10, "\u00e9": "e\u0301"}, expires_at=there)
    assert requests.digest_of(InboxRequest.objects.get()) == row.digest
    assert decided(InboxRequest.objects.get(), reviewer).decision == "approve"


def test_it_is_decided_once_by_whoever_comes_first(owner: User, reviewer: User) -> None:
    row = sent(owner)
    ends: list[str] = []
    ready = threading.Barrier(2)

    def one(decision: str) -> None:
        mine = InboxRequest.objects.get(pk=row.pk)
        ready.wait()
        try:
            decided(mine, reviewer, decision, reason="because")
            ends.append(decision)
        except NotNow:
            ends.append("late")
        connection.close()

    threads = [threading.Thread(target=one, args=(decision,)) for decision in ("approve", "reject")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    row.refresh_from_db()
    assert sorted(ends) == sorted([row.decision, "late"])
    assert AuditEntry.objects.filter(event="inbox").count() == 1
    with pytest.raises(NotNow, match="decided already"):
        decided(row, reviewer)


def test_silence_approves_nothing(owner: User, reviewer: User, api_of: Any) -> None:
    row = sent(owner, expires_at=timezone.now() + timedelta(minutes=1))
    InboxRequest.objects.filter(pk=row.pk).update(expires_at=timezone.now() + PAST)
    row.refresh_from_db()
    assert api_of(owner).get(f"inbox/{row.pk}?wait=30").json()["state"] == "expired", "before any sweep"
    row.digest = requests.digest_of(row)
    with pytest.raises(NotNow, match="expired already"):
        decided(row, reviewer)
    assert (requests.sweep(), requests.sweep()) == (1, 0)
    assert InboxRequest.objects.get().state == "expired"


def test_its_sender_takes_it_back(owner: User, outsider: User, reviewer: User, api_of: Any) -> None:
    row = sent(owner)
    assert api_of(outsider).post(f"inbox/{row.pk}/cancel", {}).status_code == 404
    assert api_of(reviewer).post(f"inbox/{row.pk}/cancel", {}).status_code == 403
    assert api_of(owner).post(f"inbox/{row.pk}/cancel", {}).json()["state"] == "cancelled"
    assert api_of(owner).post(f"inbox/{row.pk}/cancel", {}).status_code == 409
    with pytest.raises(NotNow, match="cancelled already"):
        decided(InboxRequest.objects.get(), reviewer)


def test_who_may_what(owner: User, outsider: User, reviewer: User, settings: Any, api_of: Any) -> None:
    row = sent(owner)
    assert api_of(outsider).get(f"inbox/{row.pk}").status_code == 404
    assert api_of(outsider).get("inbox").json()["items"] == []
    with pytest.raises(DecisionRefused, match="reviewer role"):
        decided(row, owner)
    settings.FOUR_EYES = True
    own = sent(reviewer)
    with pytest.raises(DecisionRefused, match="someone else must decide"):
        decided(own, reviewer)
    assert decided(row, reviewer).decision == "approve"


@pytest.mark.parametrize(
    ("allowed", "decision", "answer", "reason", "field"),
    [
        (("reject",), "approve", None, "", "decision"),
        (ALL, "agree", None, "", "decision"),
        (ALL, "reject", None, " ", "reason"),
        (ALL, "approve", {"to": "x"}, "", "answer"),
        (ALL, "edit", None, "", "answer"),
        (ALL, "edit", ["x"], "", "answer"),
        (ALL, "edit", {"to": 7}, "", "answer"),
        (ALL, "respond", {"too": "x"}, "", "answer"),
        (ALL, "respond", {"to": float("nan")}, "", "answer"),
        (ALL, "edit", {"to": "x" * 200_000}, "", "answer"),
        (ALL, "approve", None, "a\u202eb", "reason"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(
    allowed: tuple[str, ...], decision: str, answer: Any, reason: str, field: str, owner: User, reviewer: User
) -> None:
    row = sent(owner, allowed=allowed, answer_schema=SCHEMA)
    with pytest.raises(WordsRefused) as refused:
        decided(row, reviewer, decision, answer, reason)
    assert refused.value.field == field
    assert InboxRequest.objects.get().state == "waiting"


def deep() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for _ in range(2_000):
        found = {"a": found}
    return found


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"source": " "}, "source"),
        ({"source": "x" * 121}, "source"),
        ({"tool": ""}, "tool"),
        ({"tool": "a\0b"}, "tool"),
        ({"thread": "x" * 201}, "thread"),
        ({"description": "x" * 4_001}, "description"),
        ({"allowed": ()}, "allowed"),
        ({"allowed": ("approve", "always")}, "allowed"),
        ({"arguments": {"a": "x" * 100_000}}, "arguments"),
        ({"arguments": {"a": float("inf")}}, "arguments"),
        ({"arguments": deep()}, "arguments"),
        ({"answer_schema": {"type": 7}}, "answer_schema"),
        ({"answer_schema": {"$ref": "http://example.org/schema"}}, "answer_schema"),
        ({"answer_schema": {"properties": {"a": {"pattern": "(a+)+$"}}}}, "answer_schema"),
        ({"expires_at": timezone.now() + PAST}, "expires_at"),
        ({"expires_at": timezone.now() + timedelta(days=31)}, "expires_at"),
    ],
)
def test_what_cannot_be_shown_or_kept_is_refused(more: dict[str, Any], field: str, owner: User) -> None:
    with pytest.raises(WordsRefused) as refused:
        sent(owner, **more)
    assert refused.value.field == field
    assert not InboxRequest.objects.exists()


def test_nobody_fills_it(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "WAITING_MOST", 2)
    sent(owner), sent(owner)
    with pytest.raises(DecisionRefused, match="wait already"):
        sent(owner)


def test_who_waits_is_told_at_once_and_only_so_many_wait(
    owner: User, reviewer: User, api_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = sent(owner)
    looks: list[float] = []

    def look(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 3:
            decided(InboxRequest.objects.get(pk=row.pk), reviewer)

    monkeypatch.setattr("mindx_web.api.review.inbox.time.sleep", look)
    assert api_of(owner).get(f"inbox/{row.pk}?wait=30").json()["decision"] == "approve"
    assert len(looks) == 3
    other = sent(owner)
    monkeypatch.setattr(api, "_waiting", threading.BoundedSemaphore(1))
    api._waiting.acquire()
    assert api_of(owner).get(f"inbox/{other.pk}?wait=30").json()["state"] == "waiting"
    assert len(looks) == 3, "who finds no place is answered at once"
    assert api_of(owner).get(f"inbox/{other.pk}?wait=31").status_code == 422


def test_on_the_page_a_person_sees_it_all_and_decides(
    owner: User, reviewer: User, client_of: Callable[[User], Client]
) -> None:
    row = sent(owner, tool="<b>mail</b>", description="<script>x</script>", allowed=ALL)
    client = client_of(reviewer)
    assert "&lt;b&gt;mail" in client.get("/inbox/").content.decode()
    page = client.get(f"/inbox/{row.pk}/").content.decode()
    assert "&lt;script&gt;" in page
    assert "<script>x" not in page
    assert row.digest in page
    at = f"/inbox/{row.pk}/decide/"
    assert client.post(at, {"digest": "0" * 64, "decision": "approve"}).status_code == 409
    kept = client.post(at, {"digest": row.digest, "decision": "edit", "answer": "{no", "reason": "mine"})
    assert (kept.status_code, "{no" in kept.content.decode()) == (422, True)
    assert client_of(owner).post(at, {"digest": row.digest, "decision": "approve"}).status_code == 403
    assert client.post(at, {"digest": row.digest, "decision": "respond", "answer": '"not today"'}).status_code == 302
    after = client_of(owner).get(f"/inbox/{row.pk}/").content.decode()
    assert "Answered by Rita" in after
    assert "not today" in after
    mine = sent(owner)
    assert client_of(owner).post(f"/inbox/{mine.pk}/cancel/").status_code == 302
    assert "Nothing was approved" in client_of(owner).get(f"/inbox/{mine.pk}/").content.decode()


@pytest.mark.parametrize(
    "forgery",
    [
        "UPDATE review_inboxrequest SET state = 'decided', decision = 'approve', decided_at = now(),"
        " decided_by_id = (SELECT id FROM people_user WHERE username = 'rita') WHERE id = %s",
        "INSERT INTO review_inboxrequest (by_id, source, thread, tool, arguments, description, allowed, expires_at,"
        " digest, created_at, state, decision, answer_digest, reason, decided_at, decided_by_id)"
        " SELECT by_id, source, thread, tool, arguments, description, allowed, expires_at, digest, now(), 'decided',"
        " 'approve', '', '', now(), (SELECT id FROM people_user WHERE username = 'rita')"
        " FROM review_inboxrequest WHERE id = %s",
    ],
)
def test_a_decision_that_nobody_made_is_not_told(owner: User, reviewer: User, api_of: Any, forgery: str) -> None:
    assert forge(forgery, sent(owner).pk) == 1
    row = InboxRequest.objects.latest("pk")
    told = api_of(owner).get(f"inbox/{row.pk}").json()
    assert (told["state"], told["decision"], told["decided_by"]) == ("cancelled", "", None)
    assert "not as mindX stored it" in told["reason"]
    with pytest.raises(CommandError, match=f"inbox request {row.pk}"):
        call_command("audit", "verify", stdout=StringIO())


@pytest.mark.parametrize("column", ["answer", "arguments", "reason", "by_id"])
def test_a_decision_is_told_only_with_what_was_decided(
    owner: User, reviewer: User, outsider: User, api_of: Any, column: str
) -> None:
    row = decided(sent(owner, allowed=ALL), reviewer, "edit", {"to": "b@example.org"})
    assert api_of(owner).get(f"inbox/{row.pk}").json()["state"] == "decided"
    value = {"reason": "sure", "by_id": outsider.pk}.get(column, '{"to": "evil@example.org"}')
    forge(f"UPDATE review_inboxrequest SET {column} = %s WHERE id = %s", value, row.pk)
    told = api_of(outsider if column == "by_id" else owner).get(f"inbox/{row.pk}").json()
    assert (told["state"], told["decision"], told["answer"]) == ("cancelled", "", None)


@pytest.mark.parametrize("column", ["tool", "by_id"])
def test_a_request_that_was_changed_or_given_to_somebody_else_is_not_decided(
    owner: User, reviewer: User, outsider: User, column: str
) -> None:
    row = sent(owner)
    value = {"tool": "mail.delete", "by_id": outsider.pk}[column]
    forge(f"UPDATE review_inboxrequest SET {column} = %s WHERE id = %s", value, row.pk)  # our own names
    row.refresh_from_db()
    with pytest.raises(NotNow, match="not as mindX stored it"):
        decided(row, reviewer)


def test_a_withdrawn_request_does_not_wait_again(owner: User, reviewer: User) -> None:
    row = sent(owner)
    requests.cancel(row, by=owner)
    forge("UPDATE review_inboxrequest SET state = 'waiting' WHERE id = %s", row.pk)
    row.refresh_from_db()
    with pytest.raises(NotNow, match="not as mindX stored it"):
        decided(row, reviewer)


def test_a_rejected_request_does_not_wait_again(owner: User, reviewer: User) -> None:
    row = decided(sent(owner), reviewer, "reject", reason="no")
    forge(
        "UPDATE review_inboxrequest SET state = 'waiting', decision = '', decided_by_id = NULL, decided_at = NULL,"
        " answer_digest = '', reason = '' WHERE id = %s",
        row.pk,
    )
    row.refresh_from_db()
    with pytest.raises(NotNow, match="not as mindX stored it"):
        decided(row, reviewer)
