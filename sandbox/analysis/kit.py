"""The analysers where jails can see them: copied once out of mindX's own environment to the prepared ones.

A jail sees nothing of that environment, and another user may not be let into it. What is copied is one program (ruff)
and two packages of Python files, so any Python that a jail has can read them. Nothing is fetched.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.metadata
import importlib.util
import shutil
import sys
import sysconfig
import tempfile
from functools import lru_cache
from pathlib import Path

from sandbox.contract import SandboxError
from sandbox.jail.inside.place import TEMPLATES
from sandbox.places import templates_folder

PACKAGE = "mindx_analysis"
_SOURCES = Path(__file__).parent / "inside"
_ANALYSERS = ("ruff", "vulture")


class KitUnavailable(SandboxError):
    """An analyser is not installed beside mindX."""


def prepare() -> str:
    """The kit's folder as a jail of level L3 names it, made now when there is none. Raises KitUnavailable."""
    return f"{TEMPLATES}/{_prepared(templates_folder())}"


@lru_cache(maxsize=4)
def _prepared(folder: Path) -> str:
    name = f"analysis-{_digest()}"
    if (folder / name).is_dir():
        return name
    with open(folder / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / name).is_dir():
            _make(folder, name)
    return name


def _digest() -> str:
    try:
        told = [f"{name} {importlib.metadata.version(name)}" for name in _ANALYSERS]
    except importlib.metadata.PackageNotFoundError as error:
        raise KitUnavailable(f"{error.name} is not installed; install what requirements.txt names") from error
    digest = hashlib.sha256(" ".join(told).encode())
    for source in sorted(_SOURCES.glob("*.py")):
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _make(folder: Path, name: str) -> None:
    making = Path(tempfile.mkdtemp(dir=folder, prefix=".making-"))
    try:
        shutil.copyfile(_ruff(), making / "ruff")
        _copy_package(_SOURCES, making / PACKAGE)
        _copy_package(_vulture(), making / "vulture")
        for path in [making, *making.rglob("*")]:
            path.chmod(0o755 if path.is_dir() or path.name == "ruff" else 0o644)
        making.rename(folder / name)
    except OSError:
        shutil.rmtree(making, ignore_errors=True)
        raise


def _copy_package(source: Path, target: Path) -> None:
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))


def _ruff() -> Path:
    """The program that the package of this name installed: beside the Python that runs this, or with the scripts."""
    for folder in (sysconfig.get_path("scripts"), Path(sys.executable).parent):
        if (found := Path(folder) / "ruff").is_file():
            return found
    raise KitUnavailable("ruff's program is not where packages put their programs")


def _vulture() -> Path:
    found = importlib.util.find_spec("vulture")
    if found is None or not found.submodule_search_locations:
        raise KitUnavailable("vulture is not installed; install what requirements.txt names")
    return Path(found.submodule_search_locations[0])
