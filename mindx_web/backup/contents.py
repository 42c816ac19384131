"""What a backup's folder holds, and what its manifest says."""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import asdict, dataclass
from pathlib import Path

DUMP, MANIFEST, STORE, KEYS = "database.dump", "manifest.json", "store", "keys"
# What a restored mindX cannot make anew: sessions and approvals are signed with these.
KEY_NAMES = ("secret_key", "approval_key")
FORMAT = 1


class BackupRefused(Exception):
    """The backup cannot be made or used; the message says why and what to do."""


@dataclass(frozen=True)
class Manifest:
    """`at` is when the dump began: what happened later is not in it."""

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


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a whole backup. Raises BackupRefused."""
    try:
        found = Manifest(**json.loads((folder / MANIFEST).read_text()))
    except (OSError, ValueError, TypeError) as error:
        raise BackupRefused(f"{folder} holds no whole backup ({MANIFEST}: {error}).") from error
    if found.format != FORMAT:
        raise BackupRefused(f"{folder} was written in format {found.format}; this mindX reads {FORMAT}.")
    if digest_of(folder / DUMP) != found.dump_sha256:
        raise BackupRefused(f"{folder / DUMP} is not what was written: take another backup.")
    return found


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
