"""What changed since an approval, for a plan that went back to review because of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document, IntentSpec
from agents.models import IntentPlan
from agents.pages.files import snapshot_reading
from agents.pages.files.snapshot_reading import NotKept, Reading
from agents.plans.renewals import FILES, RECOVERY


@dataclass(frozen=True)
class Delta:
    """The approved revision, why it stopped before `position`, and which steps are unchanged.

    `reading` says how the files that it stands on differ from those it was made on (None: not stored); it is set only
    if the files are what changed.
    """

    revision: int
    plan_id: int
    kind: str
    why: str
    position: int
    before: str
    after: str
    reading: Reading | None
    as_approved: frozenset[int]

    @property
    def is_about_files(self) -> bool:
        return self.kind == FILES

    @property
    def is_recovery(self) -> bool:
        return self.kind == RECOVERY

    @property
    def done(self) -> int:
        """How many steps had ended before the one at which it stopped."""
        return self.position - 1


def since_approval(plan: IntentPlan, document: Document | None) -> Delta | None:
    """None for a plan that did not go back to review."""
    found = plan.plan.evidence.get("delta") if isinstance(plan.plan.evidence, Mapping) else None
    if not isinstance(found, Mapping):
        return None
    before, after, kind = str(found["before"]), str(found["after"]), str(found.get("kind", FILES))
    return Delta(
        int(found["revision"]),
        int(found["plan"]),
        kind,
        str(found.get("why", "the workspace changed")),
        int(found.get("position", 1)),
        before,
        after,
        _reading(before, after, found.get("paths", ())) if kind == FILES else None,
        _as_approved(plan, int(found["plan"]), document) if document is not None else frozenset(),
    )


def _reading(before: str, after: str, paths: Sequence[str]) -> Reading | None:
    try:
        return snapshot_reading.read_kept(before, after, of=paths)
    except NotKept:
        return None


def _as_approved(plan: IntentPlan, approved_id: int, document: Document) -> frozenset[int]:
    """The steps that the approved revision has in exactly this form."""
    approved = IntentPlan.objects.filter(pk=approved_id, goal_id=plan.goal_id).first()
    try:
        before = documents.read(bytes(approved.document)).all_intents if approved is not None else ()
    except ValueError:
        before = ()
    known = [_acts(spec) for spec in before]
    return frozenset(spec.position for spec in document.all_intents if _acts(spec) in known)


def _acts(spec: IntentSpec) -> tuple[Any, ...]:
    """The fields of a step that decide what happens when it runs, without its position."""
    return (
        spec.tool, spec.command, spec.params, spec.effect, spec.limits, spec.hosts, spec.condition, spec.asks,
        spec.branch, spec.retries,
    )  # fmt: skip
