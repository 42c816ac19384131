"""The log of a goal: numbered without gaps, written before anybody is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from agents.models import LogLine
from agents.services import hints

TEXT_MAX = 64 * 1024


@dataclass(frozen=True)
class NewLine:
    """A line to be written. `source` is who speaks (`bdi_agent`, `review`, `worker`, `tool.SimpleCoder`, `stdout`)."""

    source: str
    stage: str
    text: str
    level: str = "info"
    data: Mapping[str, Any] = field(default_factory=dict)


def write(goal_id: int, lines: Sequence[NewLine]) -> int:
    """Append lines to the goal's log and return the number of the last one; 0 when there was nothing to write.

    The counter's row is locked by the update, so two writers never share a number and a rolled back one leaves no
    gap. NUL cannot be stored in Postgres and is shown as U+2400; a text is cut at 64 KiB with a mark.
    """
    if not lines:
        return 0
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO agents_logcounter (goal_id, last) VALUES (%s, %s)"
                " ON CONFLICT (goal_id) DO UPDATE SET last = agents_logcounter.last + excluded.last RETURNING last",
                [goal_id, len(lines)],
            )
            last: int = cursor.fetchone()[0]
        now = timezone.now()
        first = last - len(lines) + 1
        LogLine.objects.bulk_create(
            LogLine(
                goal_id=goal_id,
                number=first + offset,
                at=now,
                source=line.source,
                stage=line.stage,
                level=line.level,
                text=storable(line.text),
                data=dict(line.data),
            )
            for offset, line in enumerate(lines)
        )
        hints.goal_changed(goal_id, last)
    return last


def say(goal_id: int, source: str, stage: str, text: str, level: str = "info", **data: Any) -> int:
    """Write one line."""
    return write(goal_id, [NewLine(source, stage, text, level, data)])


def storable(text: str) -> str:
    """The text as Postgres can hold it, bounded."""
    text = text.replace("\x00", "\u2400")
    if len(text) > TEXT_MAX:
        return text[:TEXT_MAX] + f" … {len(text) - TEXT_MAX:,} more characters"
    return text
