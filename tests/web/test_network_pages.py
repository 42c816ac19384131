"""What the pages of a goal tell about the network, and planning again with the access that a step lacked."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest
from django.urls import reverse
from django.utils import timezone

from agents.bdi.plans import document as documents
from agents.models import Attempt, Goal, IntentPlan
from agents.record.moves import move_goal, move_intents, move_plan
from agents.states import GoalState, IntentState, PlanState

if TYPE_CHECKING:
    from django.test import Client

    from people.models import User

ClientOf = Callable[["User"], "Client"]
Proposer = Callable[..., IntentPlan]
pytestmark = pytest.mark.django_db
SHA = "0123456789abcdef" * 4
HOSTILE = "<script>alert(1)</script>\u202e"
SEEN = {
    "refused": [{"host": "api.example", "port": 443}, {"host": HOSTILE, "port": 81}],
    "downloads": [{"file": f"{HOSTILE}.whl", "sha256": SHA, "size_bytes": 2048, "cached": True}],
    "hosts": [{"host": "127.0.0.1:8123", "connections": 2, "sent_bytes": 10, "received_bytes": 4096}],
}
MKDIR = {"tool": "simple_coder", "command": "mkdir", "params": {"path": "x"}}
RUN = {"tool": "simple_coder", "command": "run", "params": {"command_line": "python ask.py", "hosts": ["a.example"]}}


def ended(plan: IntentPlan, network: dict[str, Any], *, failed: bool = True) -> Goal:
    """The goal after its second step was tried; the executor's own tests are about how it gets there."""
    plan = move_plan(plan, PlanState.APPROVED, by="a test", reason="", approved_digest=plan.digest)
    plan = move_plan(plan, PlanState.EXECUTING, by="a test")
    goal = move_goal(Goal.objects.get(pk=plan.goal_id), GoalState.EXECUTING, by="a test")
    now = timezone.now()
    last = plan.intents.get(position=2)
    Attempt.objects.create(
        intent=last,
        number=1,
        fence=1,
        worker="worker-1",
        started=now,
        finished=now + timedelta(seconds=1),
        outcome="failed" if failed else "succeeded",
        failure_class="PERMISSION_ERROR" if failed else "",
        result={"return_code": int(failed), "stdout": "", "stderr": "", "network": network},
        snapshot_before="a" * 64,
    )
    move_intents(plan.intents.filter(pk=last.pk), IntentState.RUNNING)
    move_intents(plan.intents.filter(pk=last.pk), IntentState.FAILED if failed else IntentState.SUCCEEDED)
    move_plan(plan, PlanState.FAILED if failed else PlanState.COMPLETE, by="a test")
    return move_goal(goal, GoalState.FAILED if failed else GoalState.ACHIEVED, by="a test", reason="it ended")


def page(client: Client, name: str, *args: object) -> str:
    answer = client.get(reverse(name, args=args))
    assert answer.status_code == 200
    return str(answer.content.decode())


