"""Who may touch a snapshot store at one time: any number of writers, or one who removes what nobody needs.

A writer may find a content or a manifest there already and then only name it. Until its own manifest is stored
nobody can see that it counts on them, so whoever removes waits until no writer is on its way.
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
    """Writers kept the store for longer than the remover wanted to wait; nothing was removed."""


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Held from the first look at what is there until the manifest is stored. Waits for a remover."""
    descriptor = _opened(folder)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def removing(folder: Path, wait_s: float) -> Iterator[None]:
    """Held while names are removed. Raises StoreBusy when writers do not let it in within `wait_s` seconds."""
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
