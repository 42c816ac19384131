"""`retries` of a workflow's step, from the text to the sandbox: how often it is tried, and what the plan shows."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from django.test import Client

from agents.bdi.plans import document as documents
from agents.bdi.workflows.binding import MOST_GRANTED
from agents.components import workflow_library
from agents.cycle import cycle
from agents.goals import workflow_goals
from agents.goals.component_goals import Terms
from agents.models import Attempt, FailureRecord, Goal, IntentPlan, RecoveryAttempt, Workspace
from agents.recovery import recovery_learning
from agents.states import GoalState
from agents.workspaces.stores import store
from people.models import User
from review.deciding import decisions, envelope
from tests.agents.bdi.workflows.workflow_texts import execute, text
from tests.library.vectors import install

pytestmark = pytest.mark.django_db(transaction=True)
# It works once ready.txt is there. Its words differ each time, for the same words twice end the tries earlier.
WAITS = (
    "input: {command_line: \"python -c 'import os, sys; "
    "sys.exit(0 if os.path.exists(chr(114) + chr(101) + chr(97) + chr(100) + chr(121)) else os.urandom(8).hex())'\"}"
)
READY = "ready"
HOUR_S = 3600.0


@pytest.fixture(autouse=True)
def _waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A retry waits until a test wakes it."""
    install(monkeypatch)
    monkeypatch.setitem(recovery_learning._USUAL, "retry_delay_seconds", HOUR_S)


@pytest.fixture
def proposed(owner: User, reviewer: User) -> Callable[..., IntentPlan]:
    """`proposed(retries)`: a plan of one step that may be tried again so often; None: it does not say."""

    def made(retries: int | None) -> IntentPlan:
        lines = [WAITS] if retries is None else [WAITS, f"retries: {retries}"]
        version = workflow_library.save(text(execute("simple_coder.run", *lines)), by=reviewer)
        return workflow_goals.process(version, {}, Terms(owner))

    return made


def worked(plan: IntentPlan) -> str:
    """Work until nothing can be done now; a retry that waits is woken by the next call."""
    Goal.objects.filter(pk=plan.goal_id, state=GoalState.RECOVERING.value).update(wake_at=None)
    cycle.work(plan.goal_id)
    return Goal.objects.get(pk=plan.goal_id).state


def make_ready(plan: IntentPlan) -> None:
    """What the step waits for comes about between two tries."""
    workspace = Workspace.objects.get(pk=plan.workspace_id)
    made = store().with_files(workspace.head, [(READY.encode(), io.BytesIO(b""))])
    Workspace.objects.filter(pk=workspace.pk).update(head=made.digest)


def tries(plan: IntentPlan) -> list[tuple[int, str]]:
    rows = Attempt.objects.filter(intent__intent_plan=plan).order_by("number")
    return list(rows.values_list("number", "outcome"))


def test_a_step_that_fails_twice_works_at_its_third_try(proposed: Callable[..., IntentPlan], reviewer: User) -> None:
    plan = proposed(2)
    decisions.approve(plan, by=reviewer, digest=plan.digest, tries=envelope.wanted_tries(None))
    assert (worked(plan), worked(plan)) == (GoalState.RECOVERING, GoalState.RECOVERING)
    make_ready(plan)
    assert worked(plan) == GoalState.ACHIEVED
    assert tries(plan) == [(1, "failed"), (2, "failed"), (3, "succeeded")]
    recovered = RecoveryAttempt.objects.order_by("pk").values_list("strategy", "succeeded")
    assert list(recovered) == [("retry_with_delay", True), ("retry_with_delay", True)]


def test_retries_that_are_used_up_end_the_step_though_more_tries_are_granted(
    proposed: Callable[..., IntentPlan], reviewer: User
) -> None:
    """Retries and granted tries are two bounds of one count: neither is added to the other."""
    plan = proposed(2)
    decisions.approve(plan, by=reviewer, digest=plan.digest, tries=5)
    for _ in range(6):
        state = worked(plan)
    assert state == GoalState.FAILED
    assert tries(plan) == [(1, "failed"), (2, "failed"), (3, "failed")]
    assert FailureRecord.objects.filter(goal=plan.goal_id).count() == 3
    last = FailureRecord.objects.filter(goal=plan.goal_id).order_by("pk").last()
    assert last is not None
    assert last.weighed["closed"]["retry_with_delay"] == "all 3 approved tries have failed"


@pytest.mark.parametrize(("retries", "granted", "tried"), [(0, 3, 1), (4, 2, 2), (None, 2, 2), (1, 5, 2)])
def test_a_step_is_tried_as_often_as_both_allow(
    proposed: Callable[..., IntentPlan], reviewer: User, retries: int | None, granted: int, tried: int
) -> None:
    plan = proposed(retries)
    decisions.approve(plan, by=reviewer, digest=plan.digest, tries=granted)
    for _ in range(granted + 2):
        state = worked(plan)
    assert (state, len(tries(plan))) == (GoalState.FAILED, tried)


def test_the_document_and_the_page_say_what_is_asked_for_and_the_page_proposes_it(
    proposed: Callable[..., IntentPlan], reviewer: User, client_of: Callable[[User], Client]
) -> None:
    plan = proposed(4)
    (spec,) = documents.read(bytes(plan.document)).intents
    assert (spec.retries, spec.tries) == (4, 5)
    page = client_of(reviewer).get(plan.get_absolute_url()).content.decode()
    assert "tried at most 5 times, and never more often than you approve" in page
    assert '<option value="5" selected' in " ".join(page.split())
    silent = proposed_without_name_clash(proposed, plan)
    assert b'"retries"' not in bytes(silent.document), "as in plans from before there were retries"
    page = client_of(reviewer).get(silent.get_absolute_url()).content.decode()
    assert "tried at most" not in page
    assert '<option value="3" selected' in " ".join(page.split())


def proposed_without_name_clash(proposed: Callable[..., IntentPlan], first: IntentPlan) -> IntentPlan:
    from library.models import Component

    Component.objects.filter(name="Test").update(name="Before")
    return proposed(None)


def test_no_more_retries_are_asked_for_without_a_warning_than_can_be_granted() -> None:
    assert envelope.TRIES.stop - 2 == MOST_GRANTED
