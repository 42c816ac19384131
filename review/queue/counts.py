"""The counts in the frame of every page, in one query."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db.models import Exists, IntegerField, QuerySet, Subquery
from django.http import HttpRequest
from psycopg.sql import Literal

from agents.models import Standstill
from agents.record import prepared
from people.models import User
from review.inbox import requests
from review.levels import page
from review.models import HeldDecision, Notice
from review.queue import listing

COUNTED_UP_TO = 99
_KEPT = "_mindx_numbers"
# Placeholder id in the composed query, replaced by the person who asks.
_ANYBODY, _WHO = -1, "%(who)s"


@dataclass(frozen=True)
class Numbers:
    """Plans that this person may decide, those assigned to them, designs and choices of rules, requests of the inbox,
    and unread notices: "7", "99+", or "" for none.

    The others say whether there is anything to show: held decisions, steps and goals that need a person, and whether
    everything is paused.
    """

    waiting: str = ""
    mine: str = ""
    levels: str = ""
    inbox: str = ""
    unread: str = ""
    has_held: bool = False
    has_unknown: bool = False
    has_manual: bool = False
    stands_still: bool = False


class _Counted(Subquery):
    """The number of rows of a query, up to its limit."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS counted)"
    output_field = IntegerField()
    empty_result_set_value = 0


def of(user: User) -> Numbers:
    """The numbers for one person."""
    rights = user.is_active, user.is_superuser, tuple(user.roles), settings.FOUR_EYES
    found = prepared.row(_asked(*rights, COUNTED_UP_TO + 1), {"who": user.pk})
    if found is None:
        return Numbers()
    waiting, mine, of_levels, of_inbox, unread, *there_is = found
    counts = in_words(waiting), in_words(mine), in_words(of_levels), in_words(of_inbox), in_words(unread)
    return Numbers(*counts, *there_is)


@lru_cache(maxsize=512)
def _asked(is_active: bool, is_superuser: bool, roles: tuple[str, ...], _four_eyes: bool, most: int) -> str:
    """The query for everybody with these rights, with a placeholder for the person. Composing it takes Django longer
    than answering it takes Postgres, and every page needs it.
    """
    user = User(pk=_ANYBODY, is_active=is_active, is_superuser=is_superuser, roles=list(roles))
    waiting = listing.decidable(user)
    rows = User.objects.filter(pk=user.pk).values_list(
        _counted(waiting, most),
        _counted(waiting.filter(assigned_to=user), most),
        _counted(page.decidable(user), most),
        _counted(requests.decidable(user), most),
        _counted(Notice.objects.filter(user=user, read_at__isnull=True), most),
        Exists(HeldDecision.objects.filter(by=user)),
        Exists(listing.steps_to_judge(user)),
        Exists(listing.goals_for_a_hand(user)),
        Exists(Standstill.objects.all()),
    )
    text, given = rows.query.sql_with_params()
    # Constants in the text: with parameters Postgres would not use the partial indexes.
    return text % tuple(_WHO if value == _ANYBODY else Literal(value).as_string() for value in given)


def numbers_of(request: HttpRequest) -> Numbers:
    """The numbers for the person of a request, read once; None without a person."""
    user = request.user
    if not isinstance(user, User):
        return Numbers()
    found: Numbers | None = getattr(request, _KEPT, None)
    if found is None:
        found = of(user)
        setattr(request, _KEPT, found)
    return found


def in_words(number: int) -> str:
    """A count as the pages show it."""
    return f"{COUNTED_UP_TO}+" if number > COUNTED_UP_TO else str(number or "")


def _counted(rows: QuerySet[Any], most: int) -> _Counted:
    return _Counted(rows.order_by().values("pk")[:most])
