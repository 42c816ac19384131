"""Collects and compresses static files, only if one of them changed."""

from __future__ import annotations

import hashlib
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command


def collect() -> bool:
    """Collect if needed; returns whether it was needed."""
    if are_collected():
        return False
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    _stamp().write_text(_digest())
    return True


def are_collected() -> bool:
    """Whether none has changed since they were collected."""
    return _stamp().exists() and _stamp().read_text() == _digest()


def _stamp() -> Path:
    return Path(settings.STATIC_ROOT) / ".collected"


def _digest() -> str:
    """Changes with the name, size or time of any source file."""
    seen = hashlib.sha256(repr(settings.STORAGES["staticfiles"]).encode())
    for finder in get_finders():
        for path, storage in finder.list([]):
            state = Path(storage.path(path)).stat()
            seen.update(f"{path}\0{state.st_size}\0{state.st_mtime_ns}\n".encode())
    return seen.hexdigest()
