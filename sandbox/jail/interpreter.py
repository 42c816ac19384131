"""Which Python a jail has: the system's, else the one that runs mindX."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_SYSTEM = "/usr/bin/python3"
_OLDEST_MINOR = 10  # the helper uses match


@dataclass(frozen=True)
class Interpreter:
    """`program` is its path within the jail; `prefix` a folder to bind for it, None if /usr has all of it."""

    program: str
    prefix: str | None


@lru_cache(maxsize=4)
def choose(system: str = _SYSTEM) -> Interpreter:
    if os.access(system, os.X_OK) and _is_new_enough(system):
        return Interpreter(system, None)
    # Not sys.executable: that may be a virtual environment's, which only points to the real one.
    prefix = str(Path(sys.base_prefix).resolve())
    program = f"{prefix}/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    within_usr = Path(prefix).is_relative_to("/usr")
    return Interpreter(program, None if within_usr else prefix)


def _is_new_enough(program: str) -> bool:
    """By the name it points to (python3.11), which costs nothing to read."""
    found = re.fullmatch(r"python3\.(\d+)", Path(program).resolve().name)
    return found is not None and int(found[1]) >= _OLDEST_MINOR
