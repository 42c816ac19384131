"""Prepared virtual environments: made once for each Python, in a jail, and copied from then on."""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
from pathlib import Path

from sandbox.contract import Limits, SandboxError
from sandbox.jail import interpreter
from sandbox.jail.cell import Cell, CellEnded
from sandbox.jail.inside.environments import MADE_AT
from sandbox.jail.inside.frames import BadFrame
from sandbox.places import templates_folder

_MAKING_S = 120.0
_LAYOUT = "1"  # increase it when the content of templates changes


class EnvironmentUnavailable(SandboxError):
    """The jail's Python cannot make virtual environments, usually because a system package is missing."""


def prepare(level: str = "L3") -> str:
    """The folder name of the template for the jail's Python, made now if there is none (a few seconds).

    `level` is that of the jail to make it in.

    Raises EnvironmentUnavailable, and SandboxError when there is no jail to make it in.
    """
    folder = templates_folder()
    name = _name()
    if (folder / name).is_dir():
        return name
    with open(folder / ".lock", "w") as lock:
        # Two sessions may need the first one at the same time; the second finds it ready.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / name).is_dir():
            _make(folder, name, level)
    return name


def is_prepared() -> bool:
    """Whether `prepare` would find the template ready. Raises SandboxError when there is no Python for it."""
    return (templates_folder() / _name()).is_dir()


def _name() -> str:
    python = interpreter.choose().program
    real = Path(python).resolve()
    state = real.stat()
    told = f"{_LAYOUT} {real} {state.st_size} {state.st_mtime_ns}"
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def _make(folder: Path, name: str, level: str) -> None:
    with tempfile.TemporaryDirectory(dir=folder, prefix=".making-") as place:
        cell = Cell(Path(place), folder, Limits(), level)
        made_at = MADE_AT.decode() if level == "L3" else f"{place}/template"
        try:
            python = interpreter.choose().program
            ending, output = cell.run([python, "-I", "-m", "venv", made_at], _MAKING_S)
        except (CellEnded, BadFrame, TimeoutError) as error:
            raise SandboxError("the jail ended while a virtual environment was prepared") from error
        finally:
            cell.end()
        if ending.get("return_code") != 0:
            why = output.decode("utf-8", "replace").strip()[-500:]
            raise EnvironmentUnavailable(f"the jail's Python could not make a virtual environment: {why}")
        made = Path(place) / "template"
        for path in [made, *made.rglob("*")]:
            if not path.is_symlink() and os.geteuid() == 0:
                os.chown(path, 0, 0)
        if level != "L3":
            _name_one_place(made, made_at.encode())
        made.rename(folder / name)


def _name_one_place(made: Path, made_at: bytes) -> None:
    """Makes all templates name the same place, which copies then replace."""
    for path in [made / "pyvenv.cfg", *(made / "bin").iterdir()]:
        if path.is_file() and not path.is_symlink():
            path.write_bytes(path.read_bytes().replace(made_at, MADE_AT))
