"""What fails, and how often: the newest failures, those of the same command with the same words taken together."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Max, QuerySet

from agents.models import FailureRecord

# What failed before these says little of today, and counting all there ever were would cost more with every failure.
LOOKED_AT = 500
SHOWN = 6
# What makes two failures the same one.
_SAME = ("failure_class", "tool", "command", "reason")


@dataclass(frozen=True)
class Cause:
    """`failures` of one kind in so many `goals`; the newest of them stands for all."""

    newest: FailureRecord
    failures: int
    goals: int


def causes(found: QuerySet[FailureRecord]) -> list[Cause]:
    """What came more than once among the newest of these failures, what stops most goals first."""
    counted = (
        FailureRecord.objects.filter(pk__in=found.values("pk")[:LOOKED_AT])
        .order_by()
        .values(*_SAME)
        .annotate(failures=Count("pk"), goals=Count("goal", distinct=True), newest=Max("pk"))
        .filter(failures__gt=1)
        .order_by("-goals", "-failures", "-newest")[:SHOWN]
    )
    rows = list(counted)
    newest = FailureRecord.objects.in_bulk([row["newest"] for row in rows])
    return [Cause(newest[row["newest"]], row["failures"], row["goals"]) for row in rows]


def like(found: QuerySet[FailureRecord], one: FailureRecord) -> QuerySet[FailureRecord]:
    """Those that are the same failure as this one."""
    return found.filter(**{name: getattr(one, name) for name in _SAME})
