"""Write and forget experiences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from library import embedding
from library.errors import LibraryRefused
from library.models import Experience
from people.models import User
from people.roles import Role


def record(
    *,
    goal_ref: str,
    owner: User,
    primary_goal_description: str,
    final_outcome: str,
    timestamp: datetime,
    initiating_agent_id: str,
    sub_task_description: str = "",
    involved_components: Sequence[str] = (),
    input_context_summary: str = "",
    key_decisions_made: Sequence[str] = (),
    output_summary: str = "",
    feedback_signals: Mapping[str, Any] | None = None,
    workflow_id: str = "",
    session_id: str = "",
    tags: Sequence[str] = (),
) -> Experience:
    """Write what a finished goal taught, once: told again about the same goal, return what is there.

    `final_outcome` is one of Experience.Outcome. The embeddings follow when the transaction has ended.
    """
    with transaction.atomic():
        experience, is_new = Experience.objects.get_or_create(
            goal_ref=goal_ref,
            defaults={
                "owner": owner,
                "primary_goal_description": _storable(primary_goal_description),
                "final_outcome": Experience.Outcome(final_outcome),
                "timestamp": timestamp,
                "initiating_agent_id": initiating_agent_id,
                "sub_task_description": _storable(sub_task_description),
                "involved_components": list(involved_components),
                "input_context_summary": _storable(input_context_summary),
                "key_decisions_made": list(key_decisions_made),
                "output_summary": _storable(output_summary),
                "feedback_signals": dict(feedback_signals or {}),
                "workflow_id": workflow_id,
                "session_id": session_id,
                "tags": list(tags),
            },
        )
        if is_new:
            embedding.embed_on_commit(experience)
    return experience


def may_forget(experience: Experience, user: User) -> bool:
    """True for the person whose goal it was and for admins."""
    return user.is_active and (experience.owner_id == user.pk or user.has_role(Role.ADMIN))


def forget(experience: Experience, by: User) -> None:
    """Delete an experience. The goal and its log stay; only what was remembered of it goes."""
    if not may_forget(experience, by):
        raise LibraryRefused("Only the person whose goal it was, or an admin, can forget it.")
    Experience.objects.filter(pk=experience.pk).delete()


def _storable(text: str) -> str:
    """Postgres cannot hold the character zero, which programs do print."""
    return text.replace("\0", "\u2400")
