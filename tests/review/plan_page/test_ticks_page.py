"""Ticking steps: what is ticked is approved, never more, and the page says it before the click, scripts or not."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client

from agents.bdi.plans import document as documents
from agents.models import Belief, Goal, IntentPlan, LogLine
from people.models import User
from review.models import Approval, Decision
from review.reading import ticks

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
Propose = Callable[..., IntentPlan]


def write(path: str) -> dict[str, Any]:
    return {"tool": "simple_coder", "command": "write", "params": {"path": path, "content": "x"}}


def mkdir(path: str) -> dict[str, Any]:
    return {"tool": "simple_coder", "command": "mkdir", "params": {"path": path}}


FOUR = (mkdir("a"), write("a/one.txt"), mkdir("b"), write("b/two.txt"))


@pytest.fixture
def plan(owner: User, propose_plan: Propose) -> IntentPlan:
    """Four steps: 2 stands on 1, and 4 on 3."""
    return propose_plan(owner, FOUR)


def decide(client: Client, plan: IntentPlan, intents: list[int], **also: Any) -> Any:
    fields = {"digest": plan.digest, "verdict": "approve", "ticks": "4", "intents": intents, "part_reason": "not ours"}
    return client.post(f"/review/{plan.pk}/decide/", fields | also)


def words_of(response: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


def ticked(response: Any) -> list[int]:
    boxes = re.findall(r'<input type="checkbox" name="intents" value="(\d+)"([^>]*)>', response.content.decode())
    return [int(value) for value, rest in boxes if " checked" in rest]


def test_a_box_knows_what_its_step_stands_on_and_what_stands_on_it(plan: IntentPlan) -> None:
    boxes = ticks.ticks_of(documents.read(bytes(plan.document)))
    assert {at: (one.needs, one.needed_by) for at, one in boxes.items()} == {
        1: ((), (2,)),
        2: ((1,), ()),
        3: ((), (4,)),
        4: ((3,), ()),
    }
    assert ticks.in_words(boxes.values()) == ""
    some = ticks.ticks_of(documents.read(bytes(plan.document)), [1, 2])
    assert ticks.in_words(some.values()) == "Approve 2 of 4: 1, 2. Left out: 3, 4."


def test_everything_is_ticked_at_first_and_needs_are_marked(
    plan: IntentPlan, reviewer: User, owner: User, client_of: ClientOf
) -> None:
    page = client_of(reviewer).get(plan.get_absolute_url())
    assert ticked(page) == [1, 2, 3, 4]
    assert "needed by 2" in words_of(page)
    reader = client_of(owner).get(plan.get_absolute_url())
    assert 'name="intents"' not in reader.content.decode(), "who may not decide has nothing to tick"


def test_a_plan_of_one_step_has_no_box(owner: User, reviewer: User, propose_plan: Propose, client_of: ClientOf) -> None:
    page = client_of(reviewer).get(propose_plan(owner, FOUR[:1]).get_absolute_url())
    assert 'name="intents"' not in page.content.decode()


def test_what_is_ticked_is_approved_and_the_rest_is_left_out(
    plan: IntentPlan, reviewer: User, client_of: ClientOf
) -> None:
    response = decide(client_of(reviewer), plan, [1, 2], rest="drop")
    assert response.status_code == 302
    approval = Approval.objects.select_related("intent_plan").get()
    part = approval.intent_plan
    assert (part.revision, part.rest, part.state) == (2, "drop", "approved")
    assert [one["position"] for one in part.left_out] == [3, 4]
    page = words_of(client_of(reviewer).get(part.get_absolute_url()))
    assert "left out" in page
    assert "not ours" in page


def test_one_rejected_call_throws_away_the_approved_ones(plan: IntentPlan, reviewer: User, client_of: ClientOf) -> None:
    """The trap: leaving one step out must not lose the others, and the one left out has a recorded result."""
    decide(client_of(reviewer), plan, [1, 2, 3])
    part = Approval.objects.get().intent_plan
    assert [(one.command, one.state) for one in part.intents.all()] == [
        ("mkdir", "pending"),
        ("write", "pending"),
        ("mkdir", "pending"),
    ]
    assert plan.intents.get(position=4).state == "skipped"
    assert Belief.objects.filter(goal=plan.goal, sentence__contains="not ours").exists()


def test_ticks_that_miss_what_they_stand_on_approve_nothing_and_show_it_ticked(
    plan: IntentPlan, reviewer: User, client_of: ClientOf
) -> None:
    response = decide(client_of(reviewer), plan, [2], part_reason="typed words")
    assert response.status_code == 422
    assert ticked(response) == [1, 2]
    assert "need others that were not selected: 1." in words_of(response)
    assert "typed words" in response.content.decode()
    assert "Approve 2 of 4: 1, 2. Left out: 3, 4." in words_of(response)
    assert not Decision.objects.exists()
    assert Goal.objects.get(pk=plan.goal_id).intent_plans.count() == 1


@pytest.mark.parametrize(
    ("intents", "also", "said"),
    [
        ([], {}, "Choose at least one step"),
        ([1], {"part_reason": ""}, "Write a few words"),
        ([1], {"rest": "burn"}, "planned again"),
        ([9], {}, "no main step 9"),
        (["x"], {}, "no main step 0"),
        ([1], {"tries": "77"}, "Choose 1 to 5 tries"),
    ],
)
def test_what_cannot_be_taken_is_refused_with_the_ticks_kept(
    plan: IntentPlan, reviewer: User, client_of: ClientOf, intents: list[Any], also: dict[str, str], said: str
) -> None:
    response = decide(client_of(reviewer), plan, intents, **also)
    assert response.status_code == 422
    assert said in words_of(response)
    assert ticked(response) == [one for one in intents if one == 1]
    assert not Decision.objects.exists()


def test_who_may_not_decide_approves_no_part(
    plan: IntentPlan, owner: User, outsider: User, client_of: ClientOf
) -> None:
    assert decide(client_of(owner), plan, [1, 2]).status_code == 403
    assert decide(client_of(outsider), plan, [1, 2]).status_code == 404
    assert not Decision.objects.exists()


def test_htmx_gets_the_fragment_with_its_ticks_and_is_sent_on(
    plan: IntentPlan, reviewer: User, client_of: ClientOf
) -> None:
    client = client_of(reviewer)
    fields = {"digest": plan.digest, "verdict": "approve", "ticks": "4", "part_reason": "not ours"}
    address = f"/review/{plan.pk}/decide/"
    refused = client.post(address, fields | {"intents": [4]}, headers={"HX-Request": "true"})
    assert (refused.status_code, ticked(refused)) == (422, [3, 4])
    assert "<html" not in refused.content.decode()
    done = client.post(address, fields | {"intents": [3, 4]}, headers={"HX-Request": "true"})
    assert "HX-Redirect" in done.headers


def test_two_people_at_once_one_part_is_approved_and_the_other_sees_who_was_first(
    plan: IntentPlan, reviewer: User, admin: User, client_of: ClientOf
) -> None:
    assert decide(client_of(reviewer), plan, [1, 2]).status_code == 302
    late = decide(client_of(admin), plan, [3, 4])
    assert late.status_code == 409
    assert f"by {reviewer.username}" in words_of(late)
    assert Approval.objects.count() == 1


@pytest.mark.parametrize("intents", [[1, 2, 3, 4], [1, 2]])
def test_comments_given_with_an_approval_are_dropped(
    plan: IntentPlan, reviewer: User, client_of: ClientOf, intents: list[int]
) -> None:
    """The trap: instructions that come with an approval reach the planner, the log and the decision."""
    decide(client_of(reviewer), plan, intents, instructions="Keep to British spelling")
    assert Belief.objects.filter(goal=plan.goal, source="person", sentence="Keep to British spelling").count() == 1
    assert LogLine.objects.filter(goal=plan.goal, text__contains="Keep to British spelling").exists()
    assert Approval.objects.get().decision.comment == "Keep to British spelling"


def test_instructions_that_cannot_be_taken_are_refused_at_their_field(
    plan: IntentPlan, reviewer: User, client_of: ClientOf
) -> None:
    response = decide(client_of(reviewer), plan, [1, 2, 3, 4], instructions="hidden \u202e words")
    assert response.status_code == 422
    assert 'id="instructions-err"' in response.content.decode()
    assert "words</textarea>" in response.content.decode()
    assert not Decision.objects.exists()
