"""Answers on the bus, sealed by the worker that stored what a member gave: no step goes on by another one, and nobody
is told of another one.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable

from agents.models import BusAnswer, BusRequest
from agents.states import REQUEST_ANSWERED, RequestState
from people import sealing

logger = logging.getLogger(__name__)

_FORGED = "its answer is not as mindX stored it, so it counts for nothing"


def seal(keys: Collection[int]) -> None:
    """Seal the answers of these requests, as they are stored now. Call it in the transaction that stores them."""
    sealing.seal_all_new(list(BusAnswer.objects.filter(pk__in=keys).only(*sealing.fields_of(BusAnswer))))


def as_told(rows: Iterable[BusRequest]) -> list[BusRequest]:
    """The requests as whoever asked is told of them: an answer that nobody gave is none."""
    found = list(rows)
    for row in _forged(found):
        row.state, row.reason, row.answer = RequestState.FAILED.value, _FORGED, None
    return found


def why_forged(row: BusRequest) -> str:
    """Why the answer of this request counts for nothing; "" where it does, and where there is none."""
    return _FORGED if _forged([row]) else ""


def _forged(rows: Collection[BusRequest]) -> list[BusRequest]:
    ended = [row for row in rows if row.state in REQUEST_ANSWERED]
    if not ended:
        return []
    read = BusAnswer.objects.filter(pk__in=[row.pk for row in ended]).annotate(seal=sealing.newest(BusAnswer))
    seals = dict(read.values_list("pk", "seal"))
    names = sealing.fields_of(BusAnswer)
    fits = {row.pk for row in ended if sealing.fits(BusAnswer, row.pk, _values(row, names), seals.get(row.pk))}
    found = [row for row in ended if row.pk not in fits]
    for row in found:
        logger.error("An answer was not sealed by mindX", extra={"request": row.pk})
    return found


def _values(row: BusRequest, names: Iterable[str]) -> dict[str, object]:
    return {name: getattr(row, name) for name in names}
