"""The journal for its page: filtered, newest first, one page at a time, without counting all rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.utils import timezone

from people.journal import Event
from people.models import User
from people.roles import Role
from review.audit import decided
from review.models import AuditEntry
from review.reading import journal_lines

PAGE = 50
_ID_MAX = 2**63
_TEXT_MAX = 200


@dataclass(frozen=True)
class Asked:
    """The filter; invalid parts are left out, and named in `trouble`."""

    who: str = ""
    event: str = ""
    subject: str = ""
    since: date | None = None
    until: date | None = None
    before: int | None = None
    trouble: str = ""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Asked:
        """From an address."""
        since, until = _day(query.get("from", "")), _day(query.get("to", ""))
        unread = [name for name, day in (("from", since), ("to", until)) if query.get(name) and day is None]
        event, before = query.get("what", ""), query.get("before", "")
        return cls(
            who=query.get("who", "").strip()[:_TEXT_MAX].replace("\0", ""),
            event=event if event in set(Event) else "",
            subject=query.get("subject", "").strip()[:_TEXT_MAX].replace("\0", ""),
            since=since,
            until=until,
            before=int(before) if before.isascii() and before.isdigit() and int(before) < _ID_MAX else None,
            trouble=f"Write the day “{unread[0]}” as 2026-01-31." if unread else "",
        )

    @property
    def is_set(self) -> bool:
        """Whether anything narrows the list."""
        return bool(self.who or self.event or self.subject or self.since or self.until)

    def address(self, before: int) -> str:
        """The query of the page after this one."""
        kept = {"who": self.who, "what": self.event, "subject": self.subject, "from": self.since, "to": self.until}
        return urlencode({name: value for name, value in kept.items() if value} | {"before": before})


@dataclass(frozen=True)
class Line:
    """An entry with its sentence, and its data as text to unfold. `holds`: its content is what mindX signed."""

    entry: AuditEntry
    sentence: str
    details: str
    holds: bool


def sees_all(user: User) -> bool:
    """Operators and admins read everything; everybody else what they did themselves."""
    return user.has_role(Role.OPERATOR)


def readable_by(user: User) -> QuerySet[AuditEntry]:
    """The entries that this person may read."""
    rows = AuditEntry.objects.all() if sees_all(user) else AuditEntry.objects.filter(by=user)
    return rows.select_related("by").order_by("-pk")


def page(user: User, asked: Asked) -> tuple[list[Line], int | None]:
    """One page, and the id to ask for what is older (None at the end)."""
    rows = readable_by(user)
    if asked.who:
        rows = rows.filter(name=asked.who)
    if asked.event:
        rows = rows.filter(event=asked.event)
    if asked.subject:
        rows = rows.filter(subject=asked.subject)
    if asked.since:
        rows = rows.filter(at__gte=_midnight(asked.since))
    if asked.until:
        rows = rows.filter(at__lt=_midnight(asked.until) + timedelta(days=1))
    if asked.before:
        rows = rows.filter(pk__lt=asked.before)
    found = list(rows[: PAGE + 1])
    shown = found[:PAGE]
    return list(_lines(shown)), shown[-1].pk if len(found) > PAGE else None


def _lines(rows: list[AuditEntry]) -> Iterator[Line]:
    for row in rows:
        details = json.dumps(row.data, indent=2, ensure_ascii=False, sort_keys=True)
        yield Line(row, journal_lines.sentence(row.event, row.subject, row.data), details, decided.holds(row))


def _day(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    # The last possible day has no following midnight.
    return day if 1900 <= day.year < 9000 else None


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))
