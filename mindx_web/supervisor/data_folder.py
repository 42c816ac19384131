"""The data folder: what `make up` keeps where, the secrets it makes once, and the lock that there is one of it."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from .service_user import can_stage


class AlreadyRunning(Exception):
    """Another mindX holds this data folder; the message says which."""


@dataclass(frozen=True)
class DataFolder:
    """Paths below MINDX_DATA. Everything in it is closed to other users."""

    root: Path

    @property
    def run(self) -> Path:
        """What belongs to one start: lock, addresses, sockets."""
        return self.root / "run"

    @property
    def log(self) -> Path:
        """One file for each part."""
        return self.root / "log"

    @property
    def secrets(self) -> Path:
        """One file for each secret, made at the first start."""
        return self.root / "secrets"

    def make(self) -> None:
        """Make the folders that are missing."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in (self.run, self.log, self.secrets):
            folder.mkdir(mode=0o700, exist_ok=True)
        if os.geteuid() == 0 and not can_stage():
            # The servers' own users must pass through to their folders; they can neither list nor open the others.
            self.root.chmod(0o711)
            self.run.chmod(0o711)

    def secret(self, name: str) -> str:
        """The secret of that name; made, readable by us alone, when there is none yet."""
        path = self.secrets / name
        if path.exists() and (value := path.read_text().strip()):
            return value
        value = secrets.token_urlsafe(48)
        write_private(path, value + "\n")
        return value

    def publish(self, addresses: dict[str, str]) -> None:
        """Tell `manage.py` and our own processes where the embedded servers are."""
        write_private(self.run / "servers.json", json.dumps(addresses, indent=1) + "\n")


def write_private(path: Path, text: str) -> None:
    """Write a file with mode 600 in one step: it is either the old one or whole."""
    temporary = path.with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.rename(path)


# End what the holder of the lock notes: by them commands know that the database is not there for them.
STARTING, STOPPING = ", starting", ", stopping"
# For so long one of our own commands, which looks whether the lock is held, may be in the way of who takes it.
_GLANCE_S = 1.0


class Lock:
    """Held while this process supervises the folder. The kernel drops it with the process, however that ends."""

    def __init__(self, folder: DataFolder) -> None:
        self._path = _lock_of(folder)

    def take(self, doing: str) -> None:
        """Take it and note what for. Raises AlreadyRunning."""
        self._file = self._path.open("a+")
        until = time.monotonic() + _GLANCE_S
        while not _is_free(self._file, fcntl.LOCK_EX):
            if time.monotonic() > until:
                self._file.seek(0)
                holder = self._file.read().strip() or "starting"
                raise AlreadyRunning(f"mindX is already running on {self._path.parent.parent} ({holder}).")
            time.sleep(0.05)
        self.note(doing)

    def note(self, doing: str) -> None:
        """Tell others what the holder does now."""
        self._file.truncate(0)
        self._file.write(f"process {os.getpid()}, {doing}\n")
        self._file.flush()


def holder_of(folder: DataFolder) -> str | None:
    """What holds the lock, in the words that it noted; None when nobody does.

    A note that a killed supervisor left counts for nothing.
    """
    try:
        file = _lock_of(folder).open()
    except FileNotFoundError:
        return None
    with file:
        return None if _is_free(file, fcntl.LOCK_SH) else file.read().strip()


def _lock_of(folder: DataFolder) -> Path:
    return folder.run / "lock"


def _is_free(file: TextIO, kind: int) -> bool:
    """Whether the lock could be taken. It is then held until the file is closed."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
