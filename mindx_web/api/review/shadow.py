"""`intent-plans/{id}/diff`: what a plan did to a temporary copy of its workspace, for programs that review."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from ninja import Field, Query, Router, Schema

from agents.pages.files.snapshot_reading import Shown
from agents.plans import footings
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.problems import not_found
from mindx_web.api.review.intent_plans import plan_to_read
from people.scopes import Scope
from review.plan_page import shadow_run
from review.plan_page.shadow_run import ShadowView

router = Router(tags=["intent plans"])


class FindingOut(Schema):
    """What one main step proved: done, failed, skipped, unproven or not_reached; `why` is a sentence."""

    position: int
    proof: str
    why: str
    answer: dict[str, Any] | None
    duration_s: float
    reads: list[str] | None = Field(
        None, description="what programs opened of the files until the end; null where nobody saw it"
    )


class LineOut(Schema):
    """A line that is deleted (`d`), added (`a`) or unchanged (empty), with its numbers."""

    kind: str
    old: int | None
    new: int | None
    text: str


class FileOut(Schema):
    """One path that would differ. `lines` is empty if the notes say why (not text, or too long)."""

    path: str
    change: str
    notes: list[str]
    packages: list[dict[str, str | None]]
    lines: list[LineOut]


class ShadowOut(Schema):
    """The newest dry run. `stale`: its files have changed since. Deletions come first among the files."""

    state: str
    reason: str
    base: str
    after: str
    stale: bool
    moved: list[str] = Field(description="the paths on which the plan stands and that have changed since")
    started_at: datetime | None
    finished_at: datetime | None
    intents: list[FindingOut]
    counts: dict[str, int]
    files: list[FileOut]
    next: int | None
    surprises: dict[str, Any] | None


@router.get("/{plan_id}/diff", response=ShadowOut, auth=BearerToken(Scope.REVIEW_READ), operation_id="read_shadow_run")
def diff(
    request: ApiRequest,
    plan_id: str,
    start: Annotated[int, Query(ge=0, le=10**8, description="the first file of the answer, from 0")] = 0,
) -> ShadowOut:
    """What the plan did to a copy; 404 until there is a dry run of it."""
    plan = plan_to_read(request.auth.user, plan_id)
    view = shadow_run.view(plan, footings.moved_under(plan), start)
    if view is None:
        raise not_found("dry run")
    return _out(view)


def _out(view: ShadowView) -> ShadowOut:
    run, reading = view.run, view.reading
    return ShadowOut(
        state=run.state,
        reason=run.reason or view.problem,
        base=run.base,
        after=run.after,
        stale=view.is_stale,
        moved=list(view.moved),
        started_at=run.started_at,
        finished_at=run.finished_at,
        intents=[FindingOut(**finding) for finding in run.findings],
        counts=dict(reading.counts) if reading else {},
        files=[_file(item) for item in reading.items] if reading else [],
        next=reading.more if reading else None,
        surprises=run.surprises,
    )


def _file(item: Shown) -> FileOut:
    return FileOut(
        path=item.path,
        change=item.word,
        notes=list(item.notes),
        packages=[{"name": one.name, "before": one.before, "after": one.after} for one in item.packages],
        lines=[
            LineOut(kind=line.look, old=line.old, new=line.new, text=line.text)
            for hunk in item.hunks
            for line in hunk.lines
        ],
    )
