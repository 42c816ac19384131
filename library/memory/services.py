"""Write and forget experiences."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from library import embedding, prepared
from library.errors import LibraryRefused
from library.models import Experience
from people.models import User
from people.roles import Role

_RECORD = f"""
INSERT INTO {Experience._meta.db_table}
    (goal_ref, kind, part, owner_id, primary_goal_description, sub_task_description, initiating_agent_id,
     involved_components, input_context_summary, key_decisions_made, final_outcome, output_summary, feedback_signals,
     timestamp, version, workflow_id, session_id, tags)
VALUES
    (%(goal_ref)s, %(kind)s, %(part)s, %(owner)s, %(goal)s, %(sub_task)s, %(agent)s,
     %(components)s::text[], %(context)s, %(decisions)s::text[], %(outcome)s, %(output)s, %(signals)s::jsonb,
     %(at)s::timestamptz, 1, %(workflow)s, %(session)s, %(tags)s::text[])
ON CONFLICT (goal_ref, part) DO NOTHING
RETURNING id
"""  # noqa: S608  # the name of our own table


def record(*, owner: User, **fields: Any) -> Experience:
    """Write what a finished goal taught, once: told again about the same goal, return what is there.

    The fields are those of `recording`. The embeddings follow when the transaction has ended.
    """
    with transaction.atomic():
        recorded(prepared.row(*recording(owner=owner.pk, **fields)))
    return Experience.objects.get(goal_ref=fields["goal_ref"], part=fields.get("part", ""))


def recording(
    *,
    goal_ref: str,
    owner: int,
    primary_goal_description: str,
    final_outcome: str,
    timestamp: datetime,
    initiating_agent_id: str,
    kind: str = "goal",
    part: str = "",
    sub_task_description: str = "",
    involved_components: Sequence[str] = (),
    input_context_summary: str = "",
    key_decisions_made: Sequence[str] = (),
    output_summary: str = "",
    feedback_signals: Mapping[str, Any] | None = None,
    workflow_id: str = "",
    session_id: str = "",
    tags: Sequence[str] = (),
) -> tuple[str, dict[str, Any]]:
    """The statement that writes what a finished goal taught, for who sends it with others: it returns the new row's id,
    and nothing where the goal has an experience. Its answer goes to `recorded`.

    `owner` is a person's id, `final_outcome` one of Experience.Outcome, `kind` one of Experience.Kind. `part` names
    what of the goal it tells; "" is the goal itself.
    """
    return _RECORD, {
        "goal_ref": goal_ref,
        "kind": Experience.Kind(kind).value,
        "part": part,
        "owner": owner,
        "goal": _storable(primary_goal_description),
        "outcome": Experience.Outcome(final_outcome).value,
        "at": timestamp,
        "agent": initiating_agent_id,
        "sub_task": _storable(sub_task_description),
        "components": list(involved_components),
        "context": _storable(input_context_summary),
        "decisions": list(map(_storable, key_decisions_made)),
        "output": _storable(output_summary),
        "signals": json.dumps(dict(feedback_signals or {})),
        "workflow": workflow_id,
        "session": session_id,
        "tags": list(tags),
    }


def recorded(answer: tuple[Any, ...] | None) -> None:
    """Have an experience embedded that was written in this transaction; `answer` is that of `recording`."""
    if answer is not None:
        embedding.embed_soon(int(answer[0]))


def may_forget(experience: Experience, user: User) -> bool:
    """True for the person whose goal it was and for admins."""
    return user.is_active and (experience.owner_id == user.pk or user.has_role(Role.ADMIN))


def forget(experience: Experience, by: User) -> None:
    """Delete an experience. The goal and its log stay; only what was remembered of it goes."""
    if not may_forget(experience, by):
        raise LibraryRefused("Only the person whose goal it was, or an admin, can forget it.")
    # What it was a part of stays; with a goal go its recoveries.
    own = Q(pk=experience.pk) if experience.part else Q(goal_ref=experience.goal_ref)
    Experience.objects.filter(own).delete()


def _storable(text: str) -> str:
    """Postgres cannot hold the character zero, which programs do print."""
    return text.replace("\0", "\u2400")


def forget_of(person: User, by: User) -> int:
    """Delete every experience of a person's goals; how many there were. LibraryRefused for others but admins."""
    if not by.is_active or (by.pk != person.pk and not by.has_role(Role.ADMIN)):
        raise LibraryRefused("Only the person whose goals these were, or an admin, can have all of them forgotten.")
    return _forget_all(Experience.objects.filter(owner=person))


def forget_before(moment: datetime, by: User) -> int:
    """Delete every experience that is older; how many there were. LibraryRefused for all but admins."""
    if not by.is_active or not by.has_role(Role.ADMIN):
        raise LibraryRefused("Only an admin can have everybody's experiences forgotten.")
    return _forget_all(Experience.objects.filter(timestamp__lt=moment))


def forget_expired() -> int:
    """Delete what is older than the setting says; how many. Nothing is where it says 0."""
    if not settings.MEMORY_KEEP_DAYS:
        return 0
    oldest = timezone.now() - timedelta(days=settings.MEMORY_KEEP_DAYS)
    return _forget_all(Experience.objects.filter(timestamp__lt=oldest))


def _forget_all(rows: QuerySet[Experience]) -> int:
    _, of_kind = rows.delete()  # ratings go with them and are not counted
    return of_kind.get(Experience._meta.label, 0)
