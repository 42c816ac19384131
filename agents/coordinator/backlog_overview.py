"""All that stands around the list of wishes, in one statement: rules, why they stop, how many are where, what came."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from agents.coordinator import backlog
from agents.mastermind import stops
from agents.mastermind.stops import Figures, Rules
from agents.models import BacklogItem, BacklogLift, BacklogRules, BacklogTry
from agents.states import BacklogState
from people.models import User

COUNTED_UP_TO = 1_000
_MOST_TRIES = 1_000
_RULES, _LIFT = BacklogRules._meta.db_table, BacklogLift._meta.db_table
_TRY, _ITEM = BacklogTry._meta.db_table, BacklogItem._meta.db_table


@dataclass(frozen=True)
class Overview:
    """`saved_at` None: the rules that mindX comes with. `counts`: how many are in each state, up to a thousand of each.
    `outcomes`: how many tries of the last days came to what.
    """

    rules: Rules
    near_enough: float
    saved_at: datetime | None
    figures: Figures
    counts: Mapping[str, str]
    outcomes: Mapping[str, int]

    @property
    def stopped(self) -> str:
        """Why nothing is taken up at the moment; empty when something may be."""
        return stops.why_stopped(self.rules, self.figures)


# By the database's clock, as the rows are stamped by; a lift begins both figures anew.
_SQL = f"""
    WITH lift AS (SELECT coalesce(max(at), '-infinity') AS at FROM {_LIFT}),
    newest AS (SELECT * FROM {_RULES} ORDER BY id DESC LIMIT 1),
    rules AS (
        SELECT coalesce(failures_of_one, %(failures_of_one)s) AS failures_of_one,
               coalesce(without_success, %(without_success)s) AS without_success,
               coalesce(per_day, %(per_day)s) AS per_day,
               coalesce(near_enough, %(near_enough)s) AS near_enough, newest.at
        FROM (SELECT) AS always LEFT JOIN newest ON true)
    SELECT rules.*,
           ARRAY(SELECT one.outcome FROM {_TRY} one, lift
                 WHERE one.ended_at > lift.at AND one.outcome = ANY(%(judged)s)
                 ORDER BY one.ended_at DESC, one.id DESC LIMIT rules.without_success),
           (SELECT count(*) FROM (
                SELECT FROM {_TRY} one, lift
                WHERE one.begun_at >= greatest(lift.at, date_trunc('day', now(), 'UTC'))
                LIMIT rules.per_day + 1) AS few),
           (SELECT jsonb_object_agg(outcome, tries) FROM (
                SELECT outcome, count(*) AS tries FROM (
                    SELECT outcome FROM {_TRY} WHERE ended_at >= now() - make_interval(days => %(days)s)
                    ORDER BY ended_at DESC LIMIT {_MOST_TRIES}) AS ended GROUP BY outcome) AS counted),
           (SELECT jsonb_object_agg(state, items) FROM (
                SELECT state, (SELECT count(*) FROM (
                    SELECT FROM {_ITEM} item WHERE item.state = known.state {{visible}} LIMIT {COUNTED_UP_TO + 1}
                ) AS few) AS items FROM unnest(%(states)s::text[]) AS known(state)) AS counted)
    FROM rules
"""  # noqa: S608  # names of our own tables


def overview(user: User, *, days: int) -> Overview:
    """What stands around the list that this person sees."""
    standard = BacklogRules()
    values = {
        **{name: getattr(standard, name) for name in (*stops.BOUNDS, "near_enough")},
        "judged": list(stops.JUDGED),
        "days": days,
        "states": [state.value for state in BacklogState],
        "user": user.pk,
    }
    visible = "" if backlog.sees_all(user) else "AND item.by_id = %(user)s"
    with connection.cursor() as cursor:
        cursor.execute(_SQL.replace("{visible}", visible), values)
        one, none, day, near, at, recent, begun, outcomes, counts = cursor.fetchone()
    return Overview(
        Rules(one, none, day),
        near,
        at,
        Figures(recent, begun),
        {state.value: _few(_json(counts).get(state.value, 0)) for state in BacklogState},
        _json(outcomes),
    )


def _json(value: object) -> dict[str, int]:
    found = json.loads(value) if isinstance(value, str) else value
    return dict(found) if isinstance(found, dict) else {}


def _few(number: int) -> str:
    return f"{COUNTED_UP_TO:,}+" if number > COUNTED_UP_TO else f"{number:,}"
