"""The contents of a workspace's states by their digests: what each path holds, and what an earlier state still has."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import dropwhile

from agents.models import Attempt, IntentPlan, WorkspaceChange
from agents.workspaces import file_paths
from agents.workspaces.base_files import BaseUnreadable
from agents.workspaces.stores import store
from sandbox.contract import SandboxError
from sandbox.store.manifest import Entry
from sandbox.store.snapshots import EMPTY

# So many of the newest states are read. Older ones go first when the store is pruned.
STATES = 30
_PLANS = 60


@dataclass(frozen=True)
class Held:
    """What lies at a path. `sha256` is "" for what is no file; `meets` is all of it, as text to compare."""

    kind: str
    size_bytes: int
    sha256: str
    meets: str = ""


def held_in(snapshot: str) -> dict[str, Held]:
    """Everything in a snapshot by its path. Raises BaseUnreadable."""
    try:
        entries = store().entries(snapshot)
    except (KeyError, SandboxError, OSError) as error:
        raise BaseUnreadable(f"the snapshot {snapshot[:8]} cannot be read") from error
    return {file_paths.to_text(one.path): Held(one.kind, one.size, one.sha256 or "", _meets(one)) for one in entries}


def _meets(entry: Entry) -> str:
    target = (entry.target or b"").decode("utf-8", "backslashreplace")
    return f"{entry.kind} {entry.mode:o} {entry.sha256 or target}"


def kept_elsewhere(workspace_id: int, base: str, wanted: Collection[str]) -> set[str]:
    """Those of the `wanted` SHA-256 that an earlier state of this workspace than `base` holds; never another's."""
    missing, found = set(wanted), set[str]()
    for snapshot in _states(workspace_id, base) if missing else ():
        if not missing:
            break
        here = missing & _contents(snapshot)
        found |= here
        missing -= here
    return found


def _contents(snapshot: str) -> set[str]:
    """The contents of a snapshot; none if it is not kept any more."""
    try:
        return {held.sha256 for held in held_in(snapshot).values()}
    except BaseUnreadable:
        return set()


def _states(workspace_id: int, base: str) -> Iterator[str]:
    """The newest states that the workspace had before `base`, each once; none where it is not known when that was.

    What only newer states hold may be the very file that is asked about, and a step that changed nothing says the same
    state twice.
    """
    plans = IntentPlan.objects.filter(workspace=workspace_id).order_by("-pk").values("pk")[:_PLANS]
    tries = Attempt.objects.filter(intent__intent_plan__in=plans).exclude(snapshot_after="")
    changes = WorkspaceChange.objects.filter(workspace=workspace_id)
    moved = [
        *tries.order_by("-pk").values_list("finished", "snapshot_before", "snapshot_after")[:STATES],
        *changes.order_by("-at").values_list("at", "before", "after")[:STATES],
    ]
    moved.sort(key=lambda one: one[0].timestamp() if one[0] else 0.0, reverse=True)
    states = [digest for _, before, after in moved for digest in (after, before)]
    if base not in states:
        return
    # It may have been in that state before, too, with another one between: then its history has it.
    earlier = dropwhile(base.__eq__, states[states.index(base) :])
    yield from [digest for digest in dict.fromkeys(earlier) if digest not in ("", EMPTY)][:STATES]
