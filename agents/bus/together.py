"""Requests of a capability that answers within milliseconds, taken and answered many at once.

Each round trip to the database and each commit would cost more than such an answer. Only what may simply be done again
is taken together: a worker that dies loses nothing but the answers that it had not stored. What has not begun within a
moment is given back, so that nothing waits behind one that is slow for once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from agents.bus import breakers, moves, providers, routing, storing
from agents.bus.moves import Claimed
from agents.bus.providers import Answer
from agents.execution.companion import Companion
from agents.models import BusCapability, BusRequest
from agents.record import leased
from people.models import User

MOST = 50
# An answer that took no longer is one of many that can be taken together; so long they may take in all.
QUICK_S, TOGETHER_S = 0.005, 0.1


def is_quick(request: BusRequest) -> bool:
    """Whether others like a request that was just answered may be taken together."""
    offered = request.offered
    plain = request.pinned_id is None and bool(request.capability)
    return plain and offered is not None and offered.effect == "idempotent" and request.took_s <= QUICK_S


def answer_like(
    request: BusRequest,
    is_refused: Callable[[Claimed], bool],
    ask: Callable[[BusRequest, BusCapability], Answer | None],
) -> int:
    """Take up waiting requests like this one and answer them; how many were taken up.

    `is_refused` and `ask` (None: it could not answer, which was dealt with) are those of a single turn.
    """
    claimed = moves.claim_like(request, MOST)
    people = User.objects.in_bulk({one.request.by_id for one in claimed})
    fit: list[BusRequest] = []
    for one in claimed:
        one.request.by = people[one.request.by_id]
        if not is_refused(one):
            fit.append(one.request)
    if not fit:
        return len(claimed)
    offered = request.offered
    chosen = routing.route(fit[0])
    is_same = offered is not None and isinstance(chosen, BusCapability) and chosen.pk == offered.pk
    if offered is None or not is_same or breakers.not_closed([offered.member_id], fit[0]):
        # Somebody else is asked by now, or a breaker lets one through: each has a turn of its own.
        moves.give_back(*fit)
        breakers.abandoned(offered.member_id if offered else 0, fit[0].pk)
        return 0
    _answer(fit, offered, ask)
    return len(claimed)


def _answer(
    requests: Sequence[BusRequest],
    offered: BusCapability,
    ask: Callable[[BusRequest, BusCapability], Answer | None],
) -> None:
    until, done = time.monotonic() + TOGETHER_S, list[storing.Given]()
    left, is_well = list(requests), True
    with Companion(0, renew=lambda: leased.renew(*requests), is_cancelled=lambda: False):
        while left and time.monotonic() < until:
            request, began = left.pop(0), time.monotonic()
            request.member, request.offered = offered.member, offered
            with providers.answering(request):
                answer = ask(request, offered)
            if answer is None:
                is_well = False
                break
            done.append(storing.Given(request, answer, (time.monotonic() - began) * 1_000))
    # What was answered before a failure must not count as if it had come after it.
    storing.store_all(done, offered, tell_breaker=is_well)
    moves.give_back(*left)
