"""What the frame of every page counts, asked in one question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, IntegerField, QuerySet, Subquery
from django.http import HttpRequest

from agents.models import Standstill
from people.models import User
from review import levels, queue
from review.models import HeldDecision, Notice

COUNTED_UP_TO = 99
_KEPT = "_mindx_numbers"


@dataclass(frozen=True)
class Numbers:
    """What this person may decide, what of it is theirs, what of designs and choices of rules, what they
    have not read: "7", "99+", or "" for nothing.

    The others say whether there is anything to ask for: decisions that are held, steps and goals that need
    a hand, and whether everything stands still.
    """

    waiting: str = ""
    mine: str = ""
    levels: str = ""
    unread: str = ""
    has_held: bool = False
    has_unknown: bool = False
    has_manual: bool = False
    stands_still: bool = False


class _Counted(Subquery):
    """How many rows a query has, at most as many as it is limited to."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS counted)"
    output_field = IntegerField()
    empty_result_set_value = 0


def of(user: User) -> Numbers:
    """The numbers for one person."""
    waiting = queue.decidable(user)
    found = (
        User.objects.filter(pk=user.pk)
        .annotate(
            waiting=_counted(waiting),
            mine=_counted(waiting.filter(assigned_to=user)),
            levels=_counted(levels.decidable(user)),
            unread=_counted(Notice.objects.filter(user=user, read_at__isnull=True)),
            has_held=Exists(HeldDecision.objects.filter(by=user)),
            has_unknown=Exists(queue.steps_to_judge(user)),
            has_manual=Exists(queue.goals_for_a_hand(user)),
            stands_still=Exists(Standstill.objects.all()),
        )
        .values("waiting", "mine", "levels", "unread", "has_held", "has_unknown", "has_manual", "stands_still")
        .first()
    )
    if found is None:
        return Numbers()
    return Numbers(
        waiting=in_words(found["waiting"]),
        mine=in_words(found["mine"]),
        levels=in_words(found["levels"]),
        unread=in_words(found["unread"]),
        has_held=found["has_held"],
        has_unknown=found["has_unknown"],
        has_manual=found["has_manual"],
        stands_still=found["stands_still"],
    )


def numbers_of(request: HttpRequest) -> Numbers:
    """The numbers for whoever asks, read once a request; nothing for nobody."""
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


def _counted(rows: QuerySet[Any]) -> _Counted:
    return _Counted(rows.order_by().values("pk")[: COUNTED_UP_TO + 1])
