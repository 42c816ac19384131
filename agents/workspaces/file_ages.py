"""When the files of a workspace last changed, by the moves of its head: snapshots hold no times."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from agents.models import Attempt, Workspace, WorkspaceChange
from agents.record.errors import AgentsError
from agents.workspaces.stores import store
from sandbox.contract import SandboxError

# More moves are not gone through: a file that none of them changed is at least as old as the last one.
MOST_MOVES = 1_000


def changed_at(workspace: Workspace) -> dict[bytes, datetime]:
    """The moment after which each file of the head did not change any more.

    Where the history is cut, or a state was pruned, it is the latest moment that is possible: no file is called older
    than is known.
    """
    missing = {entry.path for entry in store().entries(workspace.head) if entry.kind == "file"}
    found: dict[bytes, datetime] = {}
    latest = workspace.created_at
    for at, before, after in _moves(workspace):
        if not missing:
            break
        latest = at
        try:
            changes = store().diff(before, after)
        except (AgentsError, KeyError, OSError, SandboxError):
            break  # a state that is not kept: everything may have changed then
        for change in changes:
            if change.after is not None and change.path in missing:
                found[change.path] = at
                missing.discard(change.path)
    return found | dict.fromkeys(missing, latest)


def _moves(workspace: Workspace) -> Iterator[tuple[datetime, str, str]]:
    """When the head moved, from where to where, newest first."""
    tries = Attempt.objects.filter(intent__intent_plan__workspace=workspace, finished__isnull=False)
    tries = tries.exclude(snapshot_after="").order_by("-finished", "-pk")
    changes = WorkspaceChange.objects.filter(workspace=workspace).order_by("-at", "-pk")
    moves = [
        *tries.values_list("finished", "snapshot_before", "snapshot_after")[:MOST_MOVES],
        *changes.values_list("at", "before", "after")[:MOST_MOVES],
    ]
    ordered = sorted((move for move in moves if move[1] != move[2]), key=lambda move: move[0], reverse=True)
    yield from ordered[:MOST_MOVES]
