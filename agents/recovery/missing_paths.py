"""The files that a failed step names and that are not there, asked about on the workspace as it is now."""

from __future__ import annotations

from agents.bdi.plans.document import IntentSpec
from agents.bdi.recovery import missing_paths
from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.understood import Question
from agents.models import Goal, IntentPlan, TerminalSession
from agents.toolkit.registry import tools_in_use
from agents.understanding import in_force
from agents.workspaces import base_files
from agents.workspaces.base_files import BaseUnreadable


def questions_about(goal: Goal, plan: IntentPlan, step: IntentSpec) -> tuple[Question, ...]:
    """Which files are meant by the step's paths, seen from the folder that the session is in; nothing where all are
    there, or the files cannot be read.
    """
    try:
        entries = base_files.entries_of(goal.workspace.head)
    except BaseUnreadable:
        return ()
    # A worker's plan has its session as it was when the plan was taken up.
    state = TerminalSession.objects.filter(intent_plan=plan).values_list("state", flat=True).first()
    folder = str((state or {}).get("cwd", ""))
    mapped = in_force.mapped(goal.submitted_by_id)
    tree = Tree.of(((entry.path, entry.kind) for entry in entries), folder, mapped)
    return missing_paths.questions(step, tree, tools_in_use())
