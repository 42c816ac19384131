"""The rows of a plan that is proposed: itself, its revision with every step and the session, and its first dry run.

One statement. By themselves they went to the database five times, while the goal was locked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models.signals import post_save
from django.utils import timezone

from agents.bdi.plans.document import Document
from agents.models import Goal, Intent, IntentPlan, Plan, Planning, ShadowRun, TerminalSession
from agents.plans.planning_time import Took
from agents.record import prepared
from agents.states import IntentState, PlanState, ShadowState
from people import sealing

# What a model's defaults would write stands here as it is; a test compares the two.
_STORE = f"""
WITH plan AS (
    INSERT INTO {Plan._meta.db_table} (goal_id, number, source, by_id, steps, evidence, problems, created_at)
    VALUES (%(goal)s, %(number)s, %(source)s, %(by)s, %(steps)s, %(evidence)s, '[]', %(now)s)
    RETURNING id
), revision AS (
    INSERT INTO {IntentPlan._meta.db_table} (goal_id, plan_id, workspace_id, revision, document, digest, state, reason,
        position, aborting, replaces, fence, approved_digest, cancel_requested, left_out, rest, created_at, queued_at)
    SELECT %(goal)s, plan.id, %(workspace)s, %(revision)s, %(document)s::bytea, %(digest)s, %(awaiting)s, '',
        1, '', %(replaces)s::jsonb, 0, '', false, '[]', 'drop', %(now)s, %(now)s
    FROM plan
    RETURNING id
), steps AS (
    INSERT INTO {Intent._meta.db_table} (intent_plan_id, position, phase, tool, command, effect, state, reason)
    SELECT revision.id, step.position, step.phase, step.tool, step.command, step.effect, %(pending)s, ''
    FROM revision, json_to_recordset(%(intents)s::json)
        AS step (position int, phase text, tool text, command text, effect text)
), session AS (
    INSERT INTO {TerminalSession._meta.db_table} (intent_plan_id, state) SELECT id, '{{}}' FROM revision
), shadow AS (
    INSERT INTO {ShadowRun._meta.db_table} (intent_plan_id, number, state, reason, base, after, findings, lease_owner,
        lease_fence, created_at)
    SELECT id, 1, %(waiting)s, '', '', '', '[]', '', 0, %(now)s FROM revision
    RETURNING id
), planning AS (
    INSERT INTO {Planning._meta.db_table} (plan_id, goal_id, agent_id, source, is_valid, attempts, waited_ms,
        perceive_ms, rules_ms, understand_ms, model_ms, validate_ms, total_ms, at)
    SELECT plan.id, %(goal)s, %(agent)s, %(source)s, true, took.attempts, took.waited_ms, took.perceive_ms,
        took.rules_ms, took.understand_ms, took.model_ms, took.validate_ms, took.total_ms, %(now)s
    FROM plan, json_to_recordset(%(took)s::json) AS took (attempts int, waited_ms int, perceive_ms int, rules_ms int,
        understand_ms int, model_ms int, validate_ms int, total_ms int)
)
SELECT plan.id, revision.id FROM plan, revision
"""  # noqa: S608  # names of our own tables
# The evidence of a planning is a hundred thousand characters; looking in it for circles took longer than writing it.
_as_json = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode
_OF_A_STEP = ("position", "phase", "tool", "command", "effect")


def store(
    plan: Plan,
    goal: Goal,
    document: Document,
    data: bytes,
    *,
    digest: str,
    replaces: Sequence[str],
    took: Took | None = None,
) -> IntentPlan:
    """Store a plan that has no row yet as this revision of its goal, and that it is to be tried in a copy.

    `data` are the document's bytes and `digest` theirs, `took` what the planning took that made it. Whoever listens for
    new revisions hears of it in the same transaction, as of one that its model saves.
    """
    now = timezone.now()
    values: Mapping[str, Any] = {
        "goal": goal.pk,
        "number": plan.number,
        "source": str(plan.source),
        "by": plan.by_id,
        "steps": _as_json(plan.steps),
        "evidence": _as_json(plan.evidence),
        "now": now,
        "workspace": goal.workspace_id,
        "revision": document.revision,
        "document": data,
        "digest": digest,
        "replaces": json.dumps(replaces),
        "intents": json.dumps([{name: getattr(spec, name) for name in _OF_A_STEP} for spec in document.all_intents]),
        "awaiting": PlanState.AWAITING_REVIEW.value,
        "pending": IntentState.PENDING.value,
        "waiting": ShadowState.WAITING.value,
        "agent": goal.agent_id,
        "took": json.dumps([took.as_row()] if took is not None else []),
    }
    plan.pk, revision = prepared.row(_STORE, values) or (None, None)
    plan.created_at = now
    made = IntentPlan(
        pk=revision,
        goal=goal,
        plan=plan,
        workspace=goal.workspace,
        revision=document.revision,
        document=data,
        digest=digest,
        replaces=list(replaces),
        created_at=now,
        queued_at=now,
    )
    for row in (plan, made):
        row._state.adding, row._state.db = False, "default"
    sealing.seal_new(made)
    post_save.send(IntentPlan, instance=made, created=True, update_fields=None, raw=False, using="default")
    return made
