"""Intent plans for the tests of review: rows as planning leaves them, made without planning."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document, IntentSpec, Parameter
from agents.models import Agent, Goal, Intent, IntentPlan, Plan, ShadowRun, Workspace
from agents.plans import proposals, shadowing
from agents.record import moves
from agents.states import PlanState, ShadowState
from people import sealing
from people.models import User
from people.roles import Role
from review.entries import risks
from sandbox.store.snapshots import EMPTY


def person(name: str, *roles: Role, **also: Any) -> User:
    """A person with these roles. They log in by force: hashing passwords would be most of the test time."""
    return User.objects.create_user(name, roles=list(roles), **also)


def step(command: str, /, *, why: str = "because the rule says so", **params: Any) -> IntentSpec:
    """One step of SimpleCoder; its position is set by `proposed`."""
    return IntentSpec(
        position=0,
        phase="main",
        tool="simple_coder",
        command=command,
        params=params,
        parameters=tuple(Parameter(name, value, "rule_slot") for name, value in params.items()),
        justification=why,
        effect="workspace",
        limits={},
        depends_on=(),
        condition=None,
        hosts=(),
        rule="",
        sentence=f"{command} " + " ".join(str(value) for value in params.values()),
    )


MKDIR = step("mkdir", path="notes")
WRITE = step("write", path="notes/one.txt", content="first line\nsecond line\n")


def goal_of(owner: User, text: str = "Write a note", *, workspace: Workspace | None = None, priority: int = 3) -> Goal:
    """A goal that awaits review."""
    workspace = workspace or Workspace.objects.create(
        name=f"ws-{Workspace.objects.count() + 1}", owner=owner, head=EMPTY
    )
    agent, _ = Agent.objects.get_or_create(name="mindx")
    goal = Goal.objects.create(
        text=text, submitted_by=owner, agent=agent, workspace=workspace, priority=priority, state="awaiting_review"
    )
    sealing.seal(goal)
    return goal


def proposed(
    goal: Goal,
    steps: Sequence[IntentSpec] = (MKDIR, WRITE),
    *,
    cleanup: Sequence[IntentSpec] = (),
    evidence: Mapping[str, Any] | None = None,
) -> IntentPlan:
    """The next revision of the goal's plan, awaiting review; an open one before it is superseded."""
    for earlier in goal.intent_plans.filter(state=PlanState.AWAITING_REVIEW):
        moves.move_plan(earlier, PlanState.SUPERSEDED, by="bdi_agent", reason="a new revision")
    number = goal.plans.count() + 1
    main = tuple(replace(spec, position=at) for at, spec in enumerate(steps, 1))
    undo = tuple(replace(spec, position=at, phase="cleanup") for at, spec in enumerate(cleanup, len(main) + 1))
    names = str(goal.pk), goal.text, goal.workspace.name, goal.workspace.head
    document = Document(*names, number, "rule", main, undo)
    data = documents.write(document)
    plan = Plan.objects.create(goal=goal, number=number, source="rule", steps=[], evidence=dict(evidence or {}))
    intent_plan = IntentPlan.objects.create(
        goal=goal,
        plan=plan,
        workspace=goal.workspace,
        revision=number,
        document=data,
        digest=documents.digest_of(data),
        replaces=proposals.replaced(document),
    )
    sealing.seal(intent_plan)
    Intent.objects.bulk_create(
        Intent(
            intent_plan=intent_plan,
            position=spec.position,
            phase=spec.phase,
            tool=spec.tool,
            command=spec.command,
            effect=spec.effect,
        )
        for spec in (*main, *undo)
    )
    return intent_plan


def tried(
    plan: IntentPlan, *, failed_at: int = 0, state: str = ShadowState.DONE.value, **changes: list[str]
) -> ShadowRun:
    """A dry run of the plan as a worker leaves it, without running anything, looked at as review does.

    Each step was done, or failed at this one. `changes`: paths by what became of them.
    """
    run = plan.shadow_runs.filter(state=ShadowState.WAITING.value).first()
    run = run or ShadowRun(intent_plan=plan, number=plan.shadow_runs.count() + 1)
    run.state, run.base, run.after = state, plan.workspace.head, plan.workspace.head
    main = plan.intents.filter(phase="main").values_list("position", flat=True)
    run.findings = [_finding(position, failed_at) for position in main]
    run.save()
    became: dict[str, list[str]] = {"deleted": [], "moved": [], "changed": [], "added": []}
    with patch.object(shadowing, "changed_paths", lambda run: became | changes if run.state == "done" else None):
        risks.store(plan, run)
    return run


def _finding(position: int, failed_at: int) -> dict[str, Any]:
    proof, why = "done", ""
    if failed_at:
        proof, why = ("failed", "exit code 1") if position == failed_at else (proof, why)
        proof, why = ("not_reached", f"step {failed_at} got no further here") if position > failed_at else (proof, why)
    return {"position": position, "proof": proof, "why": why, "answer": None, "duration_s": 0.0}


def with_files(store: Any, owner: User, files: Mapping[str, bytes]) -> Workspace:
    """A workspace that holds these files. `store` is the fixture of that name."""
    head = EMPTY
    for path, content in files.items():
        head = store.with_files(head, [(path.encode(), io.BytesIO(content))]).digest
    return Workspace.objects.create(name=f"files-{Workspace.objects.count()}", owner=owner, head=head)
