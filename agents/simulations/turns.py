"""Whose turn it is. One run or training is at work at a time: there may be two workers only, and goals go first.

Two workers that look at the same moment may begin two; that costs some time and nothing else.
"""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from agents.models import EnvironmentPolicy, EnvironmentRun, Standstill
from agents.record import lease
from agents.states import EnvironmentRunState, TrainingState


def may_begin() -> bool:
    """Whether another one may be begun now."""
    at_work = Q(lease_until__gt=Now())
    runs = EnvironmentRun.objects.filter(at_work, state=EnvironmentRunState.RUNNING.value)
    trainings = EnvironmentPolicy.objects.filter(at_work, state=TrainingState.RUNNING.value)
    return not (Standstill.objects.exists() or runs.exists() or trainings.exists())


def others_wait() -> bool:
    """Whether a goal, a run or a training could go on if this worker were free."""
    return bool(lease.claimable(1)) or free_runs().exists() or free_trainings().exists()


def free_runs() -> QuerySet[EnvironmentRun]:
    """Runs that nobody has: ready, or their worker died."""
    ready, running = EnvironmentRunState.READY.value, EnvironmentRunState.RUNNING.value
    return EnvironmentRun.objects.filter(
        Q(state=ready) | Q(state=running, lease_until__lte=Now()), agent__paused=False
    ).order_by("changed_at")


def free_trainings() -> QuerySet[EnvironmentPolicy]:
    """Trainings that nobody has: waiting, or their worker died."""
    waiting, running = TrainingState.WAITING.value, TrainingState.RUNNING.value
    free = Q(state=waiting) | Q(state=running, lease_until__lte=Now())
    return EnvironmentPolicy.objects.filter(free).order_by("changed_at")
