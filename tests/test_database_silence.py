"""A link that is cut, or a process that is stopped, without a word: what both ends of a connection are told to do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connection, transaction

from agents.models import Agent, Goal
from mindx_web.supervisor.postgres import OWNER, EmbeddedPostgres
from people.models import User
from tests.supervisor.running import ROOT

OVER_TCP = "postgres://u:p@db.example.org:5432/mindx"


@pytest.mark.parametrize(
    ("url", "silence", "wanted"),
    [
        (OVER_TCP, "30", {"tcp_user_timeout": 30000, "keepalives_idle": 10}),
        (f"{OVER_TCP}?tcp_user_timeout=7", "30", {"tcp_user_timeout": 7, "keepalives_idle": 10}),
        (OVER_TCP, "0", {}),
        ("postgres://u:p@%2Frun%2Fpostgres:5432/mindx", "30", {}),
        ("postgres://u:p@%2Frun%2Fpostgres:5432/mindx", "0", {}),
    ],
)
def test_a_link_is_watched_over_a_network_and_a_transaction_everywhere(
    url: str, silence: str, wanted: dict[str, object], tmp_path: Path
) -> None:
    code = (
        "import json; from django.conf import settings;"
        "print(json.dumps(settings.DATABASES['default'].get('OPTIONS') or {}))"
    )
    ours = {
        "DJANGO_SETTINGS_MODULE": "mindx_web.settings",
        "DATABASE_URL": url,
        "MINDX_DB_SILENCE_S": silence,
        "MINDX_DATA": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={**os.environ, **ours}, capture_output=True, text=True, check=True
    )
    options = json.loads(done.stdout)
    assert {name: options[name] for name in wanted} == wanted
    assert ("tcp_user_timeout=30000" in options.get("options", "")) == bool(wanted), "the server is told as well"
    assert options.keys() - {"options"} >= wanted.keys()
    assert ("idle_in_transaction_session_timeout=30000" in options.get("options", "")) == (silence == "30")
    assert bool(options) == (silence == "30")


STOPPED = """
import os, signal
import django
django.setup()
from django.db import connection, transaction
from agents.execution.database_outage import is_outage
from agents.models import Agent
try:
    with transaction.atomic():
        Agent.objects.select_for_update().get(name="mindx")
        print("held", flush=True)
        os.kill(os.getpid(), signal.SIGSTOP)
        Agent.objects.filter(name="mindx").update(paused=True)
except Exception as error:
    print("outage" if is_outage(error) else repr(error), flush=True)
Agent.objects.get(name="mindx")
print("goes on", flush=True)
"""


@pytest.mark.django_db(transaction=True)
def test_a_process_that_is_stopped_in_a_transaction_keeps_nobody_waiting(
    postgres: EmbeddedPostgres, owner: User, make_goal: Callable[..., Goal], tmp_path: Path
) -> None:
    agent = make_goal(owner).agent
    assert agent.name == "mindx"
    ours = {
        "DJANGO_SETTINGS_MODULE": "mindx_web.settings",
        "DATABASE_URL": postgres.url(OWNER, connection.settings_dict["NAME"]),
        "MINDX_DB_SILENCE_S": "1",
        "MINDX_DATA": str(tmp_path),
    }
    with subprocess.Popen(
        [sys.executable, "-c", STOPPED], cwd=ROOT, env={**os.environ, **ours}, stdout=subprocess.PIPE, text=True
    ) as stopped:
        try:
            assert stopped.stdout is not None
            assert stopped.stdout.readline() == "held\n"
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '60s'")
                Agent.objects.filter(pk=agent.pk).update(people_only=True)
            stopped.send_signal(signal.SIGCONT)
            assert stopped.stdout.read() == "outage\ngoes on\n"
        finally:
            stopped.kill()
    assert not Agent.objects.get(pk=agent.pk).paused