def plain(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


@pytest.mark.parametrize("name", ["goal", "goal-session", "review-plan"])
def test_every_page_of_the_result_tells_what_was_reached_fetched_and_refused(
    name: str, owner: User, propose_plan: Proposer, client_of: ClientOf
) -> None:
    plan = propose_plan(owner, [MKDIR, RUN])
    goal = ended(plan, SEEN)
    html = page(client_of(owner), name, plan.pk if name == "review-plan" else goal.pk)
    shown = plain(html)
    assert "Step 2: api.example was asked for and not approved. To allow it, plan again with access to it" in shown
    assert "Step 2 reached 127.0.0.1:8123 : 2 connections, 10" in shown
    assert "Step 2 took from the cache" in shown
    assert f'title="{SHA}"' in html
    assert "<script>alert(1)" not in html
    assert "\u202e" not in html
    assert "U+202E" in html


def test_nothing_is_said_about_the_network_when_nothing_happened(
    owner: User, propose_plan: Proposer, client_of: ClientOf
) -> None:
    goal = ended(propose_plan(owner, [MKDIR, RUN]), {}, failed=False)
    assert "network-title" not in page(client_of(owner), "goal", goal.pk)


def test_the_transcript_tells_it_beside_the_command(owner: User, propose_plan: Proposer, client_of: ClientOf) -> None:
    goal = ended(propose_plan(owner, [MKDIR, RUN]), SEEN)
    transcript = plain(page(client_of(owner), "goal-session", goal.pk).partition('id="goal-transcript"')[2])
    assert "127.0.0.1:8123 was reached 2 times: 10 bytes sent, 4,096 received" in transcript
    assert "were asked for and not approved" in transcript
    assert "{" not in transcript


# --- planning again ---------------------------------------------------------------------------------------------------
def test_a_failed_goal_is_proposed_again_with_the_access_it_lacked(
    owner: User, propose_plan: Proposer, client_of: ClientOf
) -> None:
    plan = propose_plan(owner, [MKDIR, RUN])
    goal = ended(plan, {"refused": [{"host": "api.example", "port": 443}]})
    client = client_of(owner)
    html = page(client, "goal", goal.pk)
    assert "To allow it, plan again with access to api.example." in plain(html)
    key = re.search(r'id="goal-with-access".*?name="key" value="(\d+)"', html, re.DOTALL)
    assert key is not None
    address = reverse("goal-again-with-access", args=[goal.pk])
    first = client.post(address, {"key": key[1]})
    again = client.post(address, {"key": key[1]})
    assert first.headers["Location"] == again.headers["Location"]
    fresh = Goal.objects.exclude(pk=goal.pk).get()
    assert (fresh.text, fresh.workspace, fresh.state) == (goal.text, goal.workspace, GoalState.AWAITING_REVIEW)
    made = fresh.intent_plans.get()
    assert made.state == PlanState.AWAITING_REVIEW
    document = documents.read(bytes(made.document))
    before = documents.read(bytes(plan.document))
    assert [spec.hosts for spec in document.intents] == [(), ("a.example", "api.example")]
    assert [spec.command for spec in document.intents] == ["mkdir", "run"]
    assert document.intents[0].params == before.intents[0].params
    hosts = next(one for one in document.intents[1].parameters if one.name == "hosts")
    assert (hosts.origin, hosts.original) == ("person", ["a.example"])
    for name, pk in (("review-plan", made.pk), ("goal-plans", fresh.pk)):
        assert "May reach: a.example , api.example" in plain(page(client, name, pk))


def test_pip_that_was_refused_gets_the_index_and_not_a_host(
    owner: User, propose_plan: Proposer, client_of: ClientOf
) -> None:
    install = {**RUN, "params": {"command_line": "pip install httpx", "hosts": []}}
    goal = ended(propose_plan(owner, [MKDIR, install]), {"refused": [{"host": "pypi.org", "port": None}]})
    html = page(client_of(owner), "goal", goal.pk)
    assert "failed because the package index" in plain(html)


def test_it_is_offered_to_nobody_else_and_not_without_a_refusal(
    owner: User, reviewer: User, operator: User, outsider: User, propose_plan: Proposer, client_of: ClientOf
) -> None:
    refused = ended(propose_plan(owner, [MKDIR, RUN]), {"refused": [{"host": "api.example", "port": 443}]})
    served = ended(propose_plan(owner, [MKDIR, RUN]), {"hosts": SEEN["hosts"]})
    assert "goal-with-access" not in page(client_of(reviewer), "goal", refused.pk)
    assert "goal-with-access" not in page(client_of(owner), "goal", served.pk)
    address = reverse("goal-again-with-access", args=[refused.pk])
    assert client_of(owner).get(address).status_code == 405
    assert client_of(outsider).post(address).status_code == 404
    assert client_of(reviewer).post(address).status_code in (403, 404)
    # An operator may change the goal, but its workspace is not theirs to run steps in.
    assert "goal-with-access" not in page(client_of(operator), "goal", refused.pk)
    client_of(operator).post(address)
    client_of(owner).post(reverse("goal-again-with-access", args=[served.pk]))
    assert Goal.objects.count() == 2
