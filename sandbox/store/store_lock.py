"""Who may use a snapshot store at one time: any number of writers, or one remover.

A writer may find an existing content or manifest and then only refer to it. Until its own manifest is stored, nobody
can see that it relies on them, so a remover waits until there is no writer.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NAME = ".lock"
_LOOK_EVERY_S = 0.02


class StoreBusy(Exception):
    """Writers held the store for longer than the remover waits; nothing was removed."""


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Held from the first check of existing contents until the manifest is stored. Waits for a remover."""
    descriptor = _opened(folder)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def removing(folder: Path, wait_s: float) -> Iterator[None]:
    """Held while names are removed. Raises StoreBusy if writers leave no pause within `wait_s` seconds."""
    descriptor = _opened(folder)
    last = time.monotonic() + wait_s
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() >= last:
                    raise StoreBusy(f"others have written for {wait_s:g} s without a pause") from error
                time.sleep(_LOOK_EVERY_S)
        yield
    finally:
        os.close(descriptor)


def _opened(folder: Path) -> int:
    return os.open(folder / _NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
