"""Where a server's Unix socket lives: in the data folder when the path fits, else in a short private folder."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

# sun_path holds 108 bytes with its closing zero; the longest name we put in the folder is ".s.PGSQL.5432".
LONGEST_FOLDER = 107 - len("/.s.PGSQL.5432")

_SHORT = Path("/tmp")  # noqa: S108  # mkdtemp makes the name, with mode 700

# Anything else would need quoting that libpq, redis-py and kombu do differently.
_PLAIN = re.compile(r"[A-Za-z0-9_./+-]+")


def socket_folder(preferred: Path, note: Path) -> Path:
    """`preferred`, or a short folder in the temporary directory when that path cannot be a socket's.

    The short folder is remembered in the file `note`, so that one left behind by a killed process is removed by the
    next start. Its name is unpredictable: nobody can be there first.
    """
    forget_short_folder(note)
    if len(os.fsencode(preferred)) <= LONGEST_FOLDER and _PLAIN.fullmatch(str(preferred)):
        preferred.mkdir(mode=0o700, parents=True, exist_ok=True)
        return preferred
    short = Path(tempfile.mkdtemp(prefix="mindx-", dir=_SHORT))
    note.write_text(str(short))
    return short


def forget_short_folder(note: Path) -> None:
    """Remove the short folder that `note` names, if any, and the note."""
    if not note.exists():
        return
    short = Path(note.read_text())
    if short.parent == _SHORT and short.name.startswith("mindx-"):
        shutil.rmtree(short, ignore_errors=True)
    note.unlink()
