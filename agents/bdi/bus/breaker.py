"""A circuit breaker: a member that keeps failing is left alone for a while, then tried with one request."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from agents.states import BreakerState

CLOSED, OPEN, HALF_OPEN = BreakerState.CLOSED, BreakerState.OPEN, BreakerState.HALF_OPEN


@dataclass(frozen=True)
class Terms:
    """So many failures in a row open it, for so long."""

    failures: int = 3
    cooldown_s: float = 300.0


@dataclass(frozen=True)
class Circuit:
    """`failures` are those in a row while it is closed. `until`: when an open one may be tried. `trial`: the request
    that tries a half-open one.
    """

    state: BreakerState = CLOSED
    failures: int = 0
    until: datetime | None = None
    trial: int | None = None


def admits(circuit: Circuit, request: int, now: datetime) -> bool:
    """Whether this request may go to the member now. Of an open one that is due it becomes the trial (`tried`)."""
    if circuit.state == HALF_OPEN:
        return circuit.trial == request
    return circuit.state == CLOSED or circuit.until is None or circuit.until <= now


def tried(circuit: Circuit, request: int) -> Circuit:
    """An open circuit that is due, with its one trial."""
    return replace(circuit, state=HALF_OPEN, trial=request)


def succeeded(circuit: Circuit, request: int) -> Circuit:
    """The member has answered. What was asked before it opened says nothing about now."""
    if circuit.state == CLOSED:
        return Circuit()
    return Circuit() if circuit.state == HALF_OPEN and circuit.trial == request else circuit


def failed(circuit: Circuit, request: int, now: datetime, terms: Terms) -> Circuit:
    """The member could not answer. While it is open, calls that began earlier do not keep it open for longer."""
    opened = Circuit(OPEN, 0, now + timedelta(seconds=terms.cooldown_s))
    if circuit.state == CLOSED:
        count = circuit.failures + 1
        return opened if count >= terms.failures else replace(circuit, failures=count)
    return opened if circuit.state == HALF_OPEN and circuit.trial == request else circuit


def abandoned(circuit: Circuit, request: int, now: datetime) -> Circuit:
    """The trial ended without saying anything about the member: the next request is one."""
    if circuit.state == HALF_OPEN and circuit.trial == request:
        return Circuit(OPEN, 0, now)
    return circuit


@dataclass(frozen=True)
class PastCall:
    """A call that was made: when, and whether the member could answer."""

    at: datetime
    is_well: bool


@dataclass(frozen=True)
class Replayed:
    """What other terms would have made of past calls: how often it opens, and which calls do not reach the member."""

    opened: int = 0
    spared_failures: int = 0
    kept_from_answers: int = 0


def replayed(calls: Iterable[PastCall], terms: Terms) -> Replayed:
    """Go through the calls to one member, oldest first, as if these terms had held."""
    circuit, found = Circuit(), Replayed()
    for number, call in enumerate(calls):
        if not admits(circuit, number, call.at):
            spared, kept = found.spared_failures + (not call.is_well), found.kept_from_answers + call.is_well
            found = replace(found, spared_failures=spared, kept_from_answers=kept)
            continue
        if circuit.state == OPEN:
            circuit = tried(circuit, number)
        after = succeeded(circuit, number) if call.is_well else failed(circuit, number, call.at, terms)
        found = replace(found, opened=found.opened + (after.state == OPEN))
        circuit = after
    return found
