"""The proposals as rows: found anew now and then, dismissed by people, gone when their reason is."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from agents.evolution.auditing import components, gaps, reading, redundancies, risks, sources, strategies
from agents.evolution.auditing.facts import Facts, Proposal
from agents.models import EvolutionProposal
from agents.record.errors import NotPossibleNow, NotYours
from library.components import services as library
from people.models import User

# A dismissed proposal comes back when this many times as many goals show it.
COMES_BACK_AT = 1.5
MOST_GOALS_KEPT = 50


def find(facts: Facts) -> list[Proposal]:
    """What these facts propose, the heaviest first."""
    parts: Iterable[Iterable[Proposal]] = (
        components.find(facts),
        gaps.find(facts),
        redundancies.find(facts),
        risks.find(facts),
        strategies.find(facts),
    )
    return sorted((one for found in parts for one in found), key=lambda one: (-one.weight, one.kind, one.subject))


def refresh() -> int:
    """Read the past, and keep what it proposes; how many there are."""
    found = [*find(reading.facts()), *sources.found()]
    now = timezone.now()
    with transaction.atomic():
        known = {(row.kind, row.subject): row for row in EvolutionProposal.objects.select_for_update()}
        for one in found:
            _keep(one, known.pop((one.kind, one.subject[:200]), None), now)
        gone = [row.pk for row in known.values() if row.gone_at is None]
        EvolutionProposal.objects.filter(pk__in=gone).update(gone_at=now)
    return len(found)


def _keep(one: Proposal, row: EvolutionProposal | None, now: datetime) -> None:
    row = row or EvolutionProposal(kind=one.kind, subject=one.subject[:200])
    row.says, row.why, row.weight, row.cases = one.says[:300], one.why[:1_000], one.weight, len(one.goals)
    row.goals, row.gone_at, row.seen_at = list(one.goals[:MOST_GOALS_KEPT]), None, now
    row.component_kind, row.component_name = one.component or ("", "")
    if row.dismissed_at is not None and row.cases >= COMES_BACK_AT * max(row.dismissed_cases, 1):
        row.dismissed_at, row.dismissed_by, row.dismissed_why = None, None, ""
    row.save()


def visible_to(user: User, scopes: Collection[str] | None = None) -> QuerySet[EvolutionProposal]:
    """Those that this person may read, with a token of these scopes where one is given, whether they hold or not."""
    return EvolutionProposal.objects.exclude(component_kind__in=sources.hidden_from(user, scopes))


def open_ones(rows: QuerySet[EvolutionProposal] | None = None) -> QuerySet[EvolutionProposal]:
    """Of these, or of all, those that hold now and that nobody has dismissed, the heaviest first."""
    among = EvolutionProposal.objects.all() if rows is None else rows
    return among.filter(gone_at=None, dismissed_at=None).order_by("-weight", "pk")


def dismissed(rows: QuerySet[EvolutionProposal]) -> QuerySet[EvolutionProposal]:
    """Of these, those that hold and that somebody has dismissed, the latest first."""
    held = rows.filter(gone_at=None, dismissed_at__isnull=False)
    return held.select_related("dismissed_by").order_by("-dismissed_at")


def dismiss(proposal: EvolutionProposal, *, by: User, why: str) -> None:
    """Put it aside until half as many goals more show it. Raises NotYours, NotPossibleNow."""
    if not _may_put_aside(proposal, by):
        raise NotYours("Your roles do not let you dismiss this proposal. Those who may act on it can.")
    if not why.strip():
        raise NotPossibleNow("Say why you dismiss it; others will read that.")
    held = EvolutionProposal.objects.filter(pk=proposal.pk, dismissed_at=None)
    said = {"dismissed_by": by, "dismissed_why": why.strip()[:300], "dismissed_cases": proposal.cases}
    if not held.update(dismissed_at=timezone.now(), **said):
        raise NotPossibleNow("Somebody has dismissed it already.")


def restore(proposal: EvolutionProposal, *, by: User) -> None:
    """Undo a dismissal. Raises NotYours."""
    if not _may_put_aside(proposal, by):
        raise NotYours("Your roles do not let you restore this proposal. Those who may act on it can.")
    cleared = {"dismissed_at": None, "dismissed_by": None, "dismissed_why": ""}
    EvolutionProposal.objects.filter(pk=proposal.pk).update(**cleared)


def _may_put_aside(proposal: EvolutionProposal, by: User) -> bool:
    source = sources.of(proposal.component_kind)
    return library.may_write(by) and (source is None or source.may_read(by))
