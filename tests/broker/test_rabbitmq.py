"""RabbitMQ as the broker of wake-ups, with a real server where one is installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.supervisor.running import ROOT, free_port
from tests.waiting import wait_until

SERVER = shutil.which("rabbitmq-server", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/lib/rabbitmq/bin")
CONTROL = "/usr/lib/rabbitmq/bin/rabbitmqctl"

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


@pytest.fixture
def rabbit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of our own, which knows no other node."""
    assert SERVER is not None
    folder = tmp_path_factory.mktemp("rabbit")
    port, distribution = free_port(), free_port()
    (folder / "enabled").write_text("[].\n")
    (folder / "rabbit.conf").write_text(f"listeners.tcp.1 = 127.0.0.1:{port}\n")
    own = {
        "HOME": str(folder),
        "PATH": f"{os.environ['PATH']}:/usr/sbin",
        "LANG": "C.UTF-8",
        "RABBITMQ_NODENAME": f"mindx{port}@localhost",
        "RABBITMQ_DIST_PORT": str(distribution),
        "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_PID_FILE": str(folder / "pid"),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbit"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "enabled"),
        "ERL_EPMD_PORT": str(free_port()),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
    }
    program = "/usr/lib/rabbitmq/bin/rabbitmq-server"
    with (folder / "said").open("wb") as said:
        process = subprocess.Popen([program], env=own, cwd=folder, stdout=said, stderr=said, start_new_session=True)
    try:
        wait_until(
            lambda: process.poll() is not None or "completed with" in (folder / "said").read_text(),
            within=90,
            what="RabbitMQ",
        )
        assert process.poll() is None, (folder / "said").read_text()
        yield f"amqp://guest:guest@127.0.0.1:{port}//"
    finally:
        subprocess.run([CONTROL, "stop", str(folder / "pid")], env=own, capture_output=True, check=False, timeout=60)
        epmd = shutil.which("epmd") or "epmd"
        subprocess.run([epmd, "-kill"], env=own, capture_output=True, check=False, timeout=10)
        process.wait(timeout=60)


@pytest.mark.skipif(not Path(CONTROL).exists(), reason="rabbitmq-server is not installed")
def test_wake_ups_go_through_rabbitmq(rabbit: str, tmp_path: Path, valkey: object) -> None:
    line = [sys.executable, "-c", SENDS_AND_TAKES]
    done = subprocess.run(
        line, cwd=ROOT, env=environment(tmp_path, rabbit), capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stdout.strip() == "[41, 42]", done.stderr[-3000:]
