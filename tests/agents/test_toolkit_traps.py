"""The faults of a toolkit in which agents evolve agents, a test each: the name is the fault, the body what mindX does.

Its bus, prompts and embeddings have theirs where those are tested; faults of planning stand in `test_traps.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from agents.components import tool_writing, workflow_library
from agents.cycle import cycle
from agents.goals import workflow_goals
from agents.goals.component_goals import Terms
from agents.models import Workspace
from agents.states import GoalState
from agents.workspaces.stores import store
from library.components import services as components
from library.errors import LibraryRefused
from library.memory import services as memory
from library.models import Component, ComponentVersion, Experience
from people.models import User
from review.deciding import decisions
from tests.agents.bdi.workflows.workflow_texts import GREET, define, execute, text
from tests.agents.toolkit.made_texts import WORD_COUNT
from tests.library import vectors

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors.install(monkeypatch)


def test_trap_the_code_of_a_component_is_dropped_when_its_workflow_becomes_intents(
    owner: User, reviewer: User, operator: User, client_of: Callable[[User], Client], api_of: Callable[[User], Any]
) -> None:
    components.activate(tool_writing.save(WORD_COUNT, by=reviewer), operator)
    steps = define("word_count", WORD_COUNT) + execute("word_count", "input: {path: a.txt}")
    plan = workflow_goals.process(workflow_library.save(text(steps), by=reviewer), {}, Terms(owner))
    page = client_of(reviewer).get(f"/review/{plan.pk}/").content.decode()
    assert "return {&quot;words&quot;: len(text.split())}" in page
    (told,) = api_of(reviewer).get(f"intent-plans/{plan.pk}").json()["made_tools"]
    assert told["text"] == WORD_COUNT


def test_trap_an_approved_workflow_has_lost_its_values_and_conditions_and_nothing_executes_it(
    owner: User, reviewer: User
) -> None:
    left_out = execute("simple_coder.mkdir", "input: {path: never}", 'condition: "{{found.return_code}} == 1"')
    workflow = workflow_library.save(GREET.replace("  - type: RETURN", f"{left_out}  - type: RETURN"), by=reviewer)
    plan = workflow_goals.process(workflow, {"name": "moon"}, Terms(owner))
    decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
    cycle.work(plan.goal_id)
    plan.goal.refresh_from_db()
    assert plan.goal.state == GoalState.ACHIEVED
    head = Workspace.objects.get(pk=plan.workspace_id).head
    with store().open(head, b"copy.txt") as file:
        assert file.read() == b"Hello moon"
    assert [one.state for one in plan.intents.order_by("position")] == ["succeeded"] * 4 + ["skipped"]


def test_trap_an_evolved_version_is_active_at_once_beside_its_parent(reviewer: User, operator: User) -> None:
    parent = components.activate(tool_writing.save(WORD_COUNT, by=reviewer), operator)
    mended = WORD_COUNT.replace('encoding="utf-8"', 'encoding="utf-8", errors="replace"')
    evolved = tool_writing.save(mended, by=reviewer, of=parent.component, changes="reads any bytes")
    assert (evolved.status, ComponentVersion.objects.get(pk=parent.pk).status) == ("candidate", "active")
    with pytest.raises(LibraryRefused):
        components.activate(evolved, reviewer)
    with pytest.raises(IntegrityError, match="one_active_version_per_component"), transaction.atomic():
        ComponentVersion.objects.filter(pk=evolved.pk).update(status="active")
    components.activate(evolved, operator)
    active = ComponentVersion.objects.filter(component=parent.component, status="active")
    assert [one.pk for one in active] == [evolved.pk]


def test_trap_what_is_remembered_has_fields_of_two_spellings(owner: User) -> None:
    known = {
        "goal_ref": "7",
        "primary_goal_description": "x",
        "final_outcome": "success",
        "timestamp": timezone.now(),
        "initiating_agent_id": "mindx",
    }
    for stray in ("components_used", "reasoning_snippet"):
        with pytest.raises(TypeError, match=stray):
            memory.record(owner=owner, **known, **{stray: ["x"]})
    assert memory.record(owner=owner, **known, involved_components=["rule:x"]).involved_components == ["rule:x"]
    assert Experience.objects.count() == 1


def test_trap_two_components_of_one_name_share_a_history(reviewer: User) -> None:
    tool = tool_writing.save(WORD_COUNT, by=reviewer)
    rule = components.publish("rule", "word_count", "IF your task is to count THEN PLAN TO count", by=reviewer)
    assert tool.component_id != rule.component_id
    with pytest.raises(IntegrityError), transaction.atomic():
        Component.objects.create(kind="tool", name="word_count")
