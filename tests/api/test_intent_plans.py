"""Intent plans by the API: read in full, decided by digest, refused to whom they are not for."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import connection

from agents.models import IntentPlan
from agents.record.moves import move_goal, move_plan
from agents.states import GoalState, PlanState
from mindx_web.api.review import waiting
from review.models import Approval, Decision
from tests.cast import STEPS

pytestmark = pytest.mark.django_db


@pytest.fixture
def plan(propose_plan: Any, owner: Any) -> IntentPlan:
    """A plan of the owner's that awaits review."""
    return propose_plan(owner)


def test_a_plan_shows_every_argument_of_every_step_from_its_document(api_of: Any, owner: Any, plan: Any) -> None:
    shown = api_of(owner).get(f"intent-plans/{plan.pk}").json()
    assert {"id", "goal", "revision", "digest", "state", "risk", "intents"} <= set(shown)
    assert (shown["id"], shown["goal"], shown["digest"]) == (str(plan.pk), str(plan.goal_id), plan.digest)
    assert (shown["state"], shown["risk"], shown["intact"]) == ("awaiting_review", "unknown", True)
    needed = {
        "id",
        "position",
        "tool",
        "command",
        "params",
        "parameters",
        "justification",
        "effect",
        "state",
        "result",
    }
    assert all(needed <= set(intent) for intent in shown["intents"])
    assert [intent["position"] for intent in shown["intents"]] == [1, 2]
    for intent, step in zip(shown["intents"], STEPS, strict=True):
        assert intent["params"] | step["params"] == intent["params"]
    origins = {parameter["name"]: parameter["origin"] for parameter in shown["intents"][1]["parameters"]}
    assert (origins["path"], origins["content"]) == ("explicit", "explicit")
    assert set(origins) == set(shown["intents"][1]["params"])
    assert [(intent["state"], intent["result"]) for intent in shown["intents"]] == [("pending", None)] * 2


def test_a_plan_says_what_it_is_checked_for_and_afterwards_what_the_checks_showed(
    api_of: Any, owner: Any, propose_plan: Any
) -> None:
    write = {"tool": "simple_coder", "command": "write", "params": {"path": "a.txt", "content": "x"}}
    plan = propose_plan(owner, [write])
    (check,) = api_of(owner).get(f"intent-plans/{plan.pk}").json()["checks"]
    assert (check["kind"], check["path"], check["holds"]) == ("exists", "a.txt", None)
    assert check["sentence"] == "a.txt exists"
    stored = {"kind": "exists", "path": "a.txt", "steps": [], "word": "", "holds": True, "said": ""}
    IntentPlan.objects.filter(pk=plan.pk).update(check_results=[stored])
    (check,) = api_of(owner).get(f"intent-plans/{plan.pk}").json()["checks"]
    assert check["holds"] is True


def test_the_list_holds_the_plans_of_visible_goals_newest_first(
    api_of: Any, owner: Any, outsider: Any, reviewer: Any, propose_plan: Any
) -> None:
    newest_first = [str(propose_plan(owner).pk) for _ in range(3)][::-1]
    page = api_of(reviewer).get("intent-plans?state=awaiting_review&limit=2").json()
    rest = api_of(reviewer).get(f"intent-plans?state=awaiting_review&after={page['next']}").json()
    assert [item["id"] for item in page["items"] + rest["items"]] == newest_first
    assert rest["next"] is None
    assert api_of(outsider).get("intent-plans").json() == {"items": [], "next": None}
    assert api_of(reviewer).get("intent-plans?state=rejected").json()["items"] == []


def test_an_approval_by_digest_is_answered_with_the_plan(api_of: Any, reviewer: Any, plan: Any) -> None:
    answer = api_of(reviewer).post(f"intent-plans/{plan.pk}/approve", {"digest": plan.digest, "comment": "fine"})
    assert answer.status_code == 202, answer.content
    assert (answer.json()["id"], answer.json()["state"]) == (str(plan.pk), "approved")
    decision = Decision.objects.get()
    assert (decision.verdict, decision.by, decision.via, decision.comment) == ("approve", reviewer, "api", "fine")
    assert Approval.objects.get().digest == plan.digest


