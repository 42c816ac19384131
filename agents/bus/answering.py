"""A worker's part: a request is taken up under a fenced lease, routed, given to its member, and its answer stored once.

What a member of mindX is asked for goes on as a goal. What a part of mindX answers is answered here, while a companion
keeps the lease alive.
"""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.db.models import F
from django.db.models.functions import Now

from agents.bdi.bus.routing import Strategy
from agents.bus import breakers, entries, goal_providers, moves, providers, routing, settling, together
from agents.bus.moves import Claimed
from agents.bus.providers import Answer, Asked, ProviderUnavailable
from agents.bus.requests import digest_of
from agents.bus.routing import Nobody
from agents.bus.storing import store
from agents.execution import database_outage
from agents.execution.companion import Companion
from agents.models import BusCapability, BusMember, BusRequest
from agents.record import draining, leased, logs, wake_ups
from agents.record.errors import AgentsError
from agents.states import MoveRefused, RequestState
from agents.toolkit import canonical, schemas
from library.language.may_wait import NotHere
from people.roles import Role

logger = logging.getLogger(__name__)

S = RequestState
# So much one wake-up does before others have their turn.
TURNS = 200
_ANSWER_MAX_CHARS = 200_000
# Before the next try of a request that failed, and of one that found nobody.
_AGAIN_S, _NOBODY_S = 2.0, 15.0


def work(request_id: int | None = None) -> None:
    """Answer this request if it is free, then whatever else waits, for a while."""
    for _ in range(TURNS):
        claimed = None if draining.is_asked() else moves.claim(request_id)
        if claimed is None:
            if request_id is None:
                return
            request_id = None  # somebody has it; others may wait
            continue
        request_id = None
        take_turn(claimed)
        _others_like(claimed.request)
    free = BusRequest.objects.filter(state=S.WAITING, wake_at=None, in_background=False)
    if (waiting := free.order_by("pk").first()) is not None:
        wake_ups.wake_bus(waiting.pk)


def one() -> bool:
    """Answer the request that waits longest; whether there was one."""
    claimed = None if draining.is_asked() else moves.claim()
    if claimed is None:
        return False
    take_turn(claimed)
    _others_like(claimed.request)
    return True


def one_in_background(request_id: int | None = None) -> bool:
    """Answer a request that waits for a language model; whether there was one."""
    claimed = None if draining.is_asked() else moves.claim(request_id, in_background=True)
    if claimed is not None:
        take_turn(claimed)
    return claimed is not None


