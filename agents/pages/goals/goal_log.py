"""A window of a goal's log as the page shows it: by number, never by offset, bounded whatever the log holds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

from agents.models import Goal, LogExpiry, LogLine
from agents.presentation import ansi, hidden

TAIL = 200
BATCH = 200
RAW_BATCH = 500
# Lines shown before the one that was asked for.
BEFORE_IT = 20
# One search looks at so many lines; a longer log is searched on with another click, so none holds the database long.
FIND_LINES = 100_000
# The sources offered for filtering are those of the first and the newest lines: a log may have millions between them.
_SOURCES_FROM = 2_000
# Of each value of a line's data the page shows so much; the line's file has all of it.
_VALUE_CHARS = 1_000
# Marks a line of a model's answer, and says nothing to a reader.
_MARKS = frozenset({"answer"})
_SPEAKERS = {
    "bdi_agent": "src-mind",
    "review": "src-person",
    "person": "src-person",
    "stdout": "src-out",
    "stderr": "src-out",
}


@dataclass(frozen=True)
class Line:
    """One line, ready for the template. `html` is safe; `cut` says that the raw line holds more. `data` is what its
    sentence stands on.
    """

    goal_id: int
    number: int
    at: datetime
    source: str
    speaker: str
    level: str
    html: SafeString
    cut: bool
    data: Mapping[str, Any] = field(default_factory=dict)

    def item(self, wanted: object = None) -> SafeString:
        """The line as a list item; `wanted` is the number of the one that was asked for.

        Put together here and not in a template, which took ten times as long: a step shows hundreds of lines a second.
        """
        source, marks = conditional_escape(self.source), ""
        if self.level in {"warning", "error"}:
            marks = f' data-l="{self.level}"'
        if self.number == wanted:
            marks += " data-wanted"
        more = ""
        if self.cut:
            more = f' <a href="{self._address}">… the whole line</a>'
        if self.data:
            more += self._data_html()
        return mark_safe(  # noqa: S308  # numbers, words of ours, and what was escaped
            f'<li id="L{self.number}" data-n="{self.number}"{marks}><span class="ln">{self.number}</span>'
            f'<span class="ts">{self.at:%H:%M:%S}</span><span class="src {self.speaker}"'
            f' title="{source}">{source}</span><div class="msg">{self.html}{more}</div></li>\n'
        )

    @property
    def _address(self) -> str:
        return reverse("goal-log-line", args=[self.goal_id, self.number])

    def _data_html(self) -> str:
        """A fold with each value by its name."""
        rows, is_cut = [], False
        for name, value in self.data.items():
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            is_cut = is_cut or len(text) > _VALUE_CHARS
            shown = hidden.visible_html(text[:_VALUE_CHARS])
            rows.append(f"<dt>{hidden.visible_html(name, one_line=True)}</dt><dd><code>{shown}</code></dd>")
        rest = f'<a href="{self._address}">… all of it</a>' if is_cut else ""
        named = f'Data<span class="vh"> of line {self.number}</span>'
        return f'<details class="line-data"><summary>{named}</summary><dl>{"".join(rows)}</dl>{rest}</details>'


@dataclass(frozen=True)
class Window:
    """Lines in order. `last` is what to ask after, even when a filter let no line through.

    `older` and `more`: lines before and after these exist already.
    """

    lines: list[Line]
    after: int
    last: int
    older: bool = False
    more: bool = False

    def html(self, wanted: object = None) -> SafeString:
        """The lines as list items."""
        return mark_safe("".join(line.item(wanted) for line in self.lines))  # noqa: S308  # each item is safe


def tail(goal: Goal, source: str = "") -> Window:
    """The newest lines."""
    end = last_number(goal.pk)
    rows = list(_of(goal, source).filter(number__lte=end).order_by("-number")[: TAIL + 1])
    return Window([_line(row) for row in rows[:TAIL][::-1]], 0, end, older=len(rows) > TAIL)


def before(goal: Goal, number: int, source: str = "") -> Window:
    """The lines right before a number."""
    rows = list(_of(goal, source).filter(number__lt=number).order_by("-number")[: TAIL + 1])
    return Window([_line(row) for row in rows[:TAIL][::-1]], 0, number - 1, older=len(rows) > TAIL)


def around(goal: Goal, number: int, source: str = "") -> Window:
    """Lines from a little before a number on: where somebody wants to look. Beyond the end: the newest lines."""
    end = last_number(goal.pk)
    if number > end:
        return tail(goal, source)
    start = max(1, number - BEFORE_IT)
    rows = list(_of(goal, source).filter(number__gte=start, number__lte=end).order_by("number")[: BATCH + 1])
    lines = [_line(row) for row in rows[:BATCH]]
    return Window(lines, start - 1, lines[-1].number if lines else end, older=start > 1, more=len(rows) > BATCH)


@dataclass(frozen=True)
class Found:
    """Where a text stands; `number` is None when it does not in the lines up to `searched`, the last being `end`."""

    number: int | None
    searched: int
    end: int

    @property
    def on_from(self) -> int:
        """Where to search on; 0 when everything has been searched."""
        if self.number is not None:
            return self.number + 1
        return self.searched + 1 if self.searched < self.end else 0


def find(goal: Goal, text: str, start: int, source: str = "") -> Found:
    """The first line from `start` on that holds the text, whatever its case; so many lines are searched at one time."""
    end = last_number(goal.pk)
    searched = min(end, start + FIND_LINES - 1)
    rows = _of(goal, source).filter(number__gte=start, number__lte=searched, text__icontains=text)
    return Found(rows.order_by("number").values_list("number", flat=True).first(), searched, end)


def first_error(goal: Goal) -> int | None:
    """The number of the first line that tells of an error; an index holds only those."""
    errors = goal.log_lines.filter(level="error").order_by("number")
    return errors.values_list("number", flat=True).first()


def following(goal_id: int, number: int) -> Window:
    """What follows a number, whoever spoke, at most BATCH lines; no lines when nothing does.

    Writers of one goal wait for one another until the number is readable, so what is read here has no gap.
    """
    rows = list(LogLine.objects.filter(goal_id=goal_id, number__gt=number).order_by("number")[:BATCH])
    last = rows[-1].number if rows else number
    return Window([_line(row) for row in rows], number, last, more=len(rows) == BATCH)


def after(goal: Goal, number: int, source: str = "", upto: int | None = None) -> Window:
    """What follows a number, at most BATCH lines; ask again while `last` moves on. Ends at `upto` if that is known."""
    end = last_number(goal.pk) if upto is None else upto
    rows = list(_of(goal, source).filter(number__gt=number, number__lte=end).order_by("number")[:BATCH])
    last = rows[-1].number if len(rows) == BATCH else max(end, number)
    return Window([_line(row) for row in rows], number, last, more=last < end)


def sources(goal: Goal, chosen: str = "") -> list[str]:
    """Who spoke in the first and the newest lines, by name; the chosen one is always among them."""
    # Each end by a limit: beside a number it had to work out itself, Postgres read the whole partition.
    spoke = goal.log_lines.values_list("source", flat=True)
    first, newest = spoke.order_by("number")[:_SOURCES_FROM], spoke.order_by("-number")[:_SOURCES_FROM]
    names = set(first.union(newest))
    return sorted(names | ({chosen} if chosen else set()))


def removal(goal: Goal) -> LogExpiry | None:
    """When and why lines of this goal were let go; None when all are there, as while it goes on."""
    if not goal.has_ended or goal.log_lines.filter(number=1).exists():
        return None
    return LogExpiry.objects.filter(first_goal__lte=goal.pk, last_goal__gte=goal.pk).last()


def raw(goal: Goal) -> Iterable[str]:
    """The log up to its present end as plain text, exactly as written, in pieces of many lines.

    Each piece is a question of its own: a download that takes an hour holds no transaction and no connection open.
    """
    number, end = 0, last_number(goal.pk)
    lines = goal.log_lines.order_by("number").only("goal_id", "number", "at", "source", "level", "text")
    while number < end and (rows := list(lines.filter(number__gt=number, number__lte=end)[:RAW_BATCH])):
        number = rows[-1].number
        yield "".join(
            f"{row.number}\t{row.at:%Y-%m-%dT%H:%M:%S.%fZ}\t{row.source}\t{row.level}\t{row.text}\n" for row in rows
        )


def _of(goal: Goal, source: str) -> QuerySet[LogLine]:
    return goal.log_lines.filter(source=source) if source else goal.log_lines.all()


def last_number(goal_id: int) -> int:
    """The last number that is readable. Read before the lines, so that no line can slip in between unseen.

    It is taken from the lines, not from the counter: a counter that is ahead belongs to a transaction not yet ended.
    """
    numbers = LogLine.objects.filter(goal_id=goal_id).order_by("-number").values_list("number", flat=True)
    return numbers.first() or 0


def _line(row: LogLine) -> Line:
    rendered = ansi.to_html(row.text)
    # to_html escapes every character it lets through.
    html = mark_safe(rendered.html)  # noqa: S308
    speaker = _SPEAKERS.get(row.source.partition(".")[0], "")
    data = {name: value for name, value in row.data.items() if name not in _MARKS}
    return Line(row.goal_id, row.number, row.at, row.source, speaker, row.level, html, rendered.cut, data)
