"""The fenced lease on a row that a worker carries out: a replay, a search, a dry run, a run in an environment."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import F
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

from agents.record.lease import worker_name


def until() -> CombinedExpression:
    """When a lease runs out that is taken or renewed now, by the clock of the database."""
    return Now() + timedelta(seconds=settings.LEASE_S)


def taken() -> dict[str, Any]:
    """The columns of a lease that this worker takes now. The next number shuts out whoever had it before."""
    return {"lease_owner": worker_name(), "lease_fence": F("lease_fence") + 1, "lease_until": until()}
