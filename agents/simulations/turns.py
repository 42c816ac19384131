"""Whose turn it is. One run or training is at work at a time: there may be two workers only, and goals go first.

Two workers that look at the same moment may begin two; that costs some time and nothing else.
"""

from __future__ import annotations

from django.db.models import QuerySet

from agents.models import EnvironmentPolicy, EnvironmentRun, Standstill
from agents.record import lease, leased


def may_begin() -> bool:
    """Whether another one may be begun now."""
    runs = EnvironmentRun.objects.filter(leased.at_work())
    trainings = EnvironmentPolicy.objects.filter(leased.at_work())
    return not (Standstill.objects.exists() or runs.exists() or trainings.exists())


def others_wait() -> bool:
    """Whether a goal, a run or a training could go on if this worker were free."""
    return bool(lease.claimable(1)) or free_runs().exists() or free_trainings().exists()


def free_runs() -> QuerySet[EnvironmentRun]:
    """Runs that nobody has: ready, or their worker died."""
    return EnvironmentRun.objects.filter(leased.free(EnvironmentRun), agent__paused=False).order_by("changed_at")


def free_trainings() -> QuerySet[EnvironmentPolicy]:
    """Trainings that nobody has: waiting, or their worker died."""
    return EnvironmentPolicy.objects.filter(leased.free(EnvironmentPolicy)).order_by("changed_at")
