"""Servers of a benchmark's own, with Django set up on them; everything is gone afterwards."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mindx_web.supervisor.postgres import OWNER, SUPERUSER, EmbeddedPostgres, Passwords
from mindx_web.supervisor.valkey import EmbeddedValkey

_START_S = 30.0


@dataclass(frozen=True)
class Servers:
    """A running Postgres and a running Valkey in `place`; `log` is what the Postgres server says."""

    place: Path
    postgres: EmbeddedPostgres
    valkey: EmbeddedValkey
    log: Path


@contextmanager
def servers(settings: Mapping[str, str] | None = None) -> Iterator[Servers]:
    """Postgres as `make up` starts it (durable writes included) and Valkey; `settings` are further ones of Postgres."""
    with _place() as place, _postgres(place, settings or {}) as postgres:
        valkey = EmbeddedValkey(place / "valkey", place / "broker", secrets.token_hex(8))
        with _running(valkey, place / "valkey.log"):
            yield Servers(place, postgres, valkey, place / "postgres.log")


@contextmanager
def database() -> Iterator[Path]:
    """Start Postgres as `make up` does (durable writes included) and migrate; yields the data folder.

    No broker runs: wake-ups are lost, and what is measured is called directly.
    """
    with _place() as place, _postgres(place, {}) as server:
        set_up(place, server.url(OWNER), f"unix://{place}/no-broker.sock")
        yield place


def set_up(place: Path, database_url: str, redis_url: str) -> None:
    """Set Django up on these servers, here and in processes started from here, and migrate."""
    data = place / "data"
    data.mkdir(mode=0o700)
    os.environ.update(
        DJANGO_SETTINGS_MODULE="mindx_web.settings",
        MINDX_DATA=str(data),
        MINDX_GOALS_PER_MINUTE="0",
        MINDX_SECRET_KEY=secrets.token_hex(32),
        MINDX_APPROVAL_KEY=secrets.token_hex(32),
        DATABASE_URL=database_url,
        REDIS_URL=redis_url,
    )
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


@contextmanager
def _place() -> Iterator[Path]:
    place = Path(tempfile.mkdtemp(prefix="mindx-bench-"))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


@contextmanager
def _postgres(place: Path, settings: Mapping[str, str]) -> Iterator[EmbeddedPostgres]:
    passwords = Passwords(*(secrets.token_hex(8) for _ in range(3)))
    server = EmbeddedPostgres(place / "postgres", place / "sockets", passwords, settings=dict(settings))
    with _running(server, place / "postgres.log"):
        server.provision()
        with server.connect(SUPERUSER, server.passwords.superuser, "postgres") as connection:
            connection.execute(f"GRANT pg_checkpoint TO {OWNER}")  # figures about the write-ahead log begin with one
        yield server


@contextmanager
def _running(server: EmbeddedPostgres | EmbeddedValkey, log_path: Path) -> Iterator[None]:
    server.prepare()
    with log_path.open("wb") as log:
        process = subprocess.Popen(server.argv(), env=server.environment, cwd="/", stdout=log, stderr=log)
    try:
        until = time.monotonic() + _START_S
        while not server.answers():
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(log_path.read_text(errors="replace"))
            time.sleep(0.05)
        yield
    finally:
        process.send_signal(server.stop_signal)
        process.wait(timeout=30)
