"""pg_dump and pg_restore of the wheel, told where to go without a password in a command line."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from mindx_web.backup.contents import BackupRefused
from mindx_web.supervisor.postgres import programs

_VARIABLES = {"sslmode": "PGSSLMODE", "sslrootcert": "PGSSLROOTCERT", "sslcert": "PGSSLCERT", "sslkey": "PGSSLKEY"}


def run(program: str, url: str, arguments: list[str]) -> None:
    """Run one of Postgres' programs on the database of this address. Raises BackupRefused with its last words."""
    _run(program, ["--no-password", *arguments], environment_of(url))


def said_by(program: str, arguments: list[str]) -> str:
    """What one of Postgres' programs prints that asks no database. Raises BackupRefused with its last words."""
    return _run(program, arguments, {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})


def _run(program: str, arguments: list[str], environment: dict[str, str]) -> str:
    line = [str(programs() / program), *arguments]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-3:]
        raise BackupRefused(f"{program} failed: {' '.join(last) or done.returncode}")
    return done.stdout


def environment_of(url: str) -> dict[str, str]:
    """libpq's variables for the address: unlike arguments, other users of the machine cannot read them."""
    parts = urlsplit(url)
    host = unquote(parts.netloc.rpartition("@")[2])
    host, _, port = host.rpartition(":") if host.rpartition(":")[2].isdigit() else (host, "", "")
    found = {
        "PATH": "/usr/bin:/bin",
        "LC_ALL": "C.UTF-8",
        "HOME": os.environ.get("HOME", "/nonexistent"),
        "PGHOST": host.strip("[]"),
        "PGPORT": port or "5432",
        "PGUSER": unquote(parts.username or ""),
        "PGPASSWORD": unquote(parts.password or ""),
        "PGDATABASE": unquote(parts.path.lstrip("/")),
        "PGCONNECT_TIMEOUT": "10",
    }
    return found | {_VARIABLES[name]: value for name, value in parse_qsl(parts.query) if name in _VARIABLES}


def private_folder(folder: Path) -> None:
    """Make an empty folder that only we may read. Raises BackupRefused when there is something in it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    if any(folder.iterdir()):
        raise BackupRefused(f"{folder} is not empty: a backup goes into a folder of its own.")
