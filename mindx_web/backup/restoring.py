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

from mindx_web.backup import versions
from mindx_web.backup.contents import DUMP, KEY_NAMES, KEYS, STORE, BackupRefused, copying, mark_of, read_manifest
from mindx_web.backup.postgres_tools import run
from mindx_web.supervisor import unfinished_restore
from mindx_web.supervisor.configuration import PROJECT, Configuration
from mindx_web.supervisor.data_folder import DataFolder, Lock, write_private
from mindx_web.supervisor.parts import Servers, own_environment
from mindx_web.supervisor.postgres import OWNER, EmbeddedPostgres
from mindx_web.supervisor.prepared import note_prepared
from mindx_web.supervisor.unfinished_restore import Unfinished
from sandbox.store.store_address import BadAddress, Bucket, parse

START_S = 60.0
LOOK_EVERY_S = 0.1


class NotWhole(Exception):
    """The backup was restored, but something must be done before mindX is of use; the message says what."""


def restore(backup: Path, environment: Mapping[str, str], say: Callable[[str], None]) -> None:
    """All of it, or what is left of a restore that was stopped before.

    Raises BackupRefused before anything was changed, or names the step that failed; NotWhole when all is there.
    """
    manifest = read_manifest(backup)
    configuration = Configuration.from_environment(environment)
    folder = DataFolder(configuration.data)
    folder.make()
    lock = Lock(folder)
    lock.take("a restore")  # never beside a running mindX, and none starts meanwhile
    _keys(backup, folder, environment, manifest.approval_key_mark)
    versions.check_not_newer(backup / DUMP, PROJECT)
    servers = Servers.of(configuration, folder)
    owner_url = environment.get("MINDX_MIGRATE_URL") or environment.get("DATABASE_URL", "")
    with _running(servers.postgres, folder):
        if servers.postgres is not None:
            folder.publish(servers.addresses())
            owner_url = servers.postgres.url(OWNER)
        has_rows = _has_rows(owner_url)
        _begin(folder, Unfinished(str(backup), manifest.dump_sha256), has_rows=has_rows)
        say("Snapshots …")
        shared = store_place(environment)
        _copy_store(backup / STORE, shared if isinstance(shared, Path) else folder.root / "store")
        if isinstance(shared, Bucket):
            say(_manage(folder, "snapshots", "upload").strip())
        if not has_rows:
            say("Database …")
            arguments = ["--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction"]
            run("pg_restore", owner_url, [*arguments, "--dbname", _name_of(owner_url), str(backup / DUMP)])
        say("Migrating to this version …")
        _manage(folder, "prepare")
        if servers.postgres is not None:
            note_prepared(folder, servers.postgres.folder)  # the start that follows need not do it again
        say("Sending approved plans back to review …")
        _settle(folder, manifest.at, say)
        if not isinstance(shared, Bucket):
            say("Checking the snapshots …")
            _check_snapshots(folder, say)


def _begin(folder: DataFolder, restoring: Unfinished, *, has_rows: bool) -> None:
    """Mark the folder, so that nothing starts before all is settled. Raises BackupRefused where another mindX is."""
    begun = unfinished_restore.found(folder.root)
    if has_rows and begun is None:
        raise BackupRefused(
            "This database already belongs to a mindX installation. Restore into an empty one (another MINDX_DATA)."
        )
    if has_rows and begun is not None and begun.dump_sha256 != restoring.dump_sha256:
        raise BackupRefused(
            f"Another backup ({begun.folder}) is partly restored here. Finish it, or restore into an empty database"
            " (another MINDX_DATA)."
        )
    unfinished_restore.begin(folder.root, restoring)


def _settle(folder: DataFolder, as_of: str, say: Callable[[str], None]) -> None:
    try:
        say(_manage(folder, "settle_restored", f"--as-of={as_of}").strip())
    except BackupRefused as error:
        raise NotWhole(f"{error} Run this restore again. mindX does not start until everything is settled.") from error


def _check_snapshots(folder: DataFolder, say: Callable[[str], None]) -> None:
    """A part of the store may be missing or cut short, as in an archive that was not copied to its end."""
    try:
        say(_manage(folder, "snapshots", "verify").strip())
    except BackupRefused as error:
        raise NotWhole(f"{error} Everything else is there: you can start mindX.") from error


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
            "The approval key is not the one that signed this backup. Set MINDX_APPROVAL_KEY, or put it into"
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


def _has_rows(url: str) -> bool:
    try:
        with psycopg.connect(url, connect_timeout=10) as connection:
            found = connection.execute("SELECT to_regclass('public.agents_goal')").fetchone()
    except psycopg.OperationalError as error:
        raise BackupRefused(f"The database does not answer: {error}") from error
    return found is not None and found[0] is not None


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
    with copying():
        for part in ("blobs", "manifests"):
            if (source / part).is_dir():
                shutil.copytree(source / part, target / part, dirs_exist_ok=True)
    os.sync()


def _manage(folder: DataFolder, *arguments: str) -> str:
    line = [sys.executable, str(PROJECT / "manage.py"), *arguments]
    done = subprocess.run(line, env=own_environment(folder), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        log = folder.log / "restore.log"
        log.write_text(f"{done.stdout}\n{done.stderr}")
        raise BackupRefused(f"manage.py {arguments[0]} failed: {_last_words(done.stdout, done.stderr)} ({log})")
    return done.stdout


def _last_words(output: str, errors: str) -> str:
    """What it said, without a traceback of which only the last line tells a person something."""
    said = errors.strip()
    if "Traceback (most recent call last)" in said:
        said = said.splitlines()[-1]
    return "\n".join(part for part in (output.strip(), said) if part)[-4000:]
