"""A database of a benchmark's own, with Django set up on it; everything is gone afterwards."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mindx_web.supervisor.postgres import OWNER, SUPERUSER, EmbeddedPostgres, Passwords

_START_S = 30.0


@contextmanager
def database() -> Iterator[Path]:
    """Start Postgres as `make up` does (durable writes included) and migrate; yields the data folder.

    No broker runs: wake-ups are lost, and what is measured is called directly.
    """
    place = Path(tempfile.mkdtemp(prefix="mindx-bench-"))
    server = EmbeddedPostgres(
        place / "postgres", place / "sockets", Passwords(*(secrets.token_hex(8) for _ in range(3)))
    )
    server.prepare()
    with (place / "postgres.log").open("wb") as log:
        process = subprocess.Popen(server.argv(), env=server.environment, cwd="/", stdout=log, stderr=log)
    try:
        until = time.monotonic() + _START_S
        while not server.answers():
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError((place / "postgres.log").read_text(errors="replace"))
            time.sleep(0.05)
        server.provision()
        with server.connect(SUPERUSER, server.passwords.superuser, "postgres") as connection:
            connection.execute(f"GRANT pg_checkpoint TO {OWNER}")  # figures about the write-ahead log begin with one
        _set_up(place, server.url(OWNER))
        yield place
    finally:
        process.send_signal(server.stop_signal)
        process.wait(timeout=30)
        shutil.rmtree(place, ignore_errors=True)


def _set_up(place: Path, url: str) -> None:
    data = place / "data"
    data.mkdir(mode=0o700)
    os.environ.update(
        DJANGO_SETTINGS_MODULE="mindx_web.settings",
        MINDX_DATA=str(data),
        MINDX_SECRET_KEY=secrets.token_hex(32),
        MINDX_APPROVAL_KEY=secrets.token_hex(32),
        DATABASE_URL=url,
        REDIS_URL=f"unix://{place}/no-broker.sock",
    )
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
