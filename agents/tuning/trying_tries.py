"""The last tries of the backlog again: which of them the rules that count now would begin, and which proposed ones.

Each is looked at by itself, on what had come of the others when it was begun: a try that would not have been begun has
an outcome all the same, since nobody knows what would have been begun instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from agents.coordinator import backlog
from agents.mastermind import stops
from agents.mastermind.stops import Figures, Rules
from agents.models import BacklogItem, BacklogLift, BacklogRules, BacklogTry, Goal
from agents.states import BacklogState
from agents.tuning import of_backlog
from agents.tuning.kinds import Kind, Values
from agents.tuning.trials import CASES, Case, Clock, Tally, Total, Trial, nothing_written

BEGUN, STOPPED, MERGED = "begun", "not begun", "items merged as similar"
_ALONE = "Each try is judged on its own, as if all earlier ones had been started."
_LOWER = "A trial cannot show which other items a lower similarity would merge: it is stored only for merged ones."
_TRY, _LIFT = BacklogTry._meta.db_table, BacklogLift._meta.db_table
# The figures of `backlog_overview`, as they were when each try was begun.
_FIGURES = f"""
    SELECT one.id,
           ARRAY(SELECT other.outcome FROM {_TRY} other
                 WHERE other.ended_at > lift.at AND other.ended_at < one.begun_at AND other.outcome = ANY(%(judged)s)
                 ORDER BY other.ended_at DESC, other.id DESC LIMIT %(most)s),
           (SELECT count(*) FROM (
                SELECT FROM {_TRY} other
                WHERE other.begun_at >= greatest(lift.at, date_trunc('day', one.begun_at, 'UTC'))
                  AND (other.begun_at, other.id) < (one.begun_at, one.id)
                LIMIT %(per_day)s) AS few)
    FROM {_TRY} one,
         LATERAL (SELECT coalesce(max(at), '-infinity') AS at FROM {_LIFT} WHERE at <= one.begun_at) lift
    WHERE one.id = ANY(%(tries)s)
"""  # noqa: S608  # names of our own tables


@dataclass(frozen=True)
class _Then:
    """What was known when a try was begun: the figures, and how often its wish had failed in a row."""

    figures: Figures
    failures: int

    def words(self, rules: Rules) -> str:
        """How it would be begun, or why not."""
        why = stops.why_item_stopped(rules, self.failures) or stops.why_stopped(rules, self.figures)
        return f"{STOPPED}: {why}" if why else BEGUN


def try_out(kind: Kind, values: Values, readable: QuerySet[Goal], clock: Clock) -> Trial:
    """What the last tries would have been with these values."""
    with nothing_written():
        row = backlog.rules()
        now, then = of_backlog.rules_of(kind.of(row)), of_backlog.rules_of(values)
        tries = list(BacklogTry.objects.order_by("-pk")[:CASES])
        known = _known(tries, now, then)
        tally = Tally(len(tries), clock)
        for one in tries:
            if clock.is_over:
                break
            before, after = known[one.pk].words(now), known[one.pk].words(then)
            original = f"{BEGUN}; {one.outcome.replace('_', ' ') or 'it has not ended'}"
            case = Case(one.pk, one.goal_id, "", original, before, after, drifts=before != BEGUN)
            tally.add(case, {before.partition(":")[0]: 1.0}, {after.partition(":")[0]: 1.0})
        lower = values["near_enough"] < row.near_enough
        merged = _merged(row.near_enough, values["near_enough"])
        return tally.done(readable, (_ALONE, *([_LOWER] if lower else [])), merged)


def _known(tries: Iterable[BacklogTry], *rules: Rules) -> Mapping[int, _Then]:
    wanted: dict[str, Any] = {
        "judged": list(stops.JUDGED),
        "most": max(one.without_success for one in rules),
        "per_day": max(one.per_day for one in rules) + 1,
        "tries": [one.pk for one in tries],
    }
    with connection.cursor() as cursor:
        cursor.execute(_FIGURES, wanted)
        figures = {pk: Figures(recent, begun) for pk, recent, begun in cursor.fetchall()}
    limits = list(BacklogRules.objects.order_by("pk").values_list("at", "failures_of_one"))
    ended: dict[int, list[tuple[str, int]]] = {}
    found = {}
    rows = BacklogTry.objects.filter(item__in={one.item_id for one in tries}).order_by("pk")
    for one in rows:
        before = ended.setdefault(one.item_id, [])
        if one.pk in figures:
            found[one.pk] = _Then(figures[one.pk], stops.failures_in_a_row(before))
        if one.ended_at is not None:
            before.append((one.outcome, _limit_at(one.ended_at, limits)))
    return found


def _limit_at(moment: datetime, saved: Iterable[tuple[datetime, int]]) -> int:
    """How often one wish might fail at that moment."""
    return next((limit for at, limit in reversed(list(saved)) if at <= moment), Rules().failures_of_one)


def _merged(now: float, then: float) -> Total | None:
    """How many of the wishes that mindX merged last would be, by the likeness that is kept with each."""
    rows = BacklogItem.objects.filter(state=BacklogState.MERGED.value, likeness__isnull=False).order_by("-pk")
    found = [likeness for likeness in rows.values_list("likeness", flat=True)[:CASES] if likeness is not None]
    if not found:
        return None
    return Total(MERGED, sum(one >= now for one in found), sum(one >= then for one in found))
