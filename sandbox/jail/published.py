"""The helper's code as jails see it: copied and compiled to a place that the jail's uid can read.

The program itself may have been installed with every door closed to other users (a restrictive umask is enough), and
compiled files halve the helper's start.
"""

from __future__ import annotations

import hashlib
import os
import py_compile
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path

from sandbox.places import helpers_folder

_SOURCES = Path(__file__).parent / "inside"
_OPEN_FOLDER, _OPEN_FILE = 0o755, 0o644


def publish() -> Path:
    """The folder that holds the helper's package, made when this version of it is not there yet."""
    return _published(helpers_folder())


@lru_cache(maxsize=4)
def _published(folder: Path) -> Path:
    sources = sorted(_SOURCES.glob("*.py"))
    digest = hashlib.sha256()
    for source in sources:
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    place = folder / digest.hexdigest()[:16]
    if not place.is_dir():
        _copy(sources, place)
    return place


def _copy(sources: list[Path], place: Path) -> None:
    making = Path(tempfile.mkdtemp(dir=place.parent, prefix=".making-"))
    try:
        package = making / "inside"
        package.mkdir()
        for source in sources:
            shutil.copyfile(source, package / source.name)
            # Unchecked: nobody changes a source here, and times are not worth looking at on every start.
            py_compile.compile(
                str(package / source.name),
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
                doraise=True,
            )
        for path in [making, *making.rglob("*")]:
            path.chmod(_OPEN_FOLDER if path.is_dir() else _OPEN_FILE)
        os.rename(making, place)  # noqa: PTH104 - another process may have been first, which is an OSError
    except OSError:
        shutil.rmtree(making, ignore_errors=True)
        if not place.is_dir():
            raise
