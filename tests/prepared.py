"""What every process of one run needs alike, and takes seconds to make: made by the first that asks, copied by all.

A copy is its process's own: nothing that a test does to it is seen by another one.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mindx_web.supervisor.data_folder import DataFolder, write_private
from mindx_web.supervisor.postgres import APP, DATABASE, OWNER, SUPERUSER, EmbeddedPostgres, Passwords

# A database with every migration applied and not a row of a test's.
MIGRATED = "migrated"


class Prepared:
    """The things of one run, in a folder that its processes share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o755, exist_ok=True)

    def passwords(self) -> Passwords:
        """Those of the run's clusters: a copied cluster keeps the roles that it was made with."""
        with self._alone("passwords"):
            path = self.folder / "passwords"
            if not path.exists():
                made = Passwords(*(secrets.token_hex(8) for _ in range(3)))
                path.touch(mode=0o600)
                path.write_text(json.dumps(asdict(made)))
            return Passwords(**json.loads(path.read_text()))

    def copy(self, name: str, into: Path, make: Callable[[Path], object]) -> None:
        """Let `into` be a copy of what `make(folder)` makes; whoever comes while it is being made waits for it."""
        self.make(name, make)
        # Owners and modes too: the servers of a run that is root's are other users'.
        subprocess.run(["/bin/cp", "-a", "--reflink=auto", str(self.folder / name), str(into)], check=True)

    def make(self, name: str, make: Callable[[Path], object]) -> None:
        """See that there is something to copy."""
        made = self.folder / name
        with self._alone(name):
            if not made.exists():
                half = self.folder / f"{name}-half"
                shutil.rmtree(half, ignore_errors=True)  # what a failed try left
                make(half)
                half.rename(made)

    def lend(self, data: Path) -> None:
        """Let a new data folder have the sentence model and the template of virtual environments of the whole run.

        Whoever needs them first makes them, under the locks that processes of one mindX have for it.
        """
        for name, mode in (("models", 0o700), ("sandbox/environments", 0o755)):
            shared, place = self.folder / name, data / name
            shared.mkdir(mode=mode, parents=True, exist_ok=True)
            place.parent.mkdir(mode=0o755, exist_ok=True)
            place.symlink_to(shared)

    def lend_cluster(self, data: Path, make: Callable[[Path], object]) -> None:
        """Let a new data folder have a copy of the run's cluster: its first start finds every table there.

        Making them takes eleven seconds of processor time, which the first start of test_up has to spend.
        """
        folder = DataFolder(data)
        folder.make()
        for role, password in asdict(self.passwords()).items():
            write_private(folder.secrets / f"pg_{role}_password", password)
        self.copy("postgres", data / "postgres", make)

    def told(self, name: str, tell: Callable[[], Any]) -> Any:
        """What `tell()` says, asked once in a run: something that JSON can hold."""
        with self._alone(name):
            path = self.folder / f"{name}.json"
            if not path.exists():
                half = path.with_suffix(".half")
                half.write_text(json.dumps(tell()))
                half.rename(path)
        return json.loads(path.read_text())

    @contextmanager
    def first(self, name: str) -> Iterator[None]:
        """What is done in here leaves something on the disk for all who do the same: the others wait until the first
        has done it, and then do it beside each other.
        """
        done = self.folder / f"{name}-done"
        if done.exists():
            yield
            return
        with self._alone(name):
            if not done.exists():
                yield
                done.touch()
                return
        yield

    @contextmanager
    def _alone(self, name: str) -> Iterator[None]:
        with (self.folder / f".{name}-lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def provision(server: EmbeddedPostgres) -> None:
    """Give a running cluster the roles, the database and the rights that tests need."""
    server.provision(for_tests=True)
    with server.connect(SUPERUSER, server.passwords.superuser, "postgres") as connection:
        # For emptying tables whose guards refuse it (tests/emptied.py); the application's own role cannot do it.
        connection.execute(f"GRANT SET ON PARAMETER session_replication_role TO {OWNER}")
        # For writing rows as the application could (tests/forging.py).
        connection.execute(f"GRANT {APP} TO {OWNER}")


def migrate(server: EmbeddedPostgres) -> None:
    """Make the database `MIGRATED` in a provisioned cluster, and the application's own like it."""
    with server.connect(SUPERUSER, server.passwords.superuser, "postgres") as connection:
        connection.execute(f"CREATE DATABASE {MIGRATED} OWNER {OWNER}")
    # In a process of its own: in this one Django's connection belongs to the tests.
    done = subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity", "0"],
        cwd=Path(__file__).parents[1],
        env={**os.environ, "DATABASE_URL": server.url(OWNER, MIGRATED)},
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    with server.connect(SUPERUSER, server.passwords.superuser, "postgres") as connection:
        connection.execute(f"DROP DATABASE {DATABASE}")
        connection.execute(f"CREATE DATABASE {DATABASE} TEMPLATE {MIGRATED} OWNER {OWNER}")
    server.provision(for_tests=True)
