"""A POST that is sent again with its Idempotency-Key happens once."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import connection
from django.http import HttpResponse
from django.test import RequestFactory
from django.utils import timezone

from agents.models import Goal, Workspace
from mindx_web.api.protocol.guard import _at_work, guarded
from people import idempotency, sealing
from people.models import AnsweredRequest
from tests.forging import forge

pytestmark = pytest.mark.django_db
GOAL = {"text": "Write a note"}


def test_the_same_request_gets_the_same_answer_and_makes_one_goal(api_of: Any, owner: Any) -> None:
    caller = api_of(owner)
    first = caller.post("goals", GOAL, Idempotency_Key="k1")
    second = caller.post("goals", GOAL, Idempotency_Key="k1")
    assert first.status_code == second.status_code == 201
    assert first.content == second.content
    assert first.headers["Location"] == second.headers["Location"]
    assert first.headers["Content-Type"] == second.headers["Content-Type"]
    assert Goal.objects.count() == 1


def test_the_same_key_with_another_body_is_refused(api_of: Any, owner: Any) -> None:
    caller = api_of(owner)
    caller.post("goals", GOAL, Idempotency_Key="k1")
    for other in ({"text": "Delete a note"}, {**GOAL, "priority": 1}):
        answer = caller.post("goals", other, Idempotency_Key="k1")
        assert (answer.status_code, answer.json()["type"]) == (422, "urn:mindx:problem:key_reused")
    assert Goal.objects.count() == 1


def test_the_same_key_at_another_address_is_refused(api_of: Any, owner: Any, make_goal: Any) -> None:
    caller, (one, other) = api_of(owner), (make_goal(owner), make_goal(owner))
    assert caller.post(f"goals/{one.pk}/cancel", {}, Idempotency_Key="k1").status_code == 200
    assert caller.post(f"goals/{other.pk}/cancel", {}, Idempotency_Key="k1").status_code == 422
    other.refresh_from_db()
    assert other.state == "pending"


def test_a_cancel_that_is_sent_again_is_no_conflict(api_of: Any, owner: Any, make_goal: Any) -> None:
    caller, goal = api_of(owner), make_goal(owner)
    answers = [caller.post(f"goals/{goal.pk}/cancel", Idempotency_Key="k1") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]


def test_an_approval_that_is_sent_again_is_answered_as_the_first_time(
    api_of: Any, reviewer: Any, propose_plan: Any
) -> None:
    plan = propose_plan(reviewer)
    caller = api_of(reviewer)
    answers = [
        caller.post(f"intent-plans/{plan.pk}/approve", {"digest": plan.digest}, Idempotency_Key="k") for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [202, 202]
    assert answers[0].content == answers[1].content


def test_keys_belong_to_their_person(api_of: Any, owner: Any, outsider: Any) -> None:
    mine = api_of(owner).post("goals", GOAL, Idempotency_Key="k1").json()
    theirs = api_of(outsider).post("goals", GOAL, Idempotency_Key="k1").json()
    assert mine["id"] != theirs["id"]
    assert theirs["submitted_by"] == "otto"


def test_a_refused_request_uses_no_key_up(api_of: Any, owner: Any) -> None:
    caller = api_of(owner)
    assert caller.post("goals", {"text": ""}, Idempotency_Key="k1").status_code == 422
    assert caller.post("goals", GOAL, Idempotency_Key="k1").status_code == 201


def test_without_a_valid_token_no_key_is_looked_at(api_of: Any, owner: Any) -> None:
    api_of(owner).post("goals", GOAL, Idempotency_Key="k1")
    assert api_of(None).post("goals", GOAL, Idempotency_Key="k1").status_code == 401


def test_another_token_of_the_same_person_makes_no_second_goal_either(api_of: Any, owner: Any) -> None:
    first, second = (api_of(owner).post("goals", GOAL, Idempotency_Key="k1").json() for _ in range(2))
    assert first["id"] == second["id"]


def test_a_token_without_the_scope_does_not_get_the_kept_answer(api_of: Any, owner: Any) -> None:
    api_of(owner).post("goals", GOAL, Idempotency_Key="k1")
    answer = api_of(owner, "memory:read").post("goals", GOAL, Idempotency_Key="k1")
    assert answer.status_code == 403


@pytest.mark.parametrize("key", ["k" * 181, "a\tb", "é\x7f"])
def test_a_key_that_is_too_long_or_not_printable_is_refused(api_of: Any, owner: Any, key: str) -> None:
    answer = api_of(owner).post("goals", GOAL, Idempotency_Key=key)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "Idempotency-Key")


def test_while_the_first_is_at_work_the_second_is_asked_to_come_again(api_of: Any, owner: Any) -> None:
    caller = api_of(owner)
    caller.post("goals", GOAL, Idempotency_Key="k1")
    AnsweredRequest.objects.update(status=None, body="")
    answer = caller.post("goals", GOAL, Idempotency_Key="k1")
    assert (answer.status_code, answer.headers["Retry-After"]) == (409, "1")


def test_a_request_whose_server_died_is_carried_out_again_and_makes_no_second_goal(api_of: Any, owner: Any) -> None:
    caller = api_of(owner)
    first = caller.post("goals", GOAL, Idempotency_Key="k1").json()
    AnsweredRequest.objects.update(status=None, body="", started_at=timezone.now() - timedelta(minutes=4))
    again = caller.post("goals", GOAL, Idempotency_Key="k1")
    assert (again.status_code, again.json()["id"]) == (201, first["id"])
    assert Goal.objects.count() == 1


def test_after_a_day_the_answer_is_forgotten_and_the_key_still_makes_no_second_goal(api_of: Any, owner: Any) -> None:
    caller = api_of(owner)
    first = caller.post("goals", GOAL, Idempotency_Key="k1").json()
    AnsweredRequest.objects.update(started_at=timezone.now() - idempotency.KEPT_FOR - timedelta(minutes=1))
    assert caller.post("goals", GOAL, Idempotency_Key="k1").json()["id"] == first["id"]
    AnsweredRequest.objects.all().delete()
    other = caller.post("goals", {"text": "Something else"}, Idempotency_Key="k1")
    assert (other.status_code, other.json()["type"]) == (422, "urn:mindx:problem:key_reused")


@pytest.mark.django_db(transaction=True)
def test_a_caller_who_hangs_up_while_waiting_leaves_an_answer_for_the_same_key(owner: Any, token_of: Any) -> None:
    headers = {"Authorization": f"Bearer {token_of(owner)}", "Idempotency-Key": "k1"}

    async def hang_up() -> None:
        begun, ended = asyncio.Event(), asyncio.Event()

        async def slow(request: Any) -> HttpResponse:
            begun.set()
            await ended.wait()
            return HttpResponse("{}", status=202)

        request = RequestFactory().post("/api/v1/slow", content_type="application/json", headers=headers)
        call = asyncio.ensure_future(guarded(slow, takes_files=False)(request))
        await asyncio.wait_for(begun.wait(), 45)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        ended.set()
        await asyncio.wait_for(asyncio.gather(*_at_work), 45)

    async_to_sync(hang_up)()
    assert AnsweredRequest.objects.get().status == 202


@pytest.mark.django_db(transaction=True)
def test_of_many_equal_requests_at_once_one_makes_the_workspace(api_of: Any, owner: Any) -> None:
    caller = api_of(owner)
    statuses: Counter[int] = Counter()
    ready = threading.Barrier(4)

    def send() -> None:
        ready.wait()
        statuses[caller.post("workspaces", {"name": "textkit"}, Idempotency_Key="k1").status_code] += 1
        connection.close()

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Late ones get the kept answer, those in between are asked to come again; nobody is told that the name is taken.
    assert set(statuses) <= {201, 409}
    assert statuses[201] >= 1
    assert Workspace.objects.count() == 1


@pytest.mark.parametrize("column", ["body", "status", "user_id"])
def test_an_answer_that_mindx_did_not_give_is_not_given_again(
    api_of: Any, owner: Any, outsider: Any, column: str
) -> None:
    caller = api_of(owner)
    caller.post("goals", GOAL, Idempotency_Key="k1")
    row = AnsweredRequest.objects.get()
    assert sealing.is_genuine(row)
    value = {"body": '{"state": "approved"}', "status": 202, "user_id": outsider.pk}[column]
    forge(f"UPDATE people_answeredrequest SET {column} = %s", value)
    with pytest.raises(idempotency.NotKept):
        idempotency.begin(AnsweredRequest.objects.get().user, row.key, row.fingerprint)
    if column != "user_id":
        answer = caller.post("goals", GOAL, Idempotency_Key="k1")
        assert (answer.status_code, Goal.objects.count()) == (409, 1)
        assert "not what mindX answered" in answer.json()["detail"]
