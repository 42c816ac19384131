"""RabbitMQ as the broker of wake-ups, with a real server where one is installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rabbitmq import IS_INSTALLED, rabbitmq
from tests.supervisor.running import ROOT

SENDS_AND_TAKES = """
import sys, django
django.setup()
from mindx_web.celery import app
from agents.tasks import work
came = []
app.tasks["agents.work"].run = lambda goal_id=None: came.append(goal_id)
from celery.contrib.testing.worker import start_worker
import threading
work.apply_async(args=[41], retry=False, expires=60)
with start_worker(app, pool="solo", perform_ping_check=False, shutdown_timeout=30):
    work.apply_async(args=[42], retry=False, expires=60)
    wanted = threading.Event()
    for _ in range(450):
        if len(came) >= 2 or wanted.wait(0.1):
            break
print(sorted(came))
"""

COMES_BACK = """
import django
django.setup()
from mindx_web.celery import app
with app.connection_for_read() as cut, app.connection_for_read() as again:
    for connection in (cut, again):
        app.control.mailbox.Node("a@a", channel=connection.default_channel).listen()
    print("listens again")
"""


def environment(tmp_path: Path, broker: str) -> dict[str, str]:
    ours = {"DJANGO_SETTINGS_MODULE": "mindx_web.settings", "MINDX_BROKER_URL": broker, "MINDX_DATA": str(tmp_path)}
    return {**os.environ, **ours}


def said_by_settings(tmp_path: Path, broker: str) -> subprocess.CompletedProcess[str]:
    code = (
        "import json; from django.conf import settings as s;"
        "print(json.dumps([s.CELERY_BROKER_URL, s.BROKER_IS_SEPARATE, sorted(s.CELERY_BROKER_TRANSPORT_OPTIONS)]))"
    )
    line = [sys.executable, "-c", code]
    return subprocess.run(
        line, cwd=ROOT, env=environment(tmp_path, broker), capture_output=True, text=True, check=False
    )


def test_the_settings_take_an_address_of_rabbitmq_beside_redis(tmp_path: Path) -> None:
    url, is_separate, options = json.loads(said_by_settings(tmp_path, "amqp://u:p@rabbit:5672/v").stdout)
    assert (url, is_separate) == ("amqp://u:p@rabbit:5672/v", True)
    assert "connect_timeout" in options
    assert "socket_timeout" not in options
    url, is_separate, options = json.loads(said_by_settings(tmp_path, "").stdout)
    assert url.startswith("redis+socket://")
    assert not is_separate
    assert "socket_timeout" in options


def test_any_other_kind_of_broker_is_refused_by_name(tmp_path: Path) -> None:
    done = said_by_settings(tmp_path, "sqs://key:secret@")
    assert done.returncode != 0
    assert "MINDX_BROKER_URL must begin with amqp://" in done.stderr
    assert "secret" not in done.stderr.replace("MINDX_SECRET_KEY", "").replace("_secret", "")


@pytest.fixture(scope="module")
def rabbit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of our own."""
    with rabbitmq(tmp_path_factory.mktemp("rabbit")) as address:
        yield address


@pytest.mark.skipif(not IS_INSTALLED, reason="rabbitmq-server is not installed")
def test_wake_ups_go_through_rabbitmq(rabbit: str, tmp_path: Path, valkey: object) -> None:
    line = [sys.executable, "-c", SENDS_AND_TAKES]
    done = subprocess.run(
        line, cwd=ROOT, env=environment(tmp_path, rabbit), capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stdout.strip() == "[41, 42]", done.stderr[-3000:]


@pytest.mark.skipif(not IS_INSTALLED, reason="rabbitmq-server is not installed")
def test_a_worker_comes_back_while_the_server_still_holds_the_connection_of_its_cut_link(
    rabbit: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", COMES_BACK],
        cwd=ROOT,
        env=environment(tmp_path, rabbit),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout.strip() == "listens again", done.stderr[-3000:]
