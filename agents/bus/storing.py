"""The answer of a request, stored once: the request, the record of who answered, the log, and its breaker."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from agents.bus import breakers, entries, moves, remembering, steps_waiting
from agents.bus.providers import Answer
from agents.models import BusCapability, BusEntry, BusRequest
from agents.states import MoveRefused, RequestState

_TOO_LATE = "its answer came too late and was refused"


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
        entries.data("late", request, outcome=_TOO_LATE, duration_ms=ms)
        if member_id is not None:
            breakers.abandoned(member_id, request.pk)
        return False
    if member_id is not None:
        _tell_breaker(member_id, request.pk, is_well, reason)
    return True


@dataclass(frozen=True)
class Given:
    """An answer that a member gave within so many milliseconds, to be stored with others."""

    request: BusRequest
    answer: Answer
    ms: float


def store_all(given: Sequence[Given], offered: BusCapability, *, tell_breaker: bool) -> None:
    """Store answers of one member together; of each that came too late a line in the log says so."""
    if not given:
        return
    states = [RequestState.ANSWERED if one.answer.succeeded else RequestState.FAILED for one in given]
    rows = [
        (one.request.pk, one.request.lease_fence, state.value, one.answer.reason, json.dumps(dict(one.answer.result)))
        for one, state in zip(given, states, strict=True)
    ]
    with transaction.atomic():
        in_time = moves.answer_all(rows, offered.member_id, offered.pk)
        kept = [(one, state) for one, state in zip(given, states, strict=True) if one.request.pk in in_time]
        did = sum(state is RequestState.ANSWERED for _, state in kept)
        counted = {"succeeded": F("succeeded") + did, "failed": F("failed") + len(kept) - did}
        BusCapability.objects.filter(pk=offered.pk).update(answered_at=Now(), **counted)
        lines = [
            entries.line(state.value, one.request, outcome=one.answer.reason, is_well=True, duration_ms=one.ms)
            for one, state in kept
        ]
        lines += [
            entries.line("late", one.request, outcome=_TOO_LATE, duration_ms=one.ms)
            for one in given
            if one.request.pk not in in_time
        ]
        BusEntry.objects.bulk_create(lines)
        _remember(kept)
    if tell_breaker:
        breakers.succeeded(offered.member_id, given[-1].request.pk)


def _remember(kept: Sequence[tuple[Given, RequestState]]) -> None:
    """What was delegated among them becomes an experience each, and steps go on that wait for it."""
    for one, state in kept:
        if remembering.is_delegated(one.request):
            one.request.state, one.request.reason = state.value, one.answer.reason
            one.request.answer = dict(one.answer.result)
            remembering.remember(one.request)
            steps_waiting.go_on(one.request)


def _tell_breaker(member_id: int, request_id: int, is_well: bool | None, reason: str) -> None:
    if is_well is None:
        breakers.abandoned(member_id, request_id)
    elif is_well:
        breakers.succeeded(member_id, request_id)
    else:
        breakers.failed(member_id, request_id, reason[:500])
