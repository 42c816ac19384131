"""After the end: what a goal taught becomes an experience, and its rule's record is kept."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from django.db import transaction
from django.utils import timezone

from agents.execution.lease import Lease
from agents.models import Attempt, Goal, Intent, IntentPlan
from agents.selectors import current_plan
from agents.services import evolved, logs, mind_cases, shadowing
from agents.states import GoalState, IntentState, PlanState
from library.components import services as components
from library.memory import services as memory

_OUTPUT_MAX = 1_500


def learn(lease: Lease) -> None:
    """Record the ended goal as an experience, once. The embedding follows on its own and is retried."""
    goal = Goal.objects.select_related("workspace", "submitted_by", "agent").get(pk=lease.goal_id)
    plan = current_plan(goal)
    intents = list(plan.intents.order_by("position")) if plan is not None else []
    main = [intent for intent in intents if intent.phase == Intent.Phase.MAIN]
    memory.record(
        goal_ref=str(goal.pk),
        owner=goal.submitted_by,
        primary_goal_description=goal.text,
        sub_task_description=_steps(main),
        initiating_agent_id=goal.agent.name,
        involved_components=_components(plan, intents),
        input_context_summary=" ".join(goal.beliefs.filter(retracted_by="").values_list("sentence", flat=True)[:20]),
        key_decisions_made=_decisions(goal),
        final_outcome=_outcome(goal, main),
        output_summary=_output(goal, main),
        feedback_signals=_signals(goal),
        timestamp=goal.ended_at or timezone.now(),
        workflow_id=str(plan.pk) if plan else "",
        tags=[goal.workspace.name],
    )
    if plan is not None and plan.state in (PlanState.COMPLETE, PlanState.FAILED):
        shadowing.compare_with_reality(plan)
    evolved.offer(goal)
    with transaction.atomic():
        # One with the other: whoever goes on after a worker that died here counts the rule's use once.
        if Goal.objects.filter(pk=goal.pk, learned_at=None).update(learned_at=timezone.now()):
            _record_rule(plan)
            mind_cases.judge_corrections(goal)
            logs.say(goal.pk, "bdi_agent", "learn", "remembered as an experience")


def give_up(lease: Lease, reason: str) -> None:
    """Remembering it has cost workers: it stays as it ended, without an experience."""
    if Goal.objects.filter(pk=lease.goal_id, learned_at=None).update(learned_at=timezone.now()):
        logs.say(lease.goal_id, "worker", "learn", f"not remembered as an experience: {reason}", level="error")


def _record_rule(plan: IntentPlan | None) -> None:
    """A rule's record counts plans that ran to an end; a rejected plan says nothing about whether it works."""
    if plan is None or plan.state not in (PlanState.COMPLETE, PlanState.FAILED):
        return
    rule = plan.plan.evidence.get("rule") or {}
    version_id = rule.get("component_version_id") or rule.get("version_id")
    if version_id:
        components.record_use(int(version_id), succeeded=plan.state == PlanState.COMPLETE)


def _steps(main: Sequence[Intent]) -> str:
    runs = ((command, len(list(same))) for command, same in groupby(f"{one.tool}.{one.command}" for one in main))
    return ", ".join(command if times == 1 else f"{times} × {command}" for command, times in runs)


def _components(plan: IntentPlan | None, intents: Sequence[Intent]) -> list[str]:
    rule = (plan.plan.evidence.get("rule") or {}) if plan is not None else {}
    named = [f"rule {rule['name']} {rule.get('version', '')}".strip()] if rule.get("name") else []
    return [*named, *sorted({f"tool {intent.tool}" for intent in intents})]


def _decisions(goal: Goal) -> list[str]:
    """Who moved its plans to where, and why."""
    moves = goal.transitions.filter(intent_plan__isnull=False, new__in=["approved", "rejected", "superseded"])
    return [f"{move.new} by {move.by}" + (f": {move.reason}" if move.reason else "") for move in moves.order_by("pk")]


def _outcome(goal: Goal, main: Sequence[Intent]) -> str:
    if goal.state == GoalState.ACHIEVED:
        return "success"
    if goal.state == GoalState.DROPPED:
        return "abandoned"
    worked = any(intent.state == IntentState.SUCCEEDED for intent in main)
    return "partial_success" if worked else "failure"


def _output(goal: Goal, main: Sequence[Intent]) -> str:
    """How it ended in words: the reason, else the end of what the last steps printed."""
    said: list[str] = [goal.reason] if goal.reason else []
    for intent in [one for one in reversed(main) if one.result is not None][:3]:
        result = intent.result or {}
        text = str(result.get("stdout") or result.get("message") or "").strip()
        if text:
            said.append(text[-500:])
    return "\n".join(said)[:_OUTPUT_MAX]


def _signals(goal: Goal) -> dict[str, Any]:
    tries = Attempt.objects.filter(intent__intent_plan__goal=goal).order_by("pk")
    ended = list(tries.values_list("outcome", "failure_class"))
    failures = [failure_class for outcome, failure_class in ended if outcome == "failed"]
    return {
        "revisions": goal.intent_plans.count(),
        "tries": len(ended),
        "error_type": failures[-1] if failures else "",
    }
