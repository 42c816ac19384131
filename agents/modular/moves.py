"""The one place that moves a run of a modular agent."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from agents.models import ModularRun
from agents.states import MODULAR_MOVES, ModularState, MoveRefused


def move_modular(run: ModularRun, new: ModularState, *, reason: str = "", **also: Any) -> ModularRun:
    """Move a run; MoveRefused when the table forbids it, or when a worker or a person moved it since."""
    old = ModularState(run.state)
    if new not in MODULAR_MOVES[old]:
        raise MoveRefused(f"modular run {run.pk} cannot go from {old} to {new}")
    values: dict[str, Any] = {"state": new.value, "reason": reason, **also}
    if new is not ModularState.RUNNING:
        values |= {"lease_until": None, "lease_owner": ""}
    if new is ModularState.ENDED:
        values["ended_at"] = timezone.now()
    # The race: a late worker, or two people at once. Whoever claimed it since has raised the fence.
    ours = ModularRun.objects.filter(pk=run.pk, state=old.value, lease_fence=run.lease_fence)
    if not ours.update(**values):
        raise MoveRefused(f"modular run {run.pk} is no longer {old}")
    for name, value in values.items():
        setattr(run, name, value)
    return run
