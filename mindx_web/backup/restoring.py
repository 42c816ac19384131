"""Restoring a backup into an installation that does not run and holds nothing yet.

Snapshots go in before the database, so no row ever names one that is missing. Afterwards nothing that was approved runs
by itself: see `settling`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psycopg

from mindx_web.backup.contents import DUMP, KEY_NAMES, KEYS, STORE, BackupRefused, mark_of, read_manifest
from mindx_web.backup.postgres_tools import run
from mindx_web.supervisor.configuration import PROJECT, Configuration
from mindx_web.supervisor.data_folder import DataFolder, Lock, write_private
from mindx_web.supervisor.parts import Servers, own_environment
from mindx_web.supervisor.postgres import OWNER, EmbeddedPostgres
from mindx_web.supervisor.prepared import note_prepared
from sandbox.store_address import BadAddress, Bucket, parse

START_S = 60.0
LOOK_EVERY_S = 0.1


class NotSettled(Exception):
    """All of the backup is there, and something that was approved could run by itself; the message says what."""


def restore(backup: Path, environment: Mapping[str, str], say: Callable[[str], None]) -> None:
    """All of it. Raises BackupRefused before anything was changed, or names the step that failed; NotSettled when all
    is there and some of it must be looked at before mindX starts.
    """
    manifest = read_manifest(backup)
    configuration = Configuration.from_environment(environment)
    folder = DataFolder(configuration.data)
    folder.make()
    lock = Lock(folder)
    lock.take("a restore")  # never beside a running mindX, and none starts meanwhile
    _keys(backup, folder, environment, manifest.approval_key_mark)
    servers = Servers.of(configuration, folder)
    owner_url = environment.get("MINDX_MIGRATE_URL") or environment.get("DATABASE_URL", "")
    with _running(servers.postgres, folder):
        if servers.postgres is not None:
            folder.publish(servers.addresses())
            owner_url = servers.postgres.url(OWNER)
        _check_empty(owner_url)
        say("Snapshots …")
        shared = store_place(environment)
        _copy_store(backup / STORE, shared if isinstance(shared, Path) else folder.root / "store")
        if isinstance(shared, Bucket):
            say(_manage(folder, "snapshots", "upload").strip())
        say("Database …")
        arguments = ["--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction"]
        database = ["--dbname", _name_of(owner_url)]
        run("pg_restore", owner_url, [*arguments, *database, str(backup / DUMP)])
        say("Bringing it to this version …")
        _manage(folder, "prepare")
        if servers.postgres is not None:
            note_prepared(servers.postgres.folder)  # the start that follows need not do it again
        say("Asking again about what was approved …")
        try:
            said = _manage(folder, "settle_restored", "--as-of", manifest.at)
        except BackupRefused as error:
            raise NotSettled(str(error)) from error
        say(said.strip())


def _keys(backup: Path, folder: DataFolder, environment: Mapping[str, str], mark: str) -> None:
    """Put the keys in place; approvals and chains hold with the one that signed them, and with no other."""
    for name in KEY_NAMES:
        kept, here = backup / KEYS / name, folder.secrets / name
        if kept.exists() and not here.exists() and not environment.get(f"MINDX_{name.upper()}"):
            write_private(here, kept.read_text())
    found = environment.get("MINDX_APPROVAL_KEY") or _text(folder.secrets / "approval_key")
    found = found or environment.get("MINDX_SECRET_KEY") or _text(folder.secrets / "secret_key")
    if mark_of(found) != mark:
        raise BackupRefused(
            "The approval key is not the one that signed what is in this backup. Set MINDX_APPROVAL_KEY, or put it into"
            f" {folder.secrets / 'approval_key'} (mode 600)."
        )
    if not environment.get("MINDX_SECRET_KEY"):
        folder.secret("secret_key")


def _text(path: Path) -> str:
    return path.read_text().strip() if path.exists() else ""


@contextmanager
def _running(postgres: EmbeddedPostgres | None, folder: DataFolder) -> Iterator[None]:
    """The embedded server for as long as the restore takes; a server of the operator's runs anyway."""
    if postgres is None:
        yield
        return
    postgres.prepare()
    with (folder.log / "restore-postgres.log").open("ab") as log:
        process = subprocess.Popen(postgres.argv(), env=postgres.environment, cwd="/", stdout=log, stderr=log)
    try:
        last = time.monotonic() + START_S
        while process.poll() is None and not postgres.answers() and time.monotonic() < last:
            time.sleep(LOOK_EVERY_S)
        if process.poll() is not None or not postgres.answers():
            raise BackupRefused(f"Postgres did not start; see {folder.log / 'restore-postgres.log'}.")
        postgres.provision()
        yield
    finally:
        process.send_signal(postgres.stop_signal)
        process.wait()


def _check_empty(url: str) -> None:
    try:
        with psycopg.connect(url, connect_timeout=10) as connection:
            found = connection.execute("SELECT to_regclass('public.agents_goal')").fetchone()
    except psycopg.OperationalError as error:
        raise BackupRefused(f"The database does not answer: {error}") from error
    if found is not None and found[0] is not None:
        raise BackupRefused("This database holds a mindX already. Restore into an empty one (another MINDX_DATA).")


def store_place(environment: Mapping[str, str]) -> Path | Bucket | None:
    """The shared store of this installation, if it has one. Raises BackupRefused."""
    try:
        return parse(environment["MINDX_STORE_URL"]) if environment.get("MINDX_STORE_URL") else None
    except BadAddress as error:
        raise BackupRefused(f"{error}.") from None


def _name_of(url: str) -> str:
    return url.rpartition("/")[2].partition("?")[0]


def _copy_store(source: Path, target: Path) -> None:
    """Contents before the manifests that name them; what is there already has the same name and so the same bytes."""
    target.mkdir(mode=0o700, exist_ok=True)
    for part in ("blobs", "manifests"):
        if (source / part).is_dir():
            shutil.copytree(source / part, target / part, dirs_exist_ok=True)
    os.sync()


def _manage(folder: DataFolder, *arguments: str) -> str:
    line = [sys.executable, str(PROJECT / "manage.py"), *arguments]
    done = subprocess.run(line, env=own_environment(folder), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = "\n".join(part for one in (done.stdout, done.stderr) if (part := one.strip()))
        raise BackupRefused(f"manage.py {arguments[0]} failed: {said[-4000:]}")
    return done.stdout
