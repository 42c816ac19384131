"""What the database itself checks of an intent plan, when one of the columns it is about is written."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from django.db import IntegrityError, connection, transaction

from agents.models import Goal, IntentPlan, LogCounter
from agents.states import PlanState
from people.models import User

pytestmark = pytest.mark.django_db
Approved = Callable[..., IntentPlan]
WithoutGuard = Callable[[str, str], AbstractContextManager[None]]
LS = {"tool": "simple_coder", "command": "ls", "params": {"path": "."}}


def test_it_knows_the_states_of_the_table_and_no_other() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT prosrc FROM pg_proc WHERE proname = 'agents_intentplan_sound'")
        (source,) = cursor.fetchone()
    known = re.search(r"NEW\.state NOT IN \((.*?)\)", source, re.S)
    assert known is not None
    assert set(re.findall(r"'(\w+)'", known[1])) == {state.value for state in PlanState}


@pytest.mark.parametrize(
    ("changed", "broken"),
    [
        ({"state": "running"}, "intent_plan_state_known"),
        ({"digest": "A" * 64, "approved_digest": "A" * 64}, "intent_plan_digest_is_sha256"),
        ({"approved_digest": "0" * 64}, "intent_plan_runs_only_what_was_approved"),
        ({"approved_digest": ""}, "intent_plan_runs_only_what_was_approved"),
    ],
)
def test_what_no_plan_may_be_is_refused(
    approved: Approved, changed: dict[str, str], broken: str, without_guard: WithoutGuard
) -> None:
    plan = approved([LS])
    # As the table's owner can: the guard of what is immutable would refuse some of it before.
    unguarded = without_guard("agents_intentplan", "intent_plan_immutable")
    with pytest.raises(IntegrityError, match=broken), unguarded:
        IntentPlan.objects.filter(pk=plan.pk).update(**changed)


def test_a_waiting_plan_cannot_be_moved_to_approved_without_a_digest(
    owner: User, make_goal: Callable[..., Goal], approved: Approved
) -> None:
    plan = approved([LS])
    IntentPlan.objects.filter(pk=plan.pk).update(state="awaiting_review", approved_digest="")
    with pytest.raises(IntegrityError, match="runs_only_what_was_approved"), transaction.atomic():
        IntentPlan.objects.filter(pk=plan.pk).update(state="approved")


def test_the_counter_of_its_log_is_there_with_the_goal(owner: User, make_goal: Callable[..., Goal]) -> None:
    assert LogCounter.objects.get(goal=make_goal(owner)).last >= 0
