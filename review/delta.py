"""What changed between an approval and today, for a plan that is asked again because its files have moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agents import snapshot_reading
from agents.models import IntentPlan
from agents.snapshot_reading import NotKept, Reading


@dataclass(frozen=True)
class Delta:
    """The revision that was approved, and how the files differ from those it was approved on (None: not kept)."""

    revision: int
    plan_id: int
    before: str
    after: str
    reading: Reading | None


def since_approval(plan: IntentPlan) -> Delta | None:
    """None for a plan that is not asked again."""
    found = plan.plan.evidence.get("delta") if isinstance(plan.plan.evidence, Mapping) else None
    if not isinstance(found, Mapping):
        return None
    before, after = str(found["before"]), str(found["after"])
    try:
        reading = snapshot_reading.read_kept(before, after)
    except NotKept:
        reading = None
    return Delta(int(found["revision"]), int(found["plan"]), before, after, reading)
