"""Package files by their SHA-256, shared by all sessions: verified on arrival and at each later use."""

from __future__ import annotations

import asyncio
import hashlib
import os
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from sandbox.places import data_folder

MOST_BYTES = 4 << 30
_BLOCK_BYTES = 1 << 20
_COMING = ".coming-"
_COMING_S = 3600.0


class WrongContent(Exception):
    """The content does not match its SHA-256."""


def folder() -> Path:
    place = data_folder() / "sandbox" / "packages"
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    return place


async def find(place: Path, sha256: str) -> BinaryIO | None:
    """The file, open at its start, or None. A damaged one is removed, so that it is fetched again."""
    path = place / sha256
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return None
    if await _sha256(file) != sha256:
        file.close()
        path.unlink(missing_ok=True)
        return None
    file.seek(0)
    with suppress(OSError):
        os.utime(path)  # the oldest in use is the first to go
    return file


async def keep(place: Path, sha256: str, blocks: AsyncIterator[bytes]) -> BinaryIO:
    """Stores a file, block by block, and returns it open at its start. Raises WrongContent."""
    made = hashlib.sha256()
    with tempfile.NamedTemporaryFile(dir=place, prefix=_COMING, delete=False) as coming:
        try:
            async for block in blocks:
                made.update(block)
                coming.write(block)
            if made.hexdigest() != sha256:
                raise WrongContent
            coming.flush()
            Path(coming.name).rename(place / sha256)
        except BaseException:
            Path(coming.name).unlink(missing_ok=True)
            raise
    file = (place / sha256).open("rb")
    prune(place)
    return file


def prune(place: Path, most_bytes: int = MOST_BYTES) -> None:
    """Removes the longest unused files until the rest is small enough, and incomplete ones."""
    states = []
    for path in place.iterdir():
        with suppress(FileNotFoundError):
            states.append((path, path.stat()))
    total = sum(state.st_size for _, state in states)
    for path, state in sorted(states, key=lambda each: each[1].st_mtime_ns):
        unfinished = path.name.startswith(_COMING)
        if unfinished and time.time() - state.st_mtime < _COMING_S:
            continue  # somebody may be writing it
        if unfinished or total > most_bytes:
            path.unlink(missing_ok=True)
            total -= state.st_size


async def _sha256(file: BinaryIO) -> str:
    made = hashlib.sha256()
    while block := file.read(_BLOCK_BYTES):
        made.update(block)
        await asyncio.sleep(0)  # other connections go on meanwhile
    return made.hexdigest()
