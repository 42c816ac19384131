"""Reading cards of agents elsewhere, by a worker: no page waits for another machine."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from agents.components.tool_writing import ToolInvalid
from agents.foreign import registering
from agents.foreign.cards import CardRefused
from agents.foreign.fetching import NotFetched
from agents.models import CardReading
from agents.record import draining, leased, logs, wake_ups
from agents.record.errors import NotPossibleNow
from agents.states import AskedState, MoveRefused
from library.components import services
from library.errors import LibraryRefused
from people import sealing
from people.models import User

logger = logging.getLogger(__name__)

# So long an ended one is shown, and so long it is kept.
SHOWN_FOR, _KEPT_FOR = timedelta(minutes=15), timedelta(days=7)
_AT_ONCE = 10
_WAITING_MOST = 20
_REFUSALS = (CardRefused, NotFetched, ToolInvalid, NotPossibleNow, LibraryRefused, ValueError)


def ask(said: str, *, by: User) -> CardReading:
    """Have a worker read the card at this address, or at its well-known place on this host.

    Raises LibraryRefused for who may not write, ValueError about the address, NotPossibleNow for too many at once.
    """
    services.check_rights(by, activate=False)
    address = registering.address_of(said)
    with transaction.atomic():
        # The lock: somebody who asks twenty times at once still has twenty that wait.
        User.objects.select_for_update(no_key=True).get(pk=by.pk)
        if CardReading.objects.filter(CardReading.acted_on, by=by).count() >= _WAITING_MOST:
            raise NotPossibleNow(f"{_WAITING_MOST} cards wait to be read for you already.")
        reading = CardReading.objects.create(by=by, address=address.text)
        sealing.seal_new(reading)
        wake_ups.wake_background("card", reading.pk)
    return reading


def lately(user: User) -> QuerySet[CardReading]:
    """What this person asked for that is open, or ended a short while ago; the newest first."""
    since = timezone.now() - SHOWN_FOR
    return CardReading.objects.filter(by=user, asked_at__gte=since).select_related("agent", "version")


def sweep() -> None:
    """Wake a worker for those that nobody reads, and forget old ones."""
    for pk in (
        CardReading.objects.filter(leased.free(CardReading)).order_by("pk").values_list("pk", flat=True)[:_AT_ONCE]
    ):
        wake_ups.wake_background("card", pk)
    CardReading.objects.filter(ended_at__lt=Now() - _KEPT_FOR).delete()


def work(reading_id: int) -> None:
    """Read it, if nobody does."""
    if draining.is_asked():
        return
    with transaction.atomic():
        reading = leased.begin(CardReading.objects.filter(leased.free(CardReading), pk=reading_id))
    if reading is None:
        return
    try:
        found = registering.read(registering.address_of(reading.address))
        with transaction.atomic():
            done = registering.register(found, by=User.objects.get(pk=reading.by_id))
            # Last: of a reading that another worker has meanwhile nothing is kept.
            leased.to(reading, AskedState.ENDED, agent=done.agent, version=done.candidate)
    except _REFUSALS as refused:
        _fail(reading, str(refused))
    except MoveRefused:
        logger.info("%s was begun by another worker", reading)


def _fail(reading: CardReading, reason: str) -> None:
    try:
        leased.to(reading, AskedState.ENDED, reason=logs.storable(reason)[:500])
    except MoveRefused:
        logger.info("%s was begun by another worker", reading)
