"""What a restore refuses before it has changed anything."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mindx_web.backup import contents, postgres_tools
from mindx_web.backup.contents import DUMP, BackupRefused, Manifest, copying, digest_of, mark_of, read_manifest
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
    with pytest.raises(BackupRefused, match="does not match the manifest"):
        read_manifest(backup)
    (backup / contents.MANIFEST).unlink()
    with pytest.raises(BackupRefused, match="is not a complete backup"):
        read_manifest(backup)


@pytest.mark.parametrize(
    "text",
    [
        *(b"", b"\x00", b"\xff\xfe", b"{", b"[]", b"null", b"7", b'{"format": 1}', b'{"format": 1, "format": 1}'),
        *(b'{"format": 1e400}', b'{"format": ' + b"9" * 5_000 + b"}", b"[" * 100_000, b'{"format":' * 50_000),
    ],
)
def test_a_manifest_of_rubbish_is_refused_with_a_sentence(backup: Path, text: bytes) -> None:
    (backup / contents.MANIFEST).write_bytes(text)
    with pytest.raises(BackupRefused) as refused:
        read_manifest(backup)
    assert str(refused.value).count("\n") == 0
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize(
    ("field", "value"),
    [("at", "yesterday"), ("at", "\x00"), ("at", 7), ("dump_sha256", None), ("snapshots", "2"), ("more", 1)],
)
def test_a_manifest_with_a_wrong_field_is_refused(backup: Path, field: str, value: object) -> None:
    said = json.loads((backup / contents.MANIFEST).read_text())
    (backup / contents.MANIFEST).write_text(json.dumps({**said, field: value}))
    with pytest.raises(BackupRefused, match="is not a complete backup"):
        read_manifest(backup)


def test_another_format_is_named_whatever_else_it_says(backup: Path) -> None:
    (backup / contents.MANIFEST).write_text('{"format": 2, "what_came_later": []}')
    with pytest.raises(BackupRefused, match="written in format 2; this mindX reads 1"):
        read_manifest(backup)


def test_one_reason_is_said_where_many_files_cannot_be_copied(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="2 files could not be copied: No space left on device") as said, copying():
        raise shutil.Error([("a", "b", "No space left on device"), ("c", "d", "No space left on device")])
    assert not isinstance(said.value, shutil.Error)


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
