"""Making a plan of what a language model proposed: a goal of its own, whose one step is the diff that people read.

The model's word changes nothing. The new plan is tried in a copy, reviewed and run like any other, and no policy
approves it, because a program wrote its content.
"""

from __future__ import annotations

import hashlib

from django.db import transaction

from agents.goals import goals
from agents.models import Goal, Intent, IntentPlan
from agents.plans import proposals
from agents.presentation import code_report
from agents.presentation.code_report import Changes
from agents.record.errors import NotPossibleNow, PlanInvalid
from agents.record.moves import move_goal
from agents.record.selectors import current_plan, workspaces_writable_by
from agents.states import GoalState
from agents.toolkit.types import Param, PlanDraft, Step
from agents.workspaces import base_files
from people.models import User
from sandbox.jail.inside import patch

_MOST_BYTES = 1 << 20
_MOST_WHY_CHARS = 3_000


def goal_made_of(step: Intent, user: User) -> Goal | None:
    """The newest goal that this person made of a step's proposal."""
    return user.goals.filter(submission_key__startswith=_key(step)).first()


def may_take_over(step: Intent, user: User) -> bool:
    """Whether the step proposed something that this person may have done to the workspace."""
    workspace = step.intent_plan.workspace_id
    return bool(_proposed(step)[1]) and workspaces_writable_by(user).filter(pk=workspace).exists()


def take_over(step: Intent, *, by: User) -> IntentPlan:
    """Submit a goal that makes the proposed changes, and propose its plan. One that waits already is given again.

    Raises GoalRefused, NotPossibleNow when the file is another one by now, PlanInvalid.
    """
    report, diff = _proposed(step)
    if report is None or not may_take_over(step, by):
        raise NotPossibleNow("This step proposed no change that you can apply.")
    earlier = goal_made_of(step, by)
    if earlier is not None and not earlier.has_ended and (waiting := current_plan(earlier)) is not None:
        return waiting
    origin = step.intent_plan.goal
    workspace = origin.workspace
    _check_is_the_same(report, diff, workspace.head, origin.pk)
    draft = _draft(step, report, diff, by)
    if problems := proposals.problems_of(origin, draft):
        raise PlanInvalid(problems)
    with transaction.atomic():
        goal = goals.submit(
            by=by,
            text=f"Make the changes to the file {report.path} that {report.model} proposed in goal {origin.pk}",
            priority=origin.priority,
            workspace=workspace,
            # The same click twice is the same goal; after that one has ended, another may be wanted.
            submission_key=f"{_key(step)}{earlier.pk if earlier else 0}",
        )
        goal = Goal.objects.select_for_update(no_key=True).get(pk=goal.pk)
        if (made := current_plan(goal)) is not None:
            return made
        move_goal(goal, GoalState.PLANNING, by=by.username)
        return proposals.propose(goal, draft, by=by)


def _key(step: Intent) -> str:
    return f"proposal:{step.pk}:"


def _proposed(step: Intent) -> tuple[Changes | None, str]:
    """The step's report and its diff; nothing where it proposed no change."""
    result = step.result or {}
    report, diff = code_report.read(result.get("report")), result.get("diff")
    if not isinstance(report, Changes) or not report.changes or not isinstance(diff, str) or not diff:
        return None, ""
    return report, diff


def _check_is_the_same(report: Changes, diff: str, snapshot: str, goal: int) -> None:
    """Raise NotPossibleNow unless the file is still the one that the model was shown, and the diff one of it."""
    content = base_files.content_of(snapshot, report.path, _MOST_BYTES)
    if content is None or hashlib.sha256(content).hexdigest() != report.sha256:
        raise NotPossibleNow(f"{report.path} has changed since goal {goal} read it. Ask for a new proposal.")
    try:
        patch.applied(content, diff.encode())
    except patch.PatchFailed as error:
        raise NotPossibleNow(f"The proposed diff does not fit {report.path}: {error}.") from error


def _draft(step: Intent, report: Changes, diff: str, by: User) -> PlanDraft:
    origin = step.intent_plan.goal_id
    told = f"{report.model} proposed this in goal {origin}"
    params = {
        "path": Param(report.path, "explicit", note=f"the file that goal {origin} sent to the model"),
        "content": Param(diff, "model", note=told),
        "mode": Param("patch", "explicit", note="only these lines, and only if the file is still the same"),
    }
    reasons = " ".join(f"Line {one.line}: {one.why.rstrip('.')}." for one in report.changes)
    why = reasons if len(reasons) <= _MOST_WHY_CHARS else f"{reasons[:_MOST_WHY_CHARS]} …"
    evidence = {
        "written_by": by.username,
        "proposal": {"goal": origin, "step": step.pk, "position": step.position, "model": report.model},
        "prompt_has_tool_output": True,
    }
    return PlanDraft((Step("simple_coder", "write", params, f"{told}. {why}"),), (), "person", evidence)
