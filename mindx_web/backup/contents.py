"""What a backup's folder holds, and what its manifest says."""

from __future__ import annotations

import hashlib
import hmac
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from pydantic import ConfigDict, TypeAdapter, ValidationError

DUMP, MANIFEST, STORE, KEYS = "database.dump", "manifest.json", "store", "keys"
# What a restored mindX cannot make anew: sessions and approvals are signed with these.
KEY_NAMES = ("secret_key", "approval_key")
FORMAT = 1


class BackupRefused(Exception):
    """The backup cannot be made or used; the message says why and what to do."""


@dataclass(frozen=True)
class Manifest:
    """`at` is when the dump began: what happened later is not in it."""

    __pydantic_config__ = ConfigDict(extra="forbid", strict=True)

    format: int
    at: str
    dump_sha256: str
    dump_bytes: int
    snapshots: int
    # Says whether a key is the one that signed, without saying the key.
    approval_key_mark: str

    def write(self, folder: Path) -> None:
        """Written last: a folder without it is no backup."""
        (folder / MANIFEST).write_text(json.dumps(asdict(self), indent=1) + "\n")


_MANIFEST = TypeAdapter(Manifest)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a whole backup. Raises BackupRefused."""
    try:
        text = (folder / MANIFEST).read_bytes()
    except OSError as error:
        raise BackupRefused(f"{folder} is not a complete backup ({MANIFEST}: {error.strerror}).") from error
    if (written := _format_of(text)) != str(FORMAT):
        raise BackupRefused(f"{folder} was written in format {written[:40]}; this mindX reads {FORMAT}.")
    try:
        found = _MANIFEST.validate_json(text)
        datetime.fromisoformat(found.at)
    except ValidationError as error:
        wrong = "; ".join(": ".join([*map(str, one["loc"]), one["msg"]]) for one in error.errors()[:3])
        raise BackupRefused(f"{folder} is not a complete backup ({MANIFEST}: {wrong}).") from error
    except ValueError as error:
        raise BackupRefused(f"{folder} is not a complete backup ({MANIFEST}: {error}).") from error
    if digest_of(folder / DUMP) != found.dump_sha256:
        raise BackupRefused(f"{folder / DUMP} does not match the manifest. Use another backup.")
    return found


def _format_of(text: bytes) -> str:
    """The format that a manifest names; ours where it names none, which is then wrong in another way."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return str(FORMAT)
    return str(said.get("format", FORMAT)) if isinstance(said, dict) else str(FORMAT)


@contextmanager
def copying() -> Iterator[None]:
    """Raises OSError with the first reason where `shutil.copytree` would list all of them, which may be thousands."""
    try:
        yield
    except shutil.Error as error:
        failed = error.args[0]
        raise OSError(f"{len(failed)} files could not be copied: {failed[0][2]}") from error


def digest_of(path: Path) -> str:
    """SHA-256 of a file; empty when there is none."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return ""


def mark_of(key: str) -> str:
    """A short word that is the same for the same key."""
    return hmac.digest(key.encode(), b"mindx backup 1", "sha256").hex()[:16]