def _others_like(request: BusRequest) -> None:
    """Where it was answered at once, answer those that wait for the same together."""
    if request.state != S.ANSWERED or not together.is_quick(request):
        return
    try:
        for _ in range(TURNS // together.MOST):
            if draining.is_asked() or not together.answer_like(request, is_refused, _answer):
                return
    except NotHere:
        # One of them asks a model. Their leases run out, and each is then taken up by itself.
        logger.info("Requests of the bus that were taken together are answered one by one")


def take_turn(claimed: Claimed) -> None:
    """One turn of a claimed request. What goes wrong inside mindX costs an attempt and is tried again."""
    try:
        _turn(claimed)
    except NotHere:
        moves.give_back(claimed.request, to_background=True)
        wake_ups.wake_background("request", claimed.request.pk)
    except MoveRefused as lost:
        logger.info("A request of the bus was moved by somebody else: %s", lost)
    except Exception as error:  # the edge of the loop: the request is kept
        if database_outage.is_outage(error):
            raise
        logger.exception("A request of the bus failed inside mindX", extra={"bus_request": claimed.request.pk})
        _try_again(claimed.request, "an error inside mindX")


def _turn(claimed: Claimed) -> None:
    request = claimed.request
    if is_refused(claimed):
        return
    if claimed.was_lost:
        entries.data("lost", request, outcome="its worker stopped responding")
    chosen = routing.route(request)
    if isinstance(chosen, Nobody):
        _nobody(request, chosen)
        return
    values: dict[str, Any] = {"member": chosen.member, "offered": chosen}
    if not moves.note(request, **values):
        # Its deadline has passed while it was routed, or somebody has cancelled it.
        breakers.abandoned(chosen.member_id, request.pk)
        return
    if request.strategy == Strategy.ROUND_ROBIN:
        # Two workers at once may choose the same one; the next choice makes up for it.
        BusCapability.objects.filter(pk=chosen.pk).update(routed_at=Now())
    if chosen.member.kind in goal_providers.KINDS:
        _begin_goal(request, chosen)
    else:
        _ask(request, chosen)


def is_refused(claimed: Claimed) -> bool:
    """Whether this request can go to nobody, whoever is there; it is ended then."""
    why = _why_not_at_all(claimed)
    if why:
        _fail(claimed.request, why)
    return bool(why)


def _why_not_at_all(claimed: Claimed) -> str:
    request = claimed.request
    if not claimed.is_genuine or request.digest != digest_of(request.capability, request.task, request.content):
        return "it is not what was asked: its row was changed in the database"
    if not request.by.has_role(Role.SUBMITTER, Role.REVIEWER, Role.OPERATOR, Role.DEVELOPER):
        return f"{request.by.username} may not ask on the bus any more"
    offered = request.offered
    if claimed.was_lost and offered is not None and offered.effect == "once" and _acts_at_once(offered.member):
        return "outcome_unknown: its worker stopped responding, and it cannot be repeated safely"
    return request.costs_too_much


def _acts_at_once(member: BusMember) -> bool:
    """A goal has one key and steps with effects of their own; only what is asked directly may act twice."""
    return member.kind not in goal_providers.KINDS


def _nobody(request: BusRequest, why: Nobody) -> None:
    if why.for_good:
        _fail(request, why.reason)
        return
    # It has not been given to anybody: that is no attempt.
    later = why.until if why.until is not None else Now() + timedelta(seconds=_NOBODY_S)
    moves.move(request, S.WAITING, reason=why.reason, wake_at=later, attempts=F("attempts") - 1)


def _begin_goal(request: BusRequest, offered: BusCapability) -> None:
    try:
        goal = goal_providers.begin(request, offered)
    except AgentsError as refused:
        breakers.abandoned(offered.member_id, request.pk)
        _fail(request, logs.storable(str(refused))[:2_000])
        return
    try:
        moves.move(request, S.WITH_GOAL, in_time=True, goal=goal)
    except MoveRefused:
        # Cancelled, or its deadline passed, while the goal was made: nobody waits for it, so it goes (`settling`).
        breakers.abandoned(offered.member_id, request.pk)
        BusRequest.objects.filter(pk=request.pk, goal=None).update(goal=goal)
        raise
    # It may have ended before this request knew of it.
    settling.settle(request.pk)


def _ask(request: BusRequest, offered: BusCapability) -> None:
    began = time.monotonic()
    kept_alive = Companion(0, renew=lambda: leased.renew(request), is_cancelled=lambda: False)
    with kept_alive, providers.answering(request):
        answer = _answer(request, offered)
    if answer is None:
        return
    request.took_s = time.monotonic() - began
    state = S.ANSWERED if answer.succeeded else S.FAILED
    ms = 1_000 * request.took_s
    store(request, state, answer.result, answer.reason, is_well=True, did=answer.succeeded, ms=ms)


def _answer(request: BusRequest, offered: BusCapability) -> Answer | None:
    """What the member answers; None where it could not, which is dealt with."""
    began = time.monotonic()
    connected = providers.connected().get(offered.member.name)
    try:
        if connected is None:
            raise ProviderUnavailable("it does not answer in this worker")
        return _checked(connected.provider.answer(_asked(request, offered)), offered)
    except Exception as error:  # whatever a member raises: it could not answer
        if database_outage.is_outage(error):
            raise
        trace = not isinstance(error, ProviderUnavailable)
        logger.warning("A member of the bus could not answer", extra={"bus_request": request.pk}, exc_info=trace)
        _could_not(request, offered, logs.storable(f"{type(error).__name__}: {error}")[:500], _ms_since(began))
        return None


def _asked(request: BusRequest, offered: BusCapability) -> Asked:
    return Asked(
        id=request.pk,
        by=request.by,
        capability=offered.name,
        content=request.content,
        task=request.task,
        why=request.why,
        attempt=request.attempts,
        deadline=request.deadline,
        parent=request.parent,
        workspace=request.workspace,
        request=request,
    )


def _checked(answer: Answer, offered: BusCapability) -> Answer:
    """The answer as it can be kept. One that is no JSON, too long, or not what was promised is a refusal."""
    result = dict(answer.result)
    try:
        written = canonical.dumps(result).decode()
        schemas.loads_strict(written)
    except (ValueError, TypeError, RecursionError):
        return Answer.refused("the answer is no JSON that can be kept")
    if len(written) > _ANSWER_MAX_CHARS:
        return Answer.refused(f"the answer has more than {_ANSWER_MAX_CHARS:,} characters")
    if answer.succeeded and offered.gives and (faults := schemas.problems(offered.gives, result)):
        name, message = faults[0]
        return Answer.refused(f"the answer is not what was promised: {name} {message}"[:500])
    return replace(answer, reason=logs.storable(answer.reason)[:2_000])


def _could_not(request: BusRequest, offered: BusCapability, why: str, ms: float) -> None:
    """The member could not answer. Whether the request may be tried again is for the effect of the capability to say:
    what cannot be repeated safely may have happened.
    """
    member_id, request_id = offered.member_id, request.pk
    is_last = request.attempts >= request.lost_most or offered.effect == "once"
    BusCapability.objects.filter(pk=offered.pk).update(failed=F("failed") + 1, answered_at=Now())
    breakers.failed(member_id, request_id, why)
    if is_last:
        reason = f"outcome_unknown: {why}" if offered.effect == "once" else why
        store(request, S.FAILED, None, reason, is_well=None, did=None, ms=ms)
        return
    entries.data("tried", request, outcome=why, is_well=False, duration_ms=ms)
    _try_again(request, why)


def _try_again(request: BusRequest, why: str) -> None:
    tried = [*request.tried, request.member_id] if request.member_id is not None else request.tried
    later = Now() + timedelta(seconds=_AGAIN_S)
    try:
        if request.attempts >= request.lost_most:
            _fail(request, why)
        else:
            moves.move(request, S.WAITING, reason=why, tried=tried, wake_at=later)
    except MoveRefused:
        logger.info("Request %s was ended by somebody else", request.pk)


def _fail(request: BusRequest, why: str) -> None:
    moves.move(request, S.FAILED, reason=why)
    goal_providers.adopt(request)
    entries.data("failed", request, outcome=why)


def _ms_since(began: float) -> float:
    return (time.monotonic() - began) * 1_000
