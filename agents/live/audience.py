"""Who listens in this process, and whether they still may: asked for all sockets together, every two seconds.

A check takes three statements however many sockets are open. Whoever logged out, changed the password, was switched off
or lost sight of a goal is told so within one interval.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any
from weakref import WeakKeyDictionary

from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.models import Session
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from agents.live.hub import Lane
from agents.models import Goal
from agents.record.selectors import may_see
from people.models import User
from people.sessions import stored_key

logger = logging.getLogger(__name__)

# A person who loses the right is gone within this time and what the statements take.
CHECK_EVERY_S = 2.0
# Each open page is one socket. The oldest gives way: the page that somebody has just opened is the one they look at.
MOST_PER_SESSION = 40
MOST_PER_PERSON = 80


class Ending(Enum):
    """Why a socket is closed."""

    NOT_LOGGED_IN = "not_logged_in"
    NOT_VISIBLE = "not_visible"
    TOO_MANY = "too_many"
    FAILED = "failed"


@dataclass(frozen=True)
class Seat:
    """What a socket was opened with. `goal_id` None: a page that everybody may listen to who is logged in."""

    person_id: int
    session_key: str
    auth_hash: str
    goal_id: int | None


# Takes the person as they are now, or why the socket ends.
Told = Callable[[User | Ending], None]


def seat_of(scope: Any, goal_id: int | None) -> Seat | None:
    """The seat of a socket by its ASGI scope; None for nobody, and for a person without a session."""
    user, session = scope.get("user"), scope.get("session")
    if not isinstance(user, User) or session is None or not session.session_key:
        return None
    return Seat(user.pk, session.session_key, session.get(HASH_SESSION_KEY, ""), goal_id)


def check(seats: Sequence[Seat]) -> list[User | Ending]:
    """For each seat the person as they are now, or why they may not listen any more. Three statements in all."""
    people = User.objects.filter(is_active=True).in_bulk({seat.person_id for seat in seats})
    keys = {seat.session_key: stored_key(seat.session_key) for seat in seats}
    alive = Session.objects.filter(session_key__in=keys.values(), expire_date__gt=timezone.now())
    sessions = set(alive.values_list("session_key", flat=True))
    goal_ids = {seat.goal_id for seat in seats if seat.goal_id is not None}
    submitters = dict(Goal.objects.filter(pk__in=goal_ids).values_list("pk", "submitted_by")) if goal_ids else {}
    hashes = {pk: person.get_session_auth_hash() for pk, person in people.items()}

    def answer(seat: Seat) -> User | Ending:
        person = people.get(seat.person_id)
        if person is None or keys[seat.session_key] not in sessions:
            return Ending.NOT_LOGGED_IN
        if not constant_time_compare(seat.auth_hash, hashes[person.pk]):
            return Ending.NOT_LOGGED_IN
        if seat.goal_id is None or (seat.goal_id in submitters and may_see(person, submitters[seat.goal_id])):
            return person
        return Ending.NOT_VISIBLE

    return [answer(seat) for seat in seats]


class Audience:
    """The open sockets of one event loop. Its checks begin with the first and end with the last."""

    def __init__(self) -> None:
        self._lane = Lane()
        self._seats: dict[Told, Seat] = {}  # in the order in which they came
        self._task: asyncio.Task[None] | None = None

    async def may_enter(self, seat: Seat) -> User | Ending:
        """Ask for one socket, before it is let in."""
        return (await self._lane.ask(check, [seat]))[0]

    def enter(self, seat: Seat, told: Told) -> None:
        """Have `told` called with each check's answer. Closes the oldest sockets of whoever has too many."""
        self._seats[told] = seat
        mine = [each for each, other in self._seats.items() if other.session_key == seat.session_key]
        theirs = [each for each, other in self._seats.items() if other.person_id == seat.person_id]
        for oldest in {*mine[:-MOST_PER_SESSION], *theirs[:-MOST_PER_PERSON]}:
            del self._seats[oldest]
            oldest(Ending.TOO_MANY)
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    def leave(self, told: Told) -> None:
        """Stop that."""
        self._seats.pop(told, None)
        if not self._seats and self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(CHECK_EVERY_S)
            seats = dict(self._seats)
            answers: Sequence[User | Ending]
            try:
                answers = await self._lane.ask(check, list(seats.values()))
            except Exception:
                # The edge of the loop. Nobody listens on unchecked; pages fall back to asking by HTTP.
                logger.exception("The rights of open pages could not be checked")
                answers = [Ending.FAILED] * len(seats)
            for told, answer in zip(seats, answers, strict=True):
                if told in self._seats:
                    told(answer)


_audiences: WeakKeyDictionary[asyncio.AbstractEventLoop, Audience] = WeakKeyDictionary()


def audience() -> Audience:
    """The audience of this event loop; a web process has one loop."""
    return _audiences.setdefault(asyncio.get_running_loop(), Audience())
