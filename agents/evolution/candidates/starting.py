"""Candidates that are begun without a person, as many a day as an admin grants. Only people put them to use.

For what the audit finds to fail, the heaviest first: a worker has a model write a candidate in the name of whoever
granted it, from the probe half of the cases, and it is replayed. What nobody has decided on yet is not begun again.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from agents.evolution.auditing import proposing
from agents.evolution.candidates import asking, searches
from agents.models import EvolutionGrant, EvolutionProposal, EvolutionStart
from agents.record import causes, logs
from agents.record.causes import Forged
from agents.record.errors import NotPossibleNow, NotYours
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from people import journal, sealing
from people.journal import Event
from people.models import User
from people.roles import Role

logger = logging.getLogger(__name__)

MOST_A_DAY = 20
# What has just been tried without effect is left to people for so long.
_REST = timedelta(days=7)
_FAILS = (EvolutionProposal.Kind.LOW_SUCCESS, EvolutionProposal.Kind.FAILING)
_OPEN = (ComponentVersion.Status.CANDIDATE, ComponentVersion.Status.CANARY)


def granted() -> EvolutionGrant | None:
    """What is granted; None: nothing ever was."""
    return next(iter(sealing.genuine(EvolutionGrant.objects.select_related("by"))), None)


def grant(starts_a_day: int, *, by: User) -> EvolutionGrant:
    """Let so many candidates a day be begun without a person. Raises NotYours, NotPossibleNow."""
    if not by.has_role(Role.ADMIN):
        raise NotYours("Only an admin sets how many candidates are started automatically.")
    if not 0 <= starts_a_day <= MOST_A_DAY:
        raise NotPossibleNow(f"Set a number from 0 to {MOST_A_DAY}.")
    with transaction.atomic():
        before = granted()
        # Nobody can bring an older grant back, sealed as it was.
        sealing.end_all(EvolutionGrant, EvolutionGrant.objects.values_list("pk", flat=True))
        EvolutionGrant.objects.all().delete()
        made = EvolutionGrant.objects.create(starts_a_day=starts_a_day, by=by)
        sealing.seal_new(made)
        was = {"starts_a_day": before.starts_a_day if before is not None else 0}
        said = {"what": "set how many candidates a day are started automatically"}
        data = said | journal.difference(was, {"starts_a_day": starts_a_day})
        journal.record(Event.COMPONENT, by=by, subject="evolution:grant", data=data)
    return made


def run() -> int:
    """Begin what may be begun now; how many were. Workers ask the model."""
    held = granted()
    if held is None or held.by is None or not held.by.has_role(Role.ADMIN):
        return 0
    if asking.budget().why_not:
        return 0
    begun = 0
    for proposal, component in _wanted():
        try:
            if not _begin(held, component, proposal, held.by):
                break
        except Forged:
            return begun
        begun += 1
    return begun


def _wanted() -> Iterator[tuple[EvolutionProposal, Component]]:
    since = timezone.now() - _REST
    for proposal in proposing.open_ones().filter(kind__in=_FAILS):
        component = Component.objects.filter(kind=proposal.component_kind, name=proposal.component_name).first()
        if component is None or component.versions.filter(status__in=_OPEN).exists():
            continue
        tried = EvolutionStart.objects.filter(component_kind=component.kind, component_name=component.name)
        if not tried.filter(at__gte=since).exists():
            yield proposal, component


def _begin(held: EvolutionGrant, component: Component, proposal: EvolutionProposal, by: User) -> bool:
    """Count it and ask for it, both or neither; False when the day is used up or the grant was changed meanwhile."""
    with transaction.atomic():
        # The lock: two workers that count at once would begin one too many.
        newest = EvolutionGrant.objects.select_for_update().order_by("-pk").first()
        if newest is None or newest.pk != held.pk:
            return False
        causes.check(newest)
        midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
        if EvolutionStart.objects.filter(at__gte=midnight).count() >= newest.starts_a_day:
            return False
        start = EvolutionStart(component_kind=component.kind, component_name=component.name, said=proposal.says)
        try:
            why = f"started automatically: {proposal.says}"
            start.search = searches.ask_for_one(component, by=by, why=why, strategy="standard")
        except (LibraryRefused, NotPossibleNow) as refused:
            start.said = logs.storable(f"No candidate: {refused}")[:500]
            logger.info("No candidate of %s was begun: %s", component, refused)
        start.save()
    return True