def test_an_approval_with_its_danger_counts_only_for_that_danger(api_of: Any, reviewer: Any, plan: Any) -> None:
    caller, read = api_of(reviewer), api_of(reviewer).get(f"intent-plans/{plan.pk}").json()["danger"]
    other = caller.post(f"intent-plans/{plan.pk}/approve", {"digest": plan.digest, "danger": "Changes nothing"})
    assert other.status_code == 409
    assert f"another one than you read: {read}." in other.json()["detail"]
    assert not Decision.objects.exists()
    assert caller.post(f"intent-plans/{plan.pk}/approve", {"digest": plan.digest, "danger": read}).status_code == 202


WRONG_DIGESTS = ["", "x", "0" * 64, "0" * 63, "é", "\u202e", 5, 1.5, None, True, [], {}, ["a"], {"sha256": "x"}]
WRONG_DIGESTS += ["\x00", "0" * 63 + "\x00", "\ud800", 10**40, {"a": ["\x00"]}]


@pytest.mark.parametrize(
    ("verb", "also"), [("approve", {}), ("reject", {"reason": "no"}), ("request-changes", {"comment": "other"})]
)
def test_any_digest_that_is_not_the_current_one_is_a_conflict(
    api_of: Any, reviewer: Any, plan: Any, verb: str, also: dict[str, str]
) -> None:
    caller = api_of(reviewer)
    for digest in WRONG_DIGESTS:
        answer = caller.post(f"intent-plans/{plan.pk}/{verb}", {"digest": digest, **also})
        assert answer.status_code == 409, (digest, answer.content)
        assert answer.json()["type"] == "urn:mindx:problem:stale_digest", digest
        plan.refresh_from_db()
        assert plan.state == PlanState.AWAITING_REVIEW, digest
        assert not Decision.objects.exists(), digest


def test_the_digest_in_other_letters_or_with_spaces_is_another_digest(api_of: Any, reviewer: Any, plan: Any) -> None:
    for digest in (plan.digest.upper(), f" {plan.digest}", f"{plan.digest}\n"):
        answer = api_of(reviewer).post(f"intent-plans/{plan.pk}/approve", {"digest": digest})
        assert answer.status_code == 409


def test_the_second_of_two_decisions_is_told_who_was_first(api_of: Any, reviewer: Any, admin: Any, plan: Any) -> None:
    body = {"digest": plan.digest, "reason": "it deletes too much"}
    assert api_of(reviewer).post(f"intent-plans/{plan.pk}/reject", body).json()["state"] == "rejected"
    second = api_of(admin).post(f"intent-plans/{plan.pk}/approve", {"digest": plan.digest})
    assert second.status_code == 409
    assert "rejected by rita" in second.json()["detail"]


def test_a_missing_digest_is_a_fault_of_the_request(api_of: Any, reviewer: Any, plan: Any) -> None:
    answer = api_of(reviewer).post(f"intent-plans/{plan.pk}/approve", {})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "digest")


def test_a_submitter_may_read_but_not_decide_and_an_outsider_finds_nothing(
    api_of: Any, owner: Any, outsider: Any, plan: Any
) -> None:
    body = {"digest": plan.digest}
    own = api_of(owner)
    assert own.get(f"intent-plans/{plan.pk}").status_code == 200
    assert own.post(f"intent-plans/{plan.pk}/approve", body).status_code == 403
    foreign = api_of(outsider)
    assert foreign.get(f"intent-plans/{plan.pk}").status_code == 404
    plan.refresh_from_db()
    assert plan.state == PlanState.AWAITING_REVIEW


@pytest.mark.parametrize(("verb", "also"), [("approve", {}), ("reject", {"reason": "x"})])
def test_a_person_who_may_decide_but_not_see_the_plan_finds_nothing(
    api_of: Any, token_of: Any, outsider: Any, reviewer: Any, plan: Any, verb: str, also: dict[str, str]
) -> None:
    caller = api_of(reviewer)
    reviewer.roles = ["submitter"]  # the token was made while they were a reviewer
    reviewer.save()
    answer = caller.post(f"intent-plans/{plan.pk}/{verb}", {"digest": plan.digest, **also})
    assert answer.status_code == 404
    assert not Decision.objects.exists()


def test_with_four_eyes_nobody_approves_their_own_goal(
    api_of: Any, reviewer: Any, propose_plan: Any, settings: Any
) -> None:
    settings.FOUR_EYES = True
    plan = propose_plan(reviewer)
    answer = api_of(reviewer).post(f"intent-plans/{plan.pk}/approve", {"digest": plan.digest})
    assert answer.status_code == 403
    assert "four eyes" in answer.json()["detail"]


