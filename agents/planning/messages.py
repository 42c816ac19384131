"""What was said about a goal and the goal that it is part of: people's words, questions with their answers, and what
was asked on the bus. It is for whoever plans the goal, each message shortened by its own sentences.

Review's comments and decisions are told by review itself: this room knows none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q
from django.utils import timezone

from agents.bdi.bus.remembering import spoken
from agents.models import Belief, BusRequest, Goal, HandItem, Plan
from agents.record import bus_answers, selectors
from library.memory import summaries
from library.memory.context import Item
from people.models import User

KIND = "message"
# Of each kind: nobody plans by what was said thirty messages ago.
LOOKED_AT = 20
MESSAGE_CHARS = 400


@dataclass(frozen=True)
class Message:
    """One thing that was said about a goal. `id` names its row, `who` says whose words these are, `about` what they are
    about where that is not the whole goal.

    `is_persons`: a person wrote all of it. A program, a model or somebody elsewhere may have written others. `is_told`:
    the agent believes it.
    """

    id: str
    goal_id: int
    at: datetime
    who: str
    text: str
    about: str = ""
    is_persons: bool = False
    is_told: bool = False


# The messages of goals, at most `LOOKED_AT` of the newest. The goals are ones that their reader may see.
Source = Callable[[Collection[int]], Iterable[Message]]
_registered: list[Source] = []


def register(source: Source) -> None:
    """Set what tells the messages that are kept above this room; the last one counts."""
    _registered[:] = [source]


def of(goal: Goal, reader: User, *, without_told: bool = False) -> list[Item]:
    """What this person may read of it, the newest first; never call it inside a transaction, for it compares sentences.

    `without_told` leaves out what people told about the goal itself: its planning holds that as beliefs.
    """
    if not selectors.may_see(reader, goal.submitted_by_id):
        return []
    goals = {goal.pk: "the goal"}
    if goal.parent is not None and selectors.may_see(reader, goal.parent.submitted_by_id):
        goals[goal.parent.pk] = "the goal that it is part of"
    every = [one for source in (_told, _answered, _by_hand, *_registered) for one in source(goals)]
    # A decision's words are held as a belief, too, and revisions of a plan repeat the answers it was made from.
    first = {(one.goal_id, one.text): one for one in reversed(every)}
    said = [one for one in first.values() if not (without_told and one.goal_id == goal.pk and one.is_told)]
    found = [*said, *_asked(goals, reader)]
    return [_item(one, goals[one.goal_id]) for one in sorted(found, key=lambda one: one.at, reverse=True)]


def _item(one: Message, whose: str) -> Item:
    about = f" about {one.about}" if one.about else ""
    text = f"{one.who}{about}: {summaries.shortened(one.text, MESSAGE_CHARS)}"
    # Kept with the plan, so without any text of the message.
    why = f"{one.who}, on {whose}" + ("; shortened" if len(one.text.strip()) > MESSAGE_CHARS else "")
    # It is not searched for: no score.
    return Item(KIND, one.id, text, None, why, {"is_persons": one.is_persons})


def _told(goals: Collection[int]) -> Iterator[Message]:
    """What people told and what still holds."""
    holds = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    rows = Belief.objects.filter(holds, goal__in=goals, source="person", retracted_by="").select_related("by")
    for row in rows.order_by("-pk")[:LOOKED_AT]:
        who = row.by.username if row.by is not None else "a person"
        said = row.sentence
        yield Message(f"belief {row.pk}", row.goal_id, row.at, who, said, row.about, is_persons=True, is_told=True)


def _answered(goals: Collection[int]) -> Iterator[Message]:
    """What mindX asked of a command, and what a person answered."""
    rows = Plan.objects.filter(goal__in=goals, evidence__has_key="answers").order_by("-pk")[:LOOKED_AT]
    for row in rows:
        said = "\n".join(f"{one['question']} {one['answer']}" for one in row.evidence["answers"])
        who = f"{row.evidence['answered_by']}'s answers"
        # A question may name files.
        yield Message(f"plan {row.pk}", row.goal_id, row.created_at, who, said)


def _by_hand(goals: Collection[int]) -> Iterator[Message]:
    """What people wrote when they were asked to fix what mindX could not."""
    rows = HandItem.objects.filter(goal__in=goals, answered_at__isnull=False, answered_by__isnull=False)
    for row in rows.exclude(note="").select_related("answered_by").order_by("-pk")[:LOOKED_AT]:
        assert row.answered_by is not None and row.answered_at is not None  # noqa: S101, PT018  # the filter
        who = f"{row.answered_by.username}, who {row.get_answer_display()}"
        yield Message(f"hand item {row.pk}", row.goal_id, row.answered_at, who, row.note, is_persons=True)


def _asked(goals: Collection[int], reader: User) -> Iterator[Message]:
    """What was asked on the bus for the goal, and the answer. A request has rights of its own."""
    rows = BusRequest.objects.filter(parent__in=goals)
    if not selectors.sees_everything(reader):
        rows = rows.filter(by=reader)
    for row in bus_answers.as_told(rows.select_related("member").order_by("-pk")[:LOOKED_AT]):
        assert row.parent_id is not None  # noqa: S101  # the filter
        asked = " ".join(filter(None, [row.capability, row.task or row.why]))[:MESSAGE_CHARS]
        answer = spoken(row.answer or {}) or row.reason
        said = f"{row.state}: {answer}" if answer else row.state
        who = f"{row.member.name}, asked on the bus" if row.member is not None else "asked on the bus"
        yield Message(f"request {row.pk}", row.parent_id, row.ended_at or row.created_at, who, said, asked)
