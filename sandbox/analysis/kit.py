"""Provides the analysers for jails: copied once from mindX's own environment to the prepared ones.

A jail cannot see that environment, and another user may not be able to read it. One program (ruff) and three packages
of Python files are copied, so any Python in a jail can read them. Nothing is downloaded.

Each version is a kit of its own. A kit that no jail has used for a day is removed. Whoever uses a kit holds a shared
lock on a file beside it, so it is never removed while a jail uses it.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.metadata
import importlib.util
import os
import shutil
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO

from sandbox.contract import SandboxError
from sandbox.jail.inside.place import TEMPLATES
from sandbox.places import templates_folder

PACKAGE = "mindx_analysis"
_SOURCES = Path(__file__).parent / "inside"
_BROUGHT = ("ruff", "vulture", "PyYAML")
_PREFIX = "analysis-"
_MAKING = ".making-analysis-"
_KEPT_UNUSED_S = 86_400.0


class KitUnavailable(SandboxError):
    """An analyser is not installed with mindX."""


@contextmanager
def held() -> Iterator[str]:
    """The kit's folder as a jail of level L3 names it, made now if there is none; it stays as long as it is held.

    Raises KitUnavailable.
    """
    folder, name = templates_folder(), f"{_PREFIX}{_digest()}"
    with _locked(folder, name, fcntl.LOCK_SH) as lock:
        os.utime(lock.fileno())
        if not (folder / name).is_dir():
            _make_once(folder, name)
            # A new version makes the others old. If one cannot be removed, the daily clean-up reports it.
            with contextlib.suppress(OSError):
                prune(folder)
        yield f"{TEMPLATES}/{name}"


def prune(folder: Path | None = None, *, unused_s: float = _KEPT_UNUSED_S) -> list[str]:
    """Remove the kits of other versions that nobody has used for so long; returns their names.

    A kit without a lock file is from before lock files existed: its time starts now.
    """
    place, now = folder or templates_folder(), time.time()
    gone = []
    for name in sorted(one.name for one in place.glob(f"{_PREFIX}*") if one.is_dir()):
        if name == f"{_PREFIX}{_digest()}" or _was_unlocked(place, name):
            continue
        try:
            with _locked(place, name, fcntl.LOCK_EX | fcntl.LOCK_NB) as lock:
                if now - os.fstat(lock.fileno()).st_mtime < unused_s:
                    continue
                # Renamed first, so that others find all of it or nothing.
                going = Path(tempfile.mkdtemp(dir=place, prefix=_MAKING))
                (place / name).rename(going / name)
                _lock_path(place, name).unlink()
        except BlockingIOError:
            continue
        shutil.rmtree(going, ignore_errors=True)
        gone.append(name)
    _clear_unfinished(place, now)
    return gone


def _was_unlocked(folder: Path, name: str) -> bool:
    """Whether a kit had no lock file, which it has from now on."""
    path = _lock_path(folder, name)
    if path.exists():
        return False
    path.touch()
    return True


def _clear_unfinished(folder: Path, now: float) -> None:
    """Leftovers of processes that died while making or removing a kit."""
    for left in folder.glob(f"{_MAKING}*"):
        with contextlib.suppress(FileNotFoundError):
            if now - left.stat().st_mtime > _KEPT_UNUSED_S:
                shutil.rmtree(left, ignore_errors=True)


def _lock_path(folder: Path, name: str) -> Path:
    return folder / f".lock-{name}"


@contextmanager
def _locked(folder: Path, name: str, how: int) -> Iterator[IO[bytes]]:
    """The lock of a kit. Raises BlockingIOError if it is taken and the caller does not wait."""
    path = _lock_path(folder, name)
    while True:
        with open(path, "ab") as lock:
            fcntl.flock(lock, how)
            # Whoever removed the kit also removed its lock, perhaps while we waited for it.
            if not _is_there(path, lock):
                continue
            yield lock
            return


def _is_there(path: Path, lock: IO[bytes]) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(lock.fileno()))
    except FileNotFoundError:
        return False


def _make_once(folder: Path, name: str) -> None:
    with open(folder / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / name).is_dir():
            _make(folder, name)


@lru_cache(maxsize=1)
def _digest() -> str:
    try:
        told = [f"{name} {importlib.metadata.version(name)}" for name in _BROUGHT]
    except importlib.metadata.PackageNotFoundError as error:
        raise KitUnavailable(f"{error.name} is not installed; install what requirements.txt names") from error
    digest = hashlib.sha256(" ".join(told).encode())
    for source in sorted(_SOURCES.glob("*.py")):
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _make(folder: Path, name: str) -> None:
    making = Path(tempfile.mkdtemp(dir=folder, prefix=_MAKING))
    try:
        shutil.copyfile(_ruff(), making / "ruff")
        _copy_package(_SOURCES, making / PACKAGE)
        for package in ("vulture", "yaml"):
            _copy_package(_package(package), making / package)
        for path in [making, *making.rglob("*")]:
            path.chmod(0o755 if path.is_dir() or path.name == "ruff" else 0o644)
        making.rename(folder / name)
    except OSError:
        shutil.rmtree(making, ignore_errors=True)
        raise


def _copy_package(source: Path, target: Path) -> None:
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.pyc", "*.so"))


def _ruff() -> Path:
    """The program that this package installed: next to the running Python, or in the scripts folder."""
    for folder in (sysconfig.get_path("scripts"), Path(sys.executable).parent):
        if (found := Path(folder) / "ruff").is_file():
            return found
    raise KitUnavailable("ruff's program is not where packages put their programs")


def _package(name: str) -> Path:
    found = importlib.util.find_spec(name)
    if found is None or not found.submodule_search_locations:
        raise KitUnavailable(f"{name} is not installed; install what requirements.txt names")
    return Path(found.submodule_search_locations[0])
