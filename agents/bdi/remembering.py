"""What an ended goal taught, put into the words of an experience (pure)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from agents.bdi.outcome import MISSED, Outcome
from agents.states import GoalState, PlanState

OUTPUT_MAX = 1_500
SAID_MAX = 500
# So many of the last steps that left something are told of.
LAST_STEPS = 3
BELIEFS_MAX = 20
_RAN_TO_AN_END = (PlanState.COMPLETE, PlanState.FAILED)


@dataclass(frozen=True)
class Revision:
    """The newest plan that was proposed for the goal, whatever became of it.

    `rule`: the evidence of the rule it was made by, if it was. `main`: its steps as `tool.command`, in order.
    `tools`: those of its clean-up too. `worked`: any main step succeeded. `printed`: the ends of what its last main
    steps printed, the last one first.
    """

    id: int
    state: str
    rule: Mapping[str, Any]
    main: Sequence[str]
    tools: Sequence[str]
    worked: bool
    printed: Sequence[str]


@dataclass(frozen=True)
class Ended:
    """An ended goal as the tables have it.

    `outcome`: what came of it, where its plan ran to its end. `moves`: who moved its plans to where, and why. `tries`:
    the outcome of every try; `failure`: the class of the last failed one. `revisions`: how many were proposed;
    `revision` is the newest.
    """

    text: str
    state: str
    reason: str
    agent: str
    workspace: str
    beliefs: Sequence[str]
    moves: Sequence[tuple[str, str, str]]
    tries: int
    failure: str
    revisions: int
    revision: Revision | None
    outcome: str = ""


def experience_of(goal: Ended) -> dict[str, Any]:
    """The fields of the experience that are made of what happened."""
    revision = goal.revision
    return {
        "primary_goal_description": goal.text,
        "sub_task_description": _steps(revision.main) if revision else "",
        "initiating_agent_id": goal.agent,
        "involved_components": _components(revision) if revision else [],
        "input_context_summary": " ".join(goal.beliefs[:BELIEFS_MAX]),
        "key_decisions_made": [f"{new} by {by}" + (f": {reason}" if reason else "") for new, by, reason in goal.moves],
        "final_outcome": _outcome(goal),
        "output_summary": _output(goal),
        "feedback_signals": {"revisions": goal.revisions, "tries": goal.tries, "error_type": goal.failure},
        "workflow_id": str(revision.id) if revision else "",
        "tags": [goal.workspace],
    }


def used_rule(goal: Ended) -> tuple[int, bool] | None:
    """The version of the rule whose record counts the goal's plan, and whether it succeeded; None where none does.

    Plans that ran to an end count; a rejected one says nothing about whether its rule works. One of which nothing could
    be checked counts by its steps, as it did before there were checks.
    """
    revision = goal.revision
    if revision is None or revision.state not in _RAN_TO_AN_END:
        return None
    version = revision.rule.get("component_version_id") or revision.rule.get("version_id")
    worked = revision.state == PlanState.COMPLETE and not _skipped_what_failed(goal) and goal.outcome not in MISSED
    return (int(version), worked) if version else None


def _skipped_what_failed(goal: Ended) -> bool:
    """Whether the goal counts as achieved only because a person skipped what had failed: none of its steps succeeded.

    Where nothing failed, the steps were skipped by their own conditions: there was nothing to do.
    """
    return goal.revision is not None and not goal.revision.worked and bool(goal.failure)


def _steps(main: Sequence[str]) -> str:
    runs = ((command, len(list(same))) for command, same in groupby(main))
    return ", ".join(command if times == 1 else f"{times} × {command}" for command, times in runs)


def _components(revision: Revision) -> list[str]:
    rule = revision.rule
    named = [f"rule {rule['name']} {rule.get('version', '')}".strip()] if rule.get("name") else []
    return [*named, *sorted({f"tool {tool}" for tool in revision.tools})]


def _outcome(goal: Ended) -> str:
    if goal.state == GoalState.ACHIEVED:
        if goal.outcome in MISSED:
            return "failure"
        if _skipped_what_failed(goal):
            return "partial_success"
        return "success" if goal.outcome == Outcome.ACHIEVED else "unchecked"
    if goal.state == GoalState.DROPPED:
        return "abandoned"
    return "partial_success" if goal.revision is not None and goal.revision.worked else "failure"


def _output(goal: Ended) -> str:
    """How it ended in words: the reason, else the end of what the last steps printed."""
    printed = [text.strip()[-SAID_MAX:] for text in (goal.revision.printed if goal.revision else ())]
    return "\n".join([*([goal.reason] if goal.reason else []), *filter(None, printed)])[:OUTPUT_MAX]
