"""Circuit breakers as rows, one for each member that ever failed. What follows from an answer is decided in
`agents.bdi.bus.breaker`; the row is locked meanwhile, and the database's clock counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from agents.bdi.bus import breaker
from agents.bdi.bus.breaker import Circuit
from agents.bus import entries, settings
from agents.models import BusBreaker, BusMember, BusRequest
from agents.record.errors import NotYours
from agents.states import REQUEST_ENDED, BreakerState
from people.models import User

CLOSED, OPEN, HALF_OPEN = BreakerState.CLOSED, BreakerState.OPEN, BreakerState.HALF_OPEN
# Requests may go to members whose breaker is one of these; an open one that is due gets one trial.
HEALTHY = Q(breaker=None) | Q(breaker__state=CLOSED.value) | Q(breaker__state=OPEN.value, breaker__until__lte=Now())


def circuit_of(row: BusBreaker | None) -> Circuit:
    """A row as it is decided about."""
    if row is None:
        return Circuit()
    return Circuit(BreakerState(row.state), row.failures, row.until, row.trial_id)


def admit(member_id: int, request: BusRequest) -> bool:
    """Whether the request may go to the member now; of an open breaker that is due it becomes the one trial.

    The race it closes: two requests that both find it due. The row is locked; the second sees it half open.
    """
    with transaction.atomic():
        row, now = _locked(member_id)
        circuit = circuit_of(row)
        if not breaker.admits(circuit, request.pk, now):
            return False
        if circuit.state == OPEN:
            _store(row, breaker.tried(circuit, request.pk), f"request {request.pk} tries it")
    return True


def not_closed(member_ids: Iterable[int], request: BusRequest) -> dict[int, bool]:
    """Of these members those whose breaker is not closed, and whether this request may still get through (`admit`)."""
    rows = BusBreaker.objects.filter(member__in=member_ids).exclude(state=CLOSED.value).annotate(now=Now())
    return {row.member_id: breaker.admits(circuit_of(row), request.pk, row.now) for row in rows}


def succeeded(member_id: int, request_id: int) -> None:
    """The member has answered; one statement where there is nothing to do."""
    if BusBreaker.objects.filter(Q(member=member_id) & (Q(failures__gt=0) | ~Q(state=CLOSED.value))).exists():
        _after(member_id, lambda circuit, now: breaker.succeeded(circuit, request_id), "it answered")


def failed(member_id: int, request_id: int, why: str) -> None:
    """The member could not answer."""
    terms = settings.in_force().terms
    BusBreaker.objects.get_or_create(member_id=member_id)
    _after(member_id, lambda circuit, now: breaker.failed(circuit, request_id, now, terms), why)


def abandoned(member_id: int, request_id: int) -> None:
    """A request ended without saying anything about the member; if it was the trial, another one may be."""
    if BusBreaker.objects.filter(member=member_id, trial=request_id).exists():
        _after(member_id, lambda circuit, now: breaker.abandoned(circuit, request_id, now), "its trial ended early")


def close(member: BusMember, *, by: User) -> None:
    """A person says that the member is well again. Raises NotYours."""
    if not settings.may_change(by):
        raise NotYours("Only operators can close a breaker.")
    if BusBreaker.objects.filter(member=member).exists():
        _after(member.pk, lambda circuit, now: Circuit(), "closed by hand", by=by)


def sweep() -> None:
    """Let go of trials that ended and told nobody, because their worker died between the two, and of those that wait
    for people: a plan that nobody reviews must not keep everybody else from the member.
    """
    patience = timedelta(seconds=settings.in_force().terms.cooldown_s)
    ended = BusBreaker.objects.filter(state=HALF_OPEN.value).filter(
        Q(trial=None)
        | Q(trial__state__in=[state.value for state in REQUEST_ENDED])
        | Q(trial__state="waiting")
        | Q(trial__state="with_goal", changed_at__lte=Now() - patience)
    )
    for row in ended.values("member_id", "trial_id")[:50]:
        _after(row["member_id"], lambda circuit, now: Circuit(OPEN, 0, now), "its trial ended early", row["trial_id"])


def _after(
    member_id: int,
    what: Callable[[Circuit, datetime], Circuit],
    why: str,
    trial: int | None = None,
    *,
    by: User | None = None,
) -> None:
    with transaction.atomic():
        row, now = _locked(member_id)
        circuit = circuit_of(row)
        # Seen by the sweep a moment ago; another trial may have begun meanwhile.
        if trial is not None and circuit.trial != trial:
            return
        _store(row, what(circuit, now), why, by=by)


def _locked(member_id: int) -> tuple[BusBreaker, datetime]:
    row = BusBreaker.objects.select_for_update(no_key=True).annotate(now=Now()).get(member=member_id)
    return row, row.now


def _store(row: BusBreaker, circuit: Circuit, why: str, *, by: User | None = None) -> None:
    before = row.state
    if circuit == circuit_of(row):
        return
    row.failures, row.until, row.trial_id = circuit.failures, circuit.until, circuit.trial
    if before != circuit.state:
        # The row is locked, so nobody else can move it.
        row.state = circuit.state.value
        entries.system(f"breaker_{circuit.state.value}", by=by, member=row.member, outcome=why)
    row.save()
