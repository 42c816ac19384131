"""The history of a workspace: every step and every person that moved its head, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, Q, QuerySet

from agents.models import Attempt, ShadowRun, Workspace, WorkspaceChange
from agents.record.selectors import goals_visible_to
from agents.workspaces.stores import store
from people.models import User
from sandbox.store.snapshots import EMPTY

PAGE = 30
_SAID = {
    WorkspaceChange.Kind.WRITE: "wrote",
    WorkspaceChange.Kind.DELETE: "deleted",
    WorkspaceChange.Kind.RETURN: "went back to",
    WorkspaceChange.Kind.COMMAND: "typed",
}


@dataclass(frozen=True)
class Moved:
    """One move of the head. A step's has a position and an outcome, a person's the words of what was done.

    `goal` is None where the person who asks may not see that goal; `is_kept`: the state after it can still be had.
    """

    at: datetime
    before: str
    after: str
    is_kept: bool
    by: str = ""
    said: str = ""
    what: str = ""
    goal: int | None = None
    position: int = 0
    number: int = 0
    command: str = ""
    outcome: str = ""


@dataclass(frozen=True)
class History:
    """One page of moves and the moment before which the next page begins (None at the end)."""

    moves: tuple[Moved, ...]
    older: datetime | None

    @property
    def start(self) -> str:
        """The state before the first move of all; empty on a page that older ones follow, or when it is not kept."""
        first = self.moves[-1].before if self.moves and self.older is None else ""
        return first if first and _is_kept(first) else ""


def page(workspace: Workspace, *, by: User, before: datetime | None = None) -> History:
    """The moves of the head, newest first, as `by` may see them."""
    tries = _tries(workspace).exclude(snapshot_after=F("snapshot_before")).exclude(snapshot_after="")
    tries = tries.filter(finished__isnull=False).select_related("intent__intent_plan")
    changes = WorkspaceChange.objects.filter(workspace=workspace).select_related("by")
    if before is not None:
        tries, changes = tries.filter(finished__lt=before), changes.filter(at__lt=before)
    steps = list(tries.order_by("-finished", "-pk")[: PAGE + 1])
    goals = {each.intent.intent_plan.goal_id for each in steps}
    seen = set(goals_visible_to(by).filter(pk__in=goals).values_list("pk", flat=True))
    moves = [_of_step(each, seen) for each in steps]
    moves += [_of_person(each) for each in changes.order_by("-at", "-pk")[: PAGE + 1]]
    moves.sort(key=lambda each: each.at, reverse=True)
    return History(tuple(moves[:PAGE]), moves[PAGE - 1].at if len(moves) > PAGE else None)


def belongs(workspace: Workspace, digest: str) -> bool:
    """Whether a snapshot is one of this workspace's: a digest from elsewhere must show nothing of other people's."""
    return (
        digest in (EMPTY, workspace.head)
        or WorkspaceChange.objects.filter(Q(before=digest) | Q(after=digest), workspace=workspace).exists()
        or _tries(workspace).filter(Q(snapshot_before=digest) | Q(snapshot_after=digest)).exists()
    )


def may_be_compared(workspace: Workspace, digest: str) -> bool:
    """Also what a dry run came to: people look at it, and never take it up, for nobody has approved it."""
    tried = ShadowRun.objects.filter(Q(base=digest) | Q(after=digest), intent_plan__workspace=workspace)
    return belongs(workspace, digest) or tried.exists()


def _tries(workspace: Workspace) -> QuerySet[Attempt]:
    return Attempt.objects.filter(intent__intent_plan__workspace=workspace)


def _of_step(each: Attempt, seen: set[int]) -> Moved:
    goal = each.intent.intent_plan.goal_id
    return Moved(
        each.finished or each.started,
        each.snapshot_before,
        each.snapshot_after,
        _is_kept(each.snapshot_after),
        goal=goal if goal in seen else None,
        position=each.intent.position,
        number=each.number,
        command=each.intent.command,
        outcome=each.outcome,
    )


def _of_person(each: WorkspaceChange) -> Moved:
    said = _SAID[WorkspaceChange.Kind(each.kind)]
    return Moved(each.at, each.before, each.after, _is_kept(each.after), each.by.display_name, said, each.what)


def _is_kept(digest: str) -> bool:
    return digest == EMPTY or store().stored_at(digest) is not None
