"""Prepare the database and the static files for this version of mindX. Safe to repeat."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import dj_database_url
import psycopg
from django.conf import settings
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connection

from library.management.commands import build_models
from mindx_web.operations import migrating, static_files
from mindx_web.operations.first_login import make_first_login
from mindx_web.operations.grants import grant
from mindx_web.supervisor.data_folder import DataFolder
from mindx_web.supervisor.parts import postgres_of
from mindx_web.supervisor.progress import SILENT_S, STAGE
from sandbox.contract import SandboxError
from sandbox.sessions import environments


class Command(BaseCommand):
    """Works as the owner of the tables (MINDX_MIGRATE_URL, or the embedded server's); grants to the application."""

    help = "Make roles and tables, grant rights, load the starter content, create the first login."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Do all of it, in this order; what people should read goes to standard output."""
        _provide_database()
        application = _become_owner()
        self._migrate()
        owner = connection.settings_dict["USER"]
        if application and application != owner:
            grant(connection, application)
        self._fill_library()
        self._make_files()
        if told := make_first_login():
            self.stdout.write(told)

    def _migrate(self) -> None:
        migrate = migrating.Migrate(self._tell_migrations)
        try:
            migrating.check_history()
            migrating.migrate(lambda: call_command(migrate, interactive=False, verbosity=0))
        except OperationalError as error:
            raise CommandError(f"The database does not answer: {error}") from error
        except migrating.HalfMigrated as error:
            raise CommandError(f"Nothing was changed: {error}") from error

    def _tell_migrations(self, done: int, of: int) -> None:
        """How many there are, and how far they have come when that takes long."""
        if not done:
            self._begin(f"tables, {of} migrations")
        elif time.monotonic() - self._began_at > SILENT_S:
            self._begin(f"tables, {done} of {of} migrations")

    def _fill_library(self) -> None:
        if build_models.is_needed() or settings.EMBEDDING_MODEL:
            self._begin("sentence model")
        try:
            call_command("build_models", stdout=self.stderr)
        except CommandError as error:
            # Search by meaning waits then, and says so; everything else works.
            self.stderr.write(f"The sentence model could not be built: {error}")
        # A sentence model whose vectors no table can hold ends the start here, with what to do.
        call_command("embeddings", "check", stdout=self.stderr)
        if "load_starters" in get_commands():
            self._begin("starter rules and tools")
            call_command("load_starters", stdout=self.stderr)

    def _make_files(self) -> None:
        try:
            if not environments.is_prepared():
                self._begin("virtual environment of the sandbox")
            environments.prepare()
        except SandboxError as error:
            # The first virtual environment is made when a jail is there; the sandbox's own report says what is missing.
            self.stderr.write(f"No virtual environment was prepared: {error}")
        if not static_files.are_collected():
            self._begin("static files")
            static_files.collect()

    def _begin(self, stage: str) -> None:
        """Tell the supervisor, or whoever reads this, what takes time now."""
        self._began_at = time.monotonic()
        self.stdout.write(f"{STAGE}{stage}")
        self.stdout.flush()


def _provide_database() -> None:
    """Roles and database of the embedded server; those of another are its operator's."""
    if not (url := _embedded_url()):
        return
    sockets = Path(dj_database_url.parse(url)["HOST"])
    try:
        postgres_of(DataFolder(settings.DATA_DIR), sockets).provision()
    except psycopg.OperationalError as error:
        raise CommandError(f"The database does not answer: {error}") from error


def _become_owner() -> str:
    """Point this process's connection at the owner's role; returns the name of the application's role."""
    application = str(connection.settings_dict["USER"])
    if url := os.environ.get("MINDX_MIGRATE_URL") or _embedded_url():
        connection.close()
        connection.settings_dict.update(dj_database_url.parse(url))
    return application


def _embedded_url() -> str:
    """The owner's address of the embedded server, empty where the environment names another."""
    return "" if os.environ.get("DATABASE_URL") else str(settings.SERVERS.get("migrate_url", ""))
