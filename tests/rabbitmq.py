"""A RabbitMQ of our own, which knows no other node, where one is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.supervisor.running import free_port
from tests.waiting import wait_until

SERVER = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
CONTROL = Path("/usr/lib/rabbitmq/bin/rabbitmqctl")
IS_INSTALLED = SERVER.exists() and CONTROL.exists()


@contextmanager
def rabbitmq(folder: Path, address: str = "127.0.0.1") -> Iterator[str]:
    """Start it, yield its address as MINDX_BROKER_URL has it, and stop it."""
    port, distribution = free_port(), free_port()
    (folder / "enabled").write_text("[].\n")
    # Its usual user may come from another machine than its own: this server is nobody else's.
    (folder / "rabbit.conf").write_text(f"listeners.tcp.1 = {address}:{port}\nloopback_users = none\n")
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
    with (folder / "said").open("wb") as said:
        process = subprocess.Popen([SERVER], env=own, cwd=folder, stdout=said, stderr=said, start_new_session=True)
    try:
        wait_until(
            lambda: process.poll() is not None or "completed with" in (folder / "said").read_text(),
            within=90,
            what="RabbitMQ",
        )
        assert process.poll() is None, (folder / "said").read_text()
        yield f"amqp://guest:guest@{address}:{port}//"
    finally:
        subprocess.run([CONTROL, "stop", folder / "pid"], env=own, capture_output=True, check=False, timeout=60)
        epmd = shutil.which("epmd") or "epmd"
        subprocess.run([epmd, "-kill"], env=own, capture_output=True, check=False, timeout=10)
        process.wait(timeout=60)
