"""The answer of a request, stored once: the request, the record of who answered, the log, and its breaker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from agents.bus import breakers, entries, moves
from agents.models import BusCapability, BusRequest
from agents.states import MoveRefused, RequestState


def store(
    request: BusRequest,
    state: RequestState,
    result: Mapping[str, Any] | None,
    reason: str,
    *,
    is_well: bool | None,
    did: bool | None,
    ms: float | None,
) -> bool:
    """Store the answer, once; False when it came too late, which is logged and changes nothing.

    `is_well`: whether the member could answer (its breaker); `did`: whether it did what it offers (its record).
    """
    member_id, offered_id = request.member_id, request.offered_id
    try:
        with transaction.atomic():
            moves.move(request, state, reason=reason, in_time=True, answer=result)
            if did is not None and offered_id is not None:
                counted = {"succeeded": F("succeeded") + 1} if did else {"failed": F("failed") + 1}
                BusCapability.objects.filter(pk=offered_id).update(answered_at=Now(), **counted)
            entries.data(state.value, request, outcome=reason, is_well=is_well, duration_ms=ms)
    except MoveRefused:
        entries.data("late", request, outcome="its answer came too late and was refused", duration_ms=ms)
        if member_id is not None:
            breakers.abandoned(member_id, request.pk)
        return False
    if member_id is not None:
        _tell_breaker(member_id, request.pk, is_well, reason)
    return True


def _tell_breaker(member_id: int, request_id: int, is_well: bool | None, reason: str) -> None:
    if is_well is None:
        breakers.abandoned(member_id, request_id)
    elif is_well:
        breakers.succeeded(member_id, request_id)
    else:
        breakers.failed(member_id, request_id, reason[:500])
