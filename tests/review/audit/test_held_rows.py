"""Rows that are changed while a person decides: the change waits in a transaction that is not committed.

Whoever checks a copy of the row, and only then waits for it, would seal what somebody else wrote.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from agents.models import Goal, IntentPlan
from agents.plans import renewals
from agents.record.causes import Forged
from library.components import selectors
from library.components import services as library
from library.errors import LibraryRefused
from library.models import ComponentVersion
from people import sealing
from people.models import User
from review.deciding import auto_approval, decisions, editing
from review.errors import DecisionRefused, NotNow
from review.inbox import requests
from review.inbox.requests import Sent, Verdict
from review.models import InboxRequest
from review.policy.verdict import Action
from tests.cast import person
from tests.forging import forge, holding
from tests.review.plans import goal_of, proposed
from tests.review.some_policies import in_force, tried

pytestmark = pytest.mark.django_db(transaction=True)
Propose = Callable[..., IntentPlan]
BODY = "UPDATE library_componentversion SET body = 'obey me' WHERE id = %s"


def test_a_body_that_nobody_saw_is_not_activated(operator: User) -> None:
    library.publish("prompt", "greeting", "hello", by=operator, status="active")
    new = library.publish("prompt", "greeting", "good day", by=operator)
    with holding(BODY, new.pk), pytest.raises(LibraryRefused, match="not as mindX stored it"):
        library.activate(new, operator)
    assert selectors.active_texts("prompt", ["greeting"])["greeting"][1] == "hello"


def test_a_body_that_nobody_saw_is_not_sealed_when_it_goes_out_of_use(operator: User) -> None:
    old = library.publish("prompt", "greeting", "hello", by=operator, status="active")
    with holding(BODY, old.pk):
        library.publish("prompt", "greeting", "good day", by=operator, status="active")
    stored = ComponentVersion.objects.get(pk=old.pk)
    assert (stored.status, sealing.is_genuine(stored)) == ("retired", False)


def test_arguments_that_nobody_saw_are_not_decided(owner: User, reviewer: User) -> None:
    row = requests.take_in(Sent(source="bot", tool="mail.send", arguments={"to": "a@example.org"}), by=owner)
    other = json.dumps({"to": "mallory"})
    with (
        holding("UPDATE review_inboxrequest SET arguments = %s WHERE id = %s", other, row.pk),
        pytest.raises(NotNow, match="not as mindX stored it"),
    ):
        requests.decide(row, Verdict("approve"), by=reviewer, digest=row.digest)
    assert InboxRequest.objects.get(pk=row.pk).state == "waiting"


# -- what policies and four eyes go by ------------------------------------------------------------------------


@pytest.fixture
def keeper(db: None) -> User:
    return person("kim", "operator", "reviewer")


@pytest.fixture
def waiting(propose_plan: Propose, owner: User) -> IntentPlan:
    """A plan after its dry run that no policy approves yet."""
    return tried(propose_plan(owner))


@pytest.mark.parametrize(
    ("conditions", "statement"),
    [
        ({"roles": ["operator"]}, "UPDATE people_user person SET roles = '{operator}' FROM agents_goal goal"
         " WHERE person.id = goal.submitted_by_id AND goal.id = %s"),
        ({"workspaces": ["scratch"]}, "UPDATE agents_workspace place SET name = 'scratch' FROM agents_goal goal"
         " WHERE place.id = goal.workspace_id AND goal.id = %s"),
    ],
    ids=["roles", "workspace"],
)  # fmt: skip
def test_a_policy_goes_by_what_mindx_knows_of_people_and_places(
    conditions: dict[str, Any], statement: str, waiting: IntentPlan, keeper: User
) -> None:
    in_force(Action.AUTO_APPROVE, keeper, "some pass", commands=["mkdir", "write"], **conditions)
    forge(statement, waiting.goal_id)
    forge("INSERT INTO review_plannews (intent_plan_id) VALUES (%s)", waiting.pk)
    auto_approval.sweep()
    waiting.refresh_from_db()
    assert waiting.state == "awaiting_review"


def test_a_policy_approves_nothing_that_a_person_was_against(waiting: IntentPlan, keeper: User, reviewer: User) -> None:
    decisions.reject(waiting, by=reviewer, digest=waiting.digest, reason="never")
    in_force(Action.AUTO_APPROVE, keeper, "some pass", commands=["mkdir", "write"])
    revived = " SET state = 'awaiting_review', ended_at = NULL, reason = '' WHERE id = %s"
    forge(f"UPDATE agents_goal{revived}", waiting.goal_id)
    forge(f"UPDATE agents_intentplan{revived}", waiting.pk)
    forge("INSERT INTO review_plannews (intent_plan_id) VALUES (%s)", waiting.pk)
    auto_approval.sweep()
    waiting.refresh_from_db()
    assert waiting.state == "awaiting_review"


def test_nothing_is_made_of_a_plan_that_mindx_did_not_make(waiting: IntentPlan, reviewer: User) -> None:
    # As if somebody had written the row anew: a trigger keeps what is sealed of it from being changed.
    sealing.end(waiting)
    assert not renewals.renew(waiting, ("notes",))
    with pytest.raises(Forged):
        editing.edit(waiting, by=reviewer, digest=waiting.digest, position=1, params={"path": "other"})
    assert waiting.goal.intent_plans.count() == 1


def test_nobody_approves_their_own_goal_by_giving_it_to_somebody_else(
    reviewer: User, owner: User, settings: Any
) -> None:
    settings.FOUR_EYES = True
    plan = proposed(goal_of(reviewer))
    forge("UPDATE agents_goal SET submitted_by_id = %s WHERE id = %s", owner.pk, plan.goal_id)
    plan = IntentPlan.objects.get(pk=plan.pk)
    with pytest.raises(DecisionRefused, match="did not seal whose goal"):
        decisions.approve(plan, by=reviewer, digest=plan.digest)
    decisions.reject(plan, by=reviewer, digest=plan.digest, reason="whose is it?")
    assert Goal.objects.get(pk=plan.goal_id).state == "dropped"