def test_naming_all_positions_approves_and_naming_none_or_others_is_refused(
    api_of: Any, reviewer: Any, plan: Any
) -> None:
    caller, address = api_of(reviewer), f"intent-plans/{plan.pk}/approve"
    for some in ([], [1, 2, 3], [0, 1, 2], [-1]):
        answer = caller.post(address, {"digest": plan.digest, "intents": some, "reason": "why"})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "intents"), some
    for body in ({"intents": [1]}, {"intents": [1], "reason": " "}):
        answer = caller.post(address, {"digest": plan.digest, **body})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "reason"), body
    assert not Decision.objects.exists()
    answer = caller.post(address, {"digest": plan.digest, "intents": [2, 1]})
    assert (answer.status_code, answer.json()["id"]) == (202, str(plan.pk))


def test_naming_some_positions_answers_with_the_revision_that_holds_them(api_of: Any, reviewer: Any, plan: Any) -> None:
    body = {"digest": plan.digest, "intents": [1], "reason": "not the second", "rest": "drop"}
    answer = api_of(reviewer).post(f"intent-plans/{plan.pk}/approve", body)
    assert answer.status_code == 202, answer.content
    part = answer.json()
    assert (part["revision"], part["state"], len(part["intents"])) == (2, "approved", 1)
    assert part["digest"] != plan.digest
    assert Approval.objects.get().digest == part["digest"]
    stale = api_of(reviewer).post(f"intent-plans/{plan.pk}/approve", body)
    assert stale.status_code == 409


def test_an_edit_is_answered_with_the_new_revision(api_of: Any, reviewer: Any, plan: Any) -> None:
    shown = api_of(reviewer).get(f"intent-plans/{plan.pk}").json()["intents"][1]
    wanted = {**shown["params"], "content": "something else\n"}
    address = f"intent-plans/{plan.pk}/intents/2"
    for digest in ("0" * 64, 7, None):
        assert api_of(reviewer).patch(address, {"digest": digest, "params": wanted}).status_code == 409
    answer = api_of(reviewer).patch(address, {"digest": plan.digest, "params": wanted})
    assert answer.status_code == 200, answer.content
    revision = answer.json()
    assert (revision["revision"], revision["state"]) == (2, "awaiting_review")
    content = next(one for one in revision["intents"][1]["parameters"] if one["name"] == "content")
    assert (content["value"], content["origin"]) == ("something else\n", "person")
    assert content["original"] == shown["params"]["content"]
    assert not Approval.objects.exists()


def test_an_edit_with_problems_names_them_and_changes_nothing(api_of: Any, reviewer: Any, plan: Any) -> None:
    for params in (
        {"path": "../x", "content": ""},
        {"path": "../root/x", "content": ""},
        {},
        {"path": 5, "content": ""},
        {"path": "a", "content": "", "x": 1},
    ):
        answer = api_of(reviewer).patch(f"intent-plans/{plan.pk}/intents/2", {"digest": plan.digest, "params": params})
        assert answer.status_code == 422, params
        assert answer.json()["errors"]
    for position in (0, 9, -1):
        body = {"digest": plan.digest, "params": {"path": "a"}}
        assert api_of(reviewer).patch(f"intent-plans/{plan.pk}/intents/{position}", body).status_code == 422
    plan.refresh_from_db()
    assert plan.state == "awaiting_review"
    assert not Decision.objects.exists()


@pytest.mark.parametrize("body", [{"reason": ""}, {"reason": "  "}, {}, {"reason": 5}, {"reason": "x" * 100_000}])
def test_a_rejection_needs_a_reason(api_of: Any, reviewer: Any, plan: Any, body: dict[str, Any]) -> None:
    answer = api_of(reviewer).post(f"intent-plans/{plan.pk}/reject", {"digest": plan.digest, **body})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "reason")
    assert not Decision.objects.exists()


def test_a_request_for_changes_reaches_the_planner(api_of: Any, reviewer: Any, plan: Any) -> None:
    body = {"digest": plan.digest, "comment": "Use the folder docs"}
    answer = api_of(reviewer).post(f"intent-plans/{plan.pk}/request-changes", body)
    assert (answer.status_code, answer.json()["state"]) == (200, "superseded")
    goal = plan.goal
    goal.refresh_from_db()
    assert goal.state == GoalState.PENDING
    assert list(goal.beliefs.values_list("sentence", "source")) == [("Use the folder docs", "person")]


