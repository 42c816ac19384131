"""What no wake-up reaches: goals that ended, deadlines that passed, requests that wait for a worker.

A request whose goal has ended is answered once: the conditional move lets one of two through that see it at once.
"""

from __future__ import annotations

import time

from django.db import transaction
from django.db.models import F, Max, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from agents.bus import breakers, entries, goal_providers, in_step, moves, requests, steps_waiting
from agents.bus.storing import store
from agents.goals import goals
from agents.models import BusCapability, BusMember, BusRequest
from agents.record import leased, wake_ups
from agents.record.errors import AgentsError, NotPossibleNow
from agents.states import GoalState, MoveRefused, RequestState
from agents.toolkit import canonical

S = RequestState
_AT_ONCE = 100
# So many workers are woken at once; each goes on with whatever else waits.
_WOKEN = 4
# Ends that do not wait for the goal.
_WITHOUT = (S.EXPIRED, S.CANCELLED, S.FAILED)
# Behind thousands of wake-ups the sweep comes late, and deadlines do not wait for it.
_EXPIRES_EVERY_S = 1.0
_expired_at = -_EXPIRES_EVERY_S
# A result above it stays with its goal, where it can be read.
_RESULT_MAX_CHARS = 100_000


def sweep() -> None:
    """Everything that was missed."""
    in_step.refresh()
    ended = BusRequest.objects.filter(state=S.WITH_GOAL, goal__ended_at__isnull=False)
    for pk in ended.order_by("pk").values_list("pk", flat=True)[:_AT_ONCE]:
        settle(pk)
    expire()
    _end_orphans()
    _cancel_with_their_whole()
    steps_waiting.sweep()
    breakers.sweep()
    _note_who_was_seen()
    for pk in free().filter(in_background=True).values_list("pk", flat=True)[:_WOKEN]:
        wake_ups.wake_background("request", pk)


def free() -> QuerySet[BusRequest]:
    """The requests that a worker could take up now, the oldest first."""
    now = Now()
    free = BusRequest.objects.filter(leased.free(BusRequest)).exclude(wake_at__gt=now)
    return free.exclude(deadline__lte=now).order_by("pk")


def goal_ended(goal_id: int, **_: object) -> None:
    """A hint: a goal has ended. If a request waits for it, it is answered at once."""
    for pk in BusRequest.objects.filter(goal=goal_id, state=S.WITH_GOAL).values_list("pk", flat=True):
        settle(pk)


def settle(request_id: int) -> None:
    """Answer a request by its goal, if that has ended and nobody has."""
    request = BusRequest.objects.select_related("goal", "offered", "member", "parent").get(pk=request_id)
    goal = request.goal
    if request.state != S.WITH_GOAL or goal is None or not goal.has_ended:
        return
    did = goal.state == GoalState.ACHIEVED and not goal.has_missed
    reason = "" if did else goal_providers.reason_of(goal) or goal.reason or goal.state
    result = goal_providers.result_of(goal)
    if len(canonical.dumps(result)) > _RESULT_MAX_CHARS:
        result = {"goal": result["goal"], "is_cut": True}
    ms = (timezone.now() - request.started_at).total_seconds() * 1_000 if request.started_at is not None else None
    # People who reject or cancel it say nothing about the member.
    counts = None if goal.state == GoalState.DROPPED else did
    state = S.ANSWERED if did else S.FAILED
    if goal.state == GoalState.DROPPED and request.parent is not None and request.parent.has_ended:
        state = S.CANCELLED
    store(request, state, result, reason, is_well=goal_providers.is_well(goal), did=counts, ms=ms)


def expire_now_and_then() -> None:
    """As `expire`, at most once a second in this process."""
    global _expired_at
    if (now := time.monotonic()) - _expired_at >= _EXPIRES_EVERY_S:
        _expired_at = now
        expire()


def expire() -> None:
    """End what was not answered by its deadline, by the database's clock, and the goals that nobody waits for now."""
    due = BusRequest.objects.filter(ended_at=None, deadline__lte=Now()).select_related("goal", "offered", "by")
    for request in due.order_by("deadline")[:_AT_ONCE]:
        try:
            with transaction.atomic():
                moves.move(request, S.EXPIRED, reason="its deadline has passed")
                goal_providers.adopt(request)
                entries.data("expired", request, outcome="its deadline has passed")
        except MoveRefused:
            continue  # answered, or begun by a worker, at this moment
        if request.member_id is not None:
            breakers.abandoned(request.member_id, request.pk)


def _cancel_with_their_whole() -> None:
    """Cancel what was asked for a goal that has ended: nobody waits for it, as for goals that are parts of others."""
    left = BusRequest.objects.filter(ended_at=None, parent__ended_at__isnull=False).select_related("by")
    for request in left.order_by("pk")[:_AT_ONCE]:
        try:
            requests.cancel(request, by=request.by)
        except (AgentsError, MoveRefused):
            continue  # it ends by itself at this moment


def _end_orphans() -> None:
    """Cancel goals whose request has ended without them: whoever asked waits no longer."""
    left = BusRequest.objects.filter(goal__ended_at=None, goal__isnull=False, state__in=_WITHOUT)
    for request in left.select_related("goal", "by")[:_AT_ONCE]:
        if request.goal is None:
            continue
        try:
            goals.cancel(request.goal, by=request.by)
        except (NotPossibleNow, MoveRefused):
            continue  # it ends by itself at this moment


def _note_who_was_seen() -> None:
    """Members are seen when they answer; noted here, so that answers do not wait for one row."""
    newest = BusCapability.objects.filter(answered_at__gt=F("member__last_seen")).order_by()
    for row in newest.values("member_id").annotate(at=Max("answered_at"))[:_AT_ONCE]:
        BusMember.objects.filter(pk=row["member_id"], last_seen__lt=row["at"]).update(last_seen=row["at"])
