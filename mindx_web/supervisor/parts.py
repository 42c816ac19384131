"""The parts of one start, in the order in which they start."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from . import readiness
from .configuration import PROJECT, Configuration
from .data_folder import DataFolder
from .part import Part
from .postgres import APP, OWNER, EmbeddedPostgres, Passwords
from .service_user import AS_WE_ARE, Launch
from .sockets import socket_folder
from .valkey import EmbeddedValkey

WORKER_PROCESSES = 2
# Beside the time that a step gets to finish: to end it, record that and give the lease back.
WORKER_GRACE_S = 7.0


@dataclass(frozen=True)
class Servers:
    """The embedded servers of this start; None where the environment names another."""

    postgres: EmbeddedPostgres | None
    valkey: EmbeddedValkey | None

    @classmethod
    def of(cls, configuration: Configuration, folder: DataFolder) -> Servers:
        """Lay out what this start needs; nothing runs yet."""
        postgres = valkey = None
        if not configuration.database_url:
            postgres = postgres_of(folder, socket_folder(folder.run / "postgres", folder.run / "postgres-sockets"))
        if not configuration.redis_url:
            sockets = socket_folder(folder.run / "valkey", folder.run / "valkey-sockets")
            valkey = EmbeddedValkey(folder.root / "valkey", sockets, folder.secret("redis_password"))
        return cls(postgres, valkey)

    def addresses(self) -> dict[str, str]:
        """What `servers.json` tells."""
        known: dict[str, str] = {}
        if self.postgres:
            known |= {"database_url": self.postgres.url(APP), "migrate_url": self.postgres.url(OWNER)}
        if self.valkey:
            known["redis_url"] = self.valkey.url()
        return known

    def parts(self) -> list[Part]:
        """The embedded servers as parts."""
        return [
            Part(
                name=name,
                argv=server.argv,
                environment=dict(server.environment),
                ready=_in_thread(server.answers),
                prepare=server.prepare,
                stop_signal=server.stop_signal,
                grace_s=20.0,  # a last checkpoint is worth waiting for
            )
            for name, server in (("postgres", self.postgres), ("valkey", self.valkey))
            if server is not None
        ]


def postgres_of(folder: DataFolder, sockets: Path) -> EmbeddedPostgres:
    """The embedded database of a data folder, reached through the folder `sockets`."""
    passwords = Passwords(*(folder.secret(f"pg_{role}_password") for role in ("superuser", "owner", "app")))
    return EmbeddedPostgres(folder.root / "postgres", sockets, passwords)


def own_environment(folder: DataFolder) -> dict[str, str]:
    """The environment of mindX's own processes: the operator's, and where the data is."""
    # glibc gives each thread an arena of its own to keep freed memory in: tens of megabytes with many threads.
    few_arenas = {"MALLOC_ARENA_MAX": os.environ.get("MALLOC_ARENA_MAX", "2")}
    return {**os.environ, **few_arenas, "MINDX_DATA": str(folder.root), "PYTHONUNBUFFERED": "1"}


def own_parts(configuration: Configuration, folder: DataFolder) -> list[Part]:
    """Web and worker."""
    sockets = socket_folder(folder.run / "models", folder.run / "models-sockets")
    environment = own_environment(folder) | {"MINDX_MODEL_SERVER": str(sockets / "models")}
    node = f"up-{os.getpid()}@{socket.gethostname()}"
    word = readiness.ReadyFile(folder.run / "worker-ready")
    celery = ["-m", "celery", "-A", "mindx_web"]
    web = ["-m", "uvicorn", "mindx_web.serve:application", "--host", configuration.bind]
    web += ["--port", str(configuration.port), "--lifespan", "off", "--no-server-header", "--no-proxy-headers"]
    # Lines go to many pages at once: packing each message anew for every one of them would be most of the work.
    web += ["--timeout-graceful-shutdown", "3", "--ws-max-size", "65536", "--ws-per-message-deflate", "false"]
    worker = [*celery, "worker", "--hostname", node, "--concurrency", str(WORKER_PROCESSES), "--loglevel", "INFO"]
    worker += ["--without-gossip", "--without-mingle"]
    return [
        Part("web", _python(web), environment, readiness.web_answers(configuration.own_address)),
        Part(
            "worker",
            _python(worker),
            environment | {readiness.READY_FILE: str(word.path)},
            word.is_there,
            word.forget,
            grace_s=WORKER_GRACE_S + float(environment.get("MINDX_DRAIN_S", "5")),
        ),
    ]


def preparation() -> list[str]:
    """The command line that brings database and static files up to date."""
    return _python([str(PROJECT / "manage.py"), "prepare"])()


def _python(arguments: list[str]) -> Callable[[], list[str]]:
    """Our own code ends at once when the supervisor is killed: what it ran is taken over by its lease's end."""
    launch = Launch(AS_WE_ARE, PROJECT, {}, signal.SIGKILL, private=False)
    return lambda: launch.argv([sys.executable, *arguments])


def _in_thread(ask: Callable[[], bool]) -> Callable[[], Awaitable[bool]]:
    return lambda: asyncio.to_thread(ask)