@pytest.mark.parametrize("wait", ["-1", "nan", "inf", "soon"])
def test_a_wait_that_is_no_time_is_refused_before_anything_is_done(
    api_of: Any, reviewer: Any, plan: Any, wait: str
) -> None:
    answer = api_of(reviewer).post(f"intent-plans/{plan.pk}/approve?wait={wait}", {"digest": plan.digest})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "wait")
    assert not Decision.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_waiting_approval_is_answered_when_the_plan_has_ended(api_of: Any, reviewer: Any, plan: Any) -> None:
    def work() -> None:
        """What a worker does, as soon as the approval is there."""
        deadline = time.monotonic() + 45
        while not IntentPlan.objects.filter(pk=plan.pk, state="approved").exists():
            assert time.monotonic() < deadline
        running = move_plan(IntentPlan.objects.get(pk=plan.pk), PlanState.EXECUTING, by="a test")
        move_plan(running, PlanState.COMPLETE, by="a test")
        connection.close()

    worker = threading.Thread(target=work)
    worker.start()
    answer = api_of(reviewer).post(f"intent-plans/{plan.pk}/approve?wait=60", {"digest": plan.digest})
    worker.join()
    assert (answer.status_code, answer.json()["state"]) == (202, "complete")


@pytest.mark.django_db(transaction=True)
def test_a_wait_ends_at_its_time(api_of: Any, reviewer: Any, plan: Any) -> None:
    started = time.monotonic()
    answer = api_of(reviewer).post(f"intent-plans/{plan.pk}/approve?wait=0.2", {"digest": plan.digest})
    assert (answer.status_code, answer.json()["state"]) == (202, "approved")
    assert 0.2 <= time.monotonic() - started < 45


@pytest.mark.django_db(transaction=True)
def test_a_plan_whose_goal_waits_for_a_person_is_not_waited_for(plan: Any) -> None:
    move_goal(plan.goal, GoalState.MANUAL, by="a test", reason="needs a hand")
    started = time.monotonic()
    async_to_sync(waiting.until_ended)(plan.pk, 60)
    assert time.monotonic() - started < 45


def test_too_many_waits_of_one_person_are_refused_before_anything_is_done(
    api_of: Any, reviewer: Any, plan: Any, monkeypatch: Any
) -> None:
    monkeypatch.setitem(waiting._waiting, reviewer.pk, 32)
    caller, body = api_of(reviewer), {"digest": plan.digest}
    answer = caller.post(f"intent-plans/{plan.pk}/approve?wait=1", body)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "5")
    assert not Decision.objects.exists()
    assert caller.post(f"intent-plans/{plan.pk}/approve", body).status_code == 202


def test_a_document_that_was_changed_is_shown_as_broken_and_cannot_be_approved(
    api_of: Any, reviewer: Any, plan: Any
) -> None:
    changed = bytes(plan.document).replace(b"notes", b"votes")
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; ALTER TABLE agents_intentplan DISABLE TRIGGER USER")
        cursor.execute("UPDATE agents_intentplan SET document = %s WHERE id = %s", [changed, plan.pk])
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; ALTER TABLE agents_intentplan ENABLE TRIGGER USER")
    caller = api_of(reviewer)
    assert caller.get(f"intent-plans/{plan.pk}").json()["intact"] is False
    answer = caller.post(f"intent-plans/{plan.pk}/approve", {"digest": plan.digest})
    assert answer.status_code in {403, 409}
    assert not Approval.objects.exists()


def test_a_document_that_is_no_document_any_more_is_still_answered(api_of: Any, reviewer: Any, plan: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; ALTER TABLE agents_intentplan DISABLE TRIGGER USER")
        cursor.execute("UPDATE agents_intentplan SET document = 'x' WHERE id = %s", [plan.pk])
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; ALTER TABLE agents_intentplan ENABLE TRIGGER USER")
    shown = api_of(reviewer).get(f"intent-plans/{plan.pk}")
    assert shown.status_code == 200
    assert (shown.json()["intact"], shown.json()["intents"]) == (False, [])
