"""What `make bench-backlog` makes of what it saw."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

from benchmarks.backlog.application import DecisionForm
from benchmarks.backlog.decisions import HELD, Decision, percentile
from benchmarks.backlog.processes import Process, role_of

_NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_what_never_took_effect_is_not_left_out_of_a_percentile() -> None:
    never = Decision(HELD, 1, 0, 0, 0, 0, due=_NOW)
    quick = [Decision(HELD, 1, 0, 0, 0, 0, due=_NOW, effect=_NOW + timedelta(seconds=n)) for n in range(1, 20)]
    delays = [one.delay_s for one in (never, *quick)]
    assert percentile(delays, 0.5) == 10
    assert percentile(delays, 0.95) == 19
    assert math.isinf(percentile(delays, 1.0))


def test_a_decision_sends_what_a_browser_would_send_of_its_form() -> None:
    page = """<form action="/logout/"><input name="csrfmiddlewaretoken" value="other"></form>
    <form id="decide" action="/review/7/decide/"><input type="hidden" name="csrfmiddlewaretoken" value="t">
    <input type="hidden" name="digest" value="d"><input type="radio" name="preset" value="p"></form>
    <input type="checkbox" name="intents" value="1" form="decide" checked>
    <input type="checkbox" name="intents" value="2" form="decide">"""
    form = DecisionForm(page)
    assert form.action == "/review/7/decide/"
    assert form.fields == {"csrfmiddlewaretoken": "t", "digest": "d", "intents": ["1"]}


def test_processes_are_told_apart_by_the_part_they_belong_to() -> None:
    celery = ("python", "-m", "celery", "-A", "mindx_web")
    lines = {
        1: (0, ("python", "-m", "mindx_web.supervisor")),
        2: (1, ("/mnt/program/postgres", "-D", "/mnt")),
        3: (2, ("postgres: checkpointer ",)),
        4: (1, (*celery, "worker", "-Q", "decisions")),
        5: (4, (*celery, "worker", "-Q", "decisions")),
        6: (5, ("python", "-c", "from sandbox.jail import warm")),
        7: (1, (*celery, "beat", "--schedule", "/tmp/worker/beat")),
        8: (1, ("python", "-m", "mindx_web.dispatcher")),
        9: (4, (*celery, "worker", "-Q", "decisions")),
    }
    names = {9: "mindx-scheduler"}
    tree = {
        number: Process(number, parent, names.get(number, "python"), line, 0.0)
        for number, (parent, line) in lines.items()
    }
    assert [role_of(one, tree, 1) for one in tree.values()] == [
        *("supervisor", "Postgres", "Postgres", "worker of decisions, main", "worker of decisions, children"),
        *("worker of decisions, its jails", "beat", "mindx_web.dispatcher"),
        "worker of decisions, scheduler",
    ]
