"""Tells memory which of its runs a plan had followed when a person changed it, once the changed plan has worked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.bdi.learning import followed_runs
from agents.bdi.outcome.outcome import MISSED
from agents.models import IntentPlan, Transition
from agents.states import PlanState
from library.models import Experience, ExperienceCorrection

_SAID_MAX = 300


def record(goal_id: int, remembered: int) -> None:
    """Mark what earlier revisions of the goal's plan had followed. `remembered` is the goal's own experience.

    Within the transaction that remembers the goal. Only a plan that ran to its end teaches this: what a person tried
    and gave up says nothing about what came before.
    """
    revisions = list(
        IntentPlan.objects.filter(goal_id=goal_id)
        .order_by("revision")
        .values("id", "state", "goal__text", "goal__outcome", "plan__steps", "plan__evidence")
    )
    *earlier, last = revisions
    if last["state"] != PlanState.COMPLETE or last["goal__outcome"] in MISSED:
        return
    found: dict[int, str] = {}
    for revision in earlier:
        known = _known(revision["plan__evidence"])
        words = followed_runs.replaced(revision["plan__steps"], last["plan__steps"], last["goal__text"])
        if not known or not words:
            continue
        said = _said(revision["id"])
        rows = Experience.objects.filter(pk__in=known).exclude(pk=remembered)
        for pk, steps in rows.values_list("pk", "sub_task_description"):
            if followed_runs.was_followed(steps, words):
                found[pk] = said
    ExperienceCorrection.objects.bulk_create(
        (ExperienceCorrection(experience_id=pk, by_id=remembered, said=said) for pk, said in sorted(found.items())),
        ignore_conflicts=True,
    )


def _known(evidence: Mapping[str, Any]) -> list[int]:
    """The experiences that the model was told of which made the plan; none where none did."""
    memory = (evidence.get("model") or {}).get("memory") or {}
    return [int(one["id"]) for one in memory.get("taken", ()) if one["kind"] == "experience"]


def _said(plan_id: int) -> str:
    """What the person said who sent the plan back; "" where there was nothing to say."""
    moves = Transition.objects.filter(intent_plan_id=plan_id, new__in=(PlanState.SUPERSEDED, PlanState.REJECTED))
    return (moves.order_by("-pk").values_list("reason", flat=True).first() or "")[:_SAID_MAX]
