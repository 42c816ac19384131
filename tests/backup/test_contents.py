"""What a restore refuses before it has changed anything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mindx_web.backup import contents, postgres_tools
from mindx_web.backup.contents import DUMP, BackupRefused, Manifest, digest_of, mark_of, read_manifest
from tests.supervisor.running import ROOT


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    folder = tmp_path / "backup"
    folder.mkdir()
    (folder / DUMP).write_bytes(b"a dump")
    (folder / "store").mkdir()
    mark = mark_of("the right key")
    Manifest(contents.FORMAT, "2026-01-31T12:00:00+00:00", digest_of(folder / DUMP), 6, 0, mark).write(folder)
    return folder


def test_a_backup_without_its_manifest_or_with_another_dump_is_refused(backup: Path) -> None:
    assert read_manifest(backup).dump_bytes == 6
    (backup / DUMP).write_bytes(b"another")
    with pytest.raises(BackupRefused, match="not what was written"):
        read_manifest(backup)
    (backup / contents.MANIFEST).unlink()
    with pytest.raises(BackupRefused, match="no whole backup"):
        read_manifest(backup)


def test_a_backup_goes_into_a_folder_of_its_own_that_is_closed(backup: Path, tmp_path: Path) -> None:
    with pytest.raises(BackupRefused, match="not empty"):
        postgres_tools.private_folder(backup)
    postgres_tools.private_folder(tmp_path / "new")
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


def test_another_approval_key_is_refused_before_anything_is_there(backup: Path, tmp_path: Path) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("MINDX_", "DATABASE", "REDIS"))}
    environment = {**clean, "MINDX_DATA": str(tmp_path / "data"), "MINDX_APPROVAL_KEY": "a wrong key"}
    line = [sys.executable, "-m", "mindx_web.backup", "restore", str(backup)]
    done = subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "approval key is not the one" in done.stderr
    assert not (tmp_path / "data" / "postgres").exists()


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("postgres://o%40x:p%2Fw@%2Frun%2Fpg:5433/mindx", "/run/pg", "5433"),
        ("postgres://o%40x:p%2Fw@db.example.org/mindx?sslmode=require", "db.example.org", "5432"),
    ],
)
def test_the_password_goes_by_the_environment_and_no_argument(url: str, host: str, port: str) -> None:
    found = postgres_tools.environment_of(url)
    assert (found["PGHOST"], found["PGPORT"], found["PGDATABASE"]) == (host, port, "mindx")
    assert (found["PGUSER"], found["PGPASSWORD"]) == ("o@x", "p/w")
    assert ("PGSSLMODE" in found) == ("sslmode" in url)
