"""Ceilings in the database: which rows count for a plan, and what the database refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from django.db import IntegrityError, transaction

from agents.actors import limits
from agents.bdi.plans import document as documents
from agents.models import Agent, IntentPlan, ToolLimit
from agents.plans import proposals
from agents.toolkit.limits import BOUNDS, DEFAULTS

if TYPE_CHECKING:
    from agents.models import Goal
    from people.models import User

pytestmark = pytest.mark.django_db
MIB = 1 << 20
NOTE = {"tool": "note_taking", "command": "list_notes", "params": {}}
RUN = {"tool": "simple_coder", "command": "run", "params": {"command_line": "python --version"}}


def test_field_by_field_the_most_specific_row_decides(owner: User, make_goal: Callable[..., Goal]) -> None:
    goal = make_goal(owner)
    other = Agent.objects.create(name="another")
    ToolLimit.objects.create(processes=10, soft_s=1, hard_s=10, output_bytes=MIB)
    ToolLimit.objects.create(tool="simple_coder", processes=20, soft_s=2, hard_s=20)
    ToolLimit.objects.create(agent=goal.agent, processes=30, soft_s=3)
    ToolLimit.objects.create(agent=goal.agent, tool="simple_coder", processes=40)
    ToolLimit.objects.create(agent=other, tool="simple_coder", processes=50, file_bytes=MIB)
    found = limits.for_tools(goal, {"simple_coder", "note_taking"})

    def said(tool: str) -> tuple[Any, ...]:
        return tuple(found[tool][name] for name in ("processes", "soft_s", "hard_s", "output_bytes", "file_bytes"))

    assert said("simple_coder") == (40, 3, 20, MIB, DEFAULTS["file_bytes"])
    assert said("note_taking") == (30, 3, 10, MIB, DEFAULTS["file_bytes"])


def test_a_change_holds_for_the_next_plan_and_leaves_the_proposed_one(
    owner: User, propose_plan: Callable[..., IntentPlan]
) -> None:
    before = propose_plan(owner, [NOTE, RUN])
    ToolLimit.objects.create(tool="simple_coder", memory_bytes=64 * MIB)
    after = propose_plan(owner, [NOTE, RUN])

    def memory(plan: IntentPlan) -> list[Any]:
        document = documents.read(bytes(IntentPlan.objects.get(pk=plan.pk).document))
        return [spec.limits["memory_bytes"] for spec in document.all_intents]

    usual = DEFAULTS["memory_bytes"]
    assert memory(before) == [usual, usual]
    assert memory(after) == [usual, 64 * MIB]


def test_a_limit_that_is_lowered_after_validation_is_noticed_when_the_plan_is_proposed(
    owner: User, make_goal: Callable[..., Goal]
) -> None:
    goal, steps = make_goal(owner), [{**RUN, "params": {"command_line": "python --version", "timeout_s": 200}}]
    draft, problems = proposals.draft_by_hand(goal, steps, (), by=owner)
    assert problems == []
    assert proposals.problems_of(goal, draft) == []
    ToolLimit.objects.create(tool="simple_coder", soft_s=10, hard_s=100)
    with pytest.raises(ValueError, match="may ask for"):
        proposals.propose(goal, draft, by=owner)


def test_a_document_states_every_ceiling_of_a_session(owner: User, propose_plan: Callable[..., IntentPlan]) -> None:
    document = documents.read(bytes(propose_plan(owner, [RUN]).document))
    assert document.at(1).limits == dict(DEFAULTS)


def test_the_quota_of_the_workspace_bounds_its_plans(
    owner: User, make_goal: Callable[..., Goal], propose_plan: Callable[..., IntentPlan]
) -> None:
    goal = make_goal(owner)
    goal.workspace.quota_bytes = 5 * MIB
    goal.workspace.save()
    goal.refresh_from_db()
    document = documents.read(bytes(propose_plan(goal, [RUN]).document))
    assert document.at(1).limits["workspace_bytes"] == 5 * MIB


@pytest.mark.parametrize("name", BOUNDS)
def test_the_database_refuses_what_is_useless_or_no_limit(name: str) -> None:
    least, most = BOUNDS[name]
    ToolLimit.objects.create(tool="fits", **{name: least})
    ToolLimit.objects.create(tool="fits too", **{name: most})
    for value in (least - least / 2, most + 1, 0, -1):
        wrong = int(value) if isinstance(least, int) and name not in ("soft_s", "hard_s") else value
        with pytest.raises(IntegrityError), transaction.atomic():
            ToolLimit.objects.create(tool="unfit", **{name: wrong})


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_no_number_is_no_limit(value: float) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        ToolLimit.objects.create(soft_s=value)


def test_the_usual_time_is_not_above_the_longest() -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        ToolLimit.objects.create(soft_s=20, hard_s=10)


@pytest.mark.parametrize("tool", ["", "simple_coder"])
def test_there_is_one_row_for_an_agent_and_a_tool(tool: str) -> None:
    ToolLimit.objects.create(tool=tool, processes=20)
    with pytest.raises(IntegrityError), transaction.atomic():
        ToolLimit.objects.create(tool=tool, processes=30)
