"""`make bench-models`, its second part: what the insights of models cost when a million calls are there."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from datetime import timedelta
from typing import Any

from benchmarks.asking import got, say
from benchmarks.servers import database

MOST_MS = 50.0
# A year of calls of five agents with four models: one in fifty fails, one in ten is answered from the cache. Half of
# the answers were attempts at a plan, and of these a fifth had problems. A prompt of ordinary length is stored beside
# its row, so the rows here are as wide as real ones.
_CALLS = """
    INSERT INTO library_modelcall (purpose, state, agent, goal, model, answered_by, request_digest, messages, answer,
        failure, detail, tries, tokens_in, tokens_out, tokens_are_guessed, cost, latency_ms, at)
    SELECT 'plan', state, agent, n::text, model, model, md5(n::text) || md5(n::text),
        jsonb_build_array(jsonb_build_object('role', 'user', 'content', repeat('what was asked ', 12))),
        repeat('what was answered ', 10), CASE state WHEN 'failed' THEN 'server_error' ELSE '' END, '', 1,
        3000 + n %% 5000, 200 + n %% 900, false, CASE state WHEN 'answered' THEN 0.01 END, 1500 + n %% 9000,
        now() - (%(calls)s - n) * interval '1 year' / %(calls)s
    FROM (SELECT n, (1 + n %% 5)::text AS agent, 'openai/model-' || (n / 5) %% 4 AS model,
        CASE WHEN n %% 50 = 7 THEN 'failed' WHEN n %% 10 = 3 THEN 'cached' ELSE 'answered' END AS state
        FROM generate_series(1, %(calls)s) AS n) AS all_of_them
"""
_ATTEMPTS = """
    INSERT INTO agents_generation (goal_id, turn, attempt, problems, cannot, at, call_id)
    SELECT %(goal)s, id, 1, CASE WHEN id %% 10 = 0 THEN '[{"message": "no"}]'::jsonb ELSE '[]' END, '', at, id
    FROM library_modelcall WHERE id %% 2 = 0 AND state <> 'failed'
"""
_DAYS = """
    INSERT INTO library_modelday (day, agent, model, answered, cached, failed, tokens_in, tokens_out, cost, unpriced,
        latency_ms, attempts, plans)
    SELECT (at AT TIME ZONE 'UTC')::date, agent, model, count(*) FILTER (WHERE state = 'answered'),
        count(*) FILTER (WHERE state = 'cached'), count(*) FILTER (WHERE state = 'failed'),
        coalesce(sum(tokens_in) FILTER (WHERE state = 'answered'), 0),
        coalesce(sum(tokens_out) FILTER (WHERE state = 'answered'), 0), coalesce(sum(cost), 0), 0,
        coalesce(sum(latency_ms) FILTER (WHERE state = 'answered'), 0),
        count(*) FILTER (WHERE id %% 2 = 0 AND state <> 'failed'), count(*) FILTER (WHERE id %% 10 IN (2, 4, 6, 8))
    FROM library_modelcall GROUP BY 1, 2, 3
"""


def main() -> None:
    """Fill, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=100)
    asked = parser.parse_args()
    with database():
        _measure(asked.calls, asked.rounds)


def _measure(calls: int, rounds: int) -> None:
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client
    from django.utils import timezone

    from people.models import User
    from people.roles import Role

    logging.disable(logging.WARNING)
    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("collectstatic", interactive=False, verbosity=0)
    person = User.objects.create_user("operator", roles=[Role.OPERATOR])
    with connection.cursor() as cursor:
        cursor.execute(_CALLS, {"calls": calls})
        cursor.execute(_ATTEMPTS, {"goal": _goal(person)})
        cursor.execute(_DAYS, {})
        cursor.execute("VACUUM ANALYZE")
    client = Client()
    client.force_login(person, backend="people.backends.SealedPeople")
    today = timezone.now().date()
    year, old = f"from={today - timedelta(days=364)}&to={today}", f"from={today - timedelta(days=300)}&to={today}"
    page, lists = "/insights/models/", "/insights/models/calls/"
    addresses = {
        "insights, 30 days": page,
        "insights, a year": f"{page}?{year}",
        "one agent and model, a year": f"{page}?{year}&agent=2&model=openai/model-1",
        "calls, newest": lists,
        "calls, far behind": f"{lists}?{year}&after={today - timedelta(days=200)}T12:00:00%2B00:00~{calls}",
        "calls that failed": f"{lists}?{year}&came=failed",
        "of one agent that failed": f"{lists}?{old}&agent=3&came=failed",
        "of one agent and model": f"{lists}?{old}&agent=2&model=openai/model-1",
        "attempts": f"{lists}?{year}&came=attempt",
        "valid plans": f"{lists}?{year}&came=plan",
        "without a price, none": f"{lists}?came=unpriced",
        "of a model that nobody asked": f"{lists}?{year}&model=openai/nobody",
    }
    sys.stdout.write(f"\n{calls:,} calls of a year; {rounds} rounds, load {os.getloadavg()[0]:.1f}\n")
    costs = {name: say(name, rounds, lambda at=at: got(client, at)) for name, at in addresses.items()}  # type: ignore[misc]
    slow = [name for name, cost in costs.items() if cost.p95_ms > MOST_MS]
    sys.stdout.write(f"p95 above {MOST_MS:.0f} ms: {', '.join(slow) or 'none'}; load {os.getloadavg()[0]:.1f}\n")


def _goal(person: Any) -> int:
    """One that all attempts are of."""
    from agents.goals import goals
    from agents.models import Agent

    for number in range(1, 6):
        Agent.objects.get_or_create(name="mindx" if number == 1 else f"agent {number}")
    return goals.submit(by=person, text="Whatever nobody foresaw").pk


if __name__ == "__main__":
    main()
