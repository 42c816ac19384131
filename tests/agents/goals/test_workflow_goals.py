"""Workflows in the library, and goals that are made of them."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.plans.validation import Problem
from agents.components import tool_writing, workflow_library
from agents.components.workflow_library import WorkflowInvalid
from agents.cycle import cycle
from agents.evolution.activation import deciding
from agents.goals import workflow_goals
from agents.goals.component_goals import Terms
from agents.models import Goal
from agents.plans import proposals
from agents.record import selectors
from agents.record.errors import GoalRefused, PlanInvalid
from agents.states import GoalState, PlanState
from library.components import services
from library.errors import LibraryRefused
from library.models import ComponentVersion
from people.models import User
from review.deciding import decisions
from review.errors import DecisionRefused
from tests.agents.bdi.workflows.workflow_texts import GREET, define, execute, text
from tests.agents.toolkit.made_texts import WORD_COUNT
from tests.cast import person
from tests.library.vectors import install

pytestmark = pytest.mark.django_db

DEFINES = text(define("word_count", WORD_COUNT) + execute("word_count", "input: {path: a.txt}"), name="Counts")


@pytest.fixture(autouse=True)
def _own_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


@pytest.fixture
def greet(reviewer: User) -> ComponentVersion:
    return workflow_library.save(GREET, by=reviewer)


def test_processing_makes_a_goal_with_a_plan_of_all_values_that_awaits_review(
    greet: ComponentVersion, owner: User
) -> None:
    plan = workflow_goals.process(greet, {"name": "moon"}, Terms(owner))
    assert (plan.state, plan.goal.state) == (PlanState.AWAITING_REVIEW, GoalState.AWAITING_REVIEW)
    assert plan.goal.text == "Process the workflow “Greet” 1.0.0 with name = moon"
    document = selectors.read_document(plan)
    assert document is not None
    assert [spec.command for spec in document.intents] == ["write", "read", "run", "write"]
    assert document.intents[0].params["content"] == "Hello moon"
    assert document.intents[3].params["content"] == "{{intents.2.result.content}}"
    assert all(param.value is not None for spec in document.intents for param in spec.parameters)
    told = plan.plan.evidence["workflow"]
    assert (told["version"], told["params"], told["returned"]["key"]) == ("1.0.0", {"name": "moon"}, "content")


def test_who_wrote_a_workflow_does_not_decide_its_plan_under_four_eyes(
    greet: ComponentVersion, owner: User, reviewer: User, settings: Any
) -> None:
    settings.FOUR_EYES = True
    calls = workflow_library.save(text(execute("Greet", item="WORKFLOW"), name="Outer"), by=person("wilma", "reviewer"))
    plan = workflow_goals.process(calls, {}, Terms(owner))
    for writer in (reviewer, User.objects.get(username="wilma")):
        with pytest.raises(DecisionRefused, match="You wrote a part of the workflow Outer"):
            decisions.approve(plan, by=writer, digest=plan.digest)
    other = person("rosa", "reviewer")
    assert decisions.approve(plan, by=other, digest=plan.digest).state == PlanState.APPROVED


def test_no_worker_plans_the_goal_of_a_workflow(greet: ComponentVersion, owner: User) -> None:
    plan = workflow_goals.process(greet, {}, Terms(owner))
    cycle.work(plan.goal_id)
    plan.goal.refresh_from_db()
    assert (plan.goal.state, plan.goal.plans.count()) == (GoalState.AWAITING_REVIEW, 1)


def test_the_same_key_is_the_same_goal(greet: ComponentVersion, owner: User) -> None:
    first, again = (workflow_goals.process(greet, {}, Terms(owner, key="k")) for _ in range(2))
    assert (first.pk, Goal.objects.count()) == (again.pk, 1)


def test_what_cannot_be_processed_leaves_no_goal(greet: ComponentVersion, owner: User, outsider: User) -> None:
    with pytest.raises(WorkflowInvalid, match="Line 1: there is no parameter “nmae”"):
        workflow_goals.process(greet, {"nmae": "x"}, Terms(owner))
    path = workflow_library.save(
        text(execute("simple_coder.mkdir", 'input: {path: "{{params.where}}"}')), by=User.objects.get(username="rita")
    )
    with pytest.raises(WorkflowInvalid, match="Line 3"):
        workflow_goals.process(path, {"where": "../../etc"}, Terms(owner))
    with pytest.raises(GoalRefused):
        workflow_goals.process(greet, {}, Terms(User.objects.create_user("nora", roles=[])))
    assert not Goal.objects.exists()


def test_when_no_step_is_left_there_is_no_plan(reviewer: User, owner: User) -> None:
    body = text(execute("simple_coder.mkdir", "input: {path: a}", 'condition: "{{params.go}} == true"'))
    with pytest.raises(WorkflowInvalid, match="no step is left"):
        workflow_goals.process(workflow_library.save(body, by=reviewer), {"go": False}, Terms(owner))


def test_code_that_is_not_in_use_is_never_a_step(reviewer: User, operator: User, owner: User) -> None:
    version = workflow_library.save(DEFINES, by=reviewer)
    with pytest.raises(WorkflowInvalid, match="“word_count” is not in use"):
        workflow_goals.process(version, {}, Terms(owner))
    saved = tool_writing.save(WORD_COUNT, by=reviewer)
    with pytest.raises(WorkflowInvalid, match="“word_count” is not in use"):
        workflow_goals.process(version, {}, Terms(owner))
    services.activate(saved, operator)
    plan = workflow_goals.process(version, {}, Terms(owner))
    assert plan.intents.get().tool == "word_count"
    other = services.publish("tool", "word_count", WORD_COUNT.replace("split()", "split('x')"), by=reviewer)
    services.activate(other, operator)
    with pytest.raises(WorkflowInvalid, match="“word_count” is not in use"):
        workflow_goals.process(version, {}, Terms(owner))


def test_a_plan_that_the_firmware_or_a_policy_forbids_is_refused_as_everywhere(
    greet: ComponentVersion, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proposals, "problems_of", lambda *_: [Problem(1, "", "forbidden_by_policy", "No.")])
    with pytest.raises(PlanInvalid):
        workflow_goals.process(greet, {}, Terms(owner))
    assert not Goal.objects.exists()


# The library


def test_only_who_may_write_saves_and_only_who_may_activate_activates(
    greet: ComponentVersion, owner: User, reviewer: User, operator: User
) -> None:
    with pytest.raises(LibraryRefused):
        workflow_library.save(GREET.replace("Greet", "Other"), by=owner)
    with pytest.raises(LibraryRefused):
        deciding.activate(greet, by=reviewer)
    assert deciding.activate(greet, by=operator).status == "active"


def test_who_wrote_it_does_not_activate_it_under_four_eyes(operator: User, settings: Any) -> None:
    settings.FOUR_EYES = True
    with pytest.raises(LibraryRefused, match="somebody else"):
        deciding.activate(workflow_library.save(GREET, by=operator), by=operator)


def test_a_text_with_faults_is_not_saved_nor_activated_when_its_tools_have_gone(reviewer: User, operator: User) -> None:
    with pytest.raises(WorkflowInvalid, match="Line 7: there is no tool"):
        workflow_library.save(GREET.replace("name: simple_coder.write", "name: simple_codr.write", 1), by=reviewer)
    kept = services.publish("workflow", "Odd", text(execute("gone.away"), name="Odd"), by=reviewer)
    with pytest.raises(WorkflowInvalid, match="gone"):
        deciding.activate(kept, by=operator)


def test_names_are_taken_once_and_a_version_keeps_its_own(greet: ComponentVersion, reviewer: User) -> None:
    with pytest.raises(LibraryRefused, match="already"):
        workflow_library.save(GREET + "\n", by=reviewer)
    with pytest.raises(LibraryRefused, match="Keep its scenario_name"):
        workflow_library.save(GREET.replace("Greet", "Grüße"), by=reviewer, of=greet.component)


def test_others_call_the_version_in_use_else_the_newest_and_none_that_is_retired(
    greet: ComponentVersion, reviewer: User, operator: User
) -> None:
    newer = workflow_library.save(GREET.replace("Hello", "Hi"), by=reviewer, of=greet.component)
    assert workflow_library.known_workflows()["Greet"].version == newer.version
    deciding.activate(greet, by=operator)
    assert workflow_library.known_workflows()["Greet"].version == greet.version
    assert workflow_library.version_of(greet.component) == greet
    for version in (greet, newer):
        deciding.retire(version, by=operator)
    assert workflow_library.known_workflows() == {}


def test_a_new_version_that_would_close_a_circle_is_refused(greet: ComponentVersion, reviewer: User) -> None:
    workflow_library.save(text(execute("Greet", item="WORKFLOW"), name="Outer"), by=reviewer)
    with pytest.raises(WorkflowInvalid, match="Greet → Outer → Greet"):
        workflow_library.save(text(execute("Outer", item="WORKFLOW"), name="Greet"), by=reviewer, of=greet.component)
