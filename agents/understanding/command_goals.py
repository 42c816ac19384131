"""Goals that are commands of mastermind: mindX offers to open them there, and asks no model about them."""

from __future__ import annotations

from agents.components import known_components
from agents.mastermind import typed_goals
from agents.models import Workspace
from agents.toolkit.types import NoPlan
from agents.workspaces.stores import store

# How the reason of a goal begins that is a command.
COMMAND = "mastermind_command"


def command_in(text: str, workspace: Workspace) -> str:
    """The line of mastermind that a goal over this workspace is; "" where it is none."""
    if not typed_goals.may_be_command(text):
        return ""
    here = {
        part.decode(errors="replace") for entry in store().entries(workspace.head) for part in entry.path.split(b"/")
    }
    return typed_goals.command_in(text, known_components.known(), here)


def offered(text: str, workspace: Workspace, without: NoPlan) -> NoPlan | None:
    """That the goal is a command, where it is one; `without` is why rules made no plan, and stays in the evidence."""
    line = command_in(text, workspace)
    if not line:
        return None
    reason = f"{COMMAND}: “{line}” is a command for Mastermind"
    return NoPlan(reason, {**without.evidence, "mastermind": {"line": line, "without": without.reason}})
