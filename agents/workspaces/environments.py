"""Which files of a virtual environment pip or venv would write again, by what the packages themselves record.

A folder with a `pyvenv.cfg` is no proof: anybody can put one, and their only copy, into any folder. A file counts as
made again only where it lies among the packages or programs of the environment and a package's RECORD has its very
digest, or where venv itself writes a file of that name.
"""

from __future__ import annotations

import base64
import csv
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from agents.workspaces.base_files import BaseUnreadable, content_of
from agents.workspaces.kept_contents import Held, held_in

_CONFIGURATION = "/pyvenv.cfg"
_RECORD = re.compile(r"/site-packages/[^/]+\.dist-info/RECORD\Z")
_RECORD_BYTES = 4 << 20
_MOST_RECORDS = 500
# What `python -m venv` writes besides packages and links.
_OF_VENV = frozenset(
    {"pyvenv.cfg", ".gitignore"} | {f"bin/{name}" for name in ("activate", "activate.csh", "activate.fish")}
) | {"bin/Activate.ps1"}
# None of these is longer in any version of Python.
_LONGEST_OF_VENV = 16 << 10


def own(paths: Sequence[str], snapshot: str) -> list[str]:
    """Those of the paths that no package would bring back; all of them where that cannot be read."""
    try:
        again = made_again(snapshot) if paths else {}
    except BaseUnreadable:
        again = {}
    return [path for path in paths if path not in again]


def _folders(held: Mapping[str, Held]) -> list[str]:
    """The outermost folders that are virtual environments."""
    found = sorted(path.removesuffix(_CONFIGURATION) for path in held if path.endswith(_CONFIGURATION))
    return [one for one in found if _environment_of(posixpath.dirname(one), found) is None]


def _environment_of(path: str, environments: list[str]) -> str | None:
    return next((one for one in environments if path == one or path.startswith(f"{one}/")), None)


@lru_cache(maxsize=32)
def made_again(snapshot: str) -> Mapping[str, str]:
    """What lies in environments of a snapshot that nobody loses with them, each path with its environment. What holds
    nothing (folders, links, empty files) counts as well. Raises BaseUnreadable.
    """
    held = held_in(snapshot)
    environments = _folders(held)
    if not environments:
        return {}
    recorded = _recorded(snapshot, held, environments)
    found: dict[str, str] = {}
    for path, one in held.items():
        environment = _environment_of(path, environments)
        if environment is not None and (
            one.kind != "file" or not one.size_bytes or _is_made(snapshot, path, one, environment, recorded)
        ):
            found[path] = environment
    return found


def _is_made(snapshot: str, path: str, one: Held, environment: str, recorded: Mapping[str, str]) -> bool:
    if path[len(environment) + 1 :] in _OF_VENV:
        return one.size_bytes <= _LONGEST_OF_VENV
    if path in recorded:
        # The first line of a program says where its Python is, which changes with the folder.
        is_program = path.startswith(f"{environment}/bin/") and one.size_bytes <= _LONGEST_OF_VENV
        same = recorded[path] in ("", one.sha256)
        return same or (is_program and (content_of(snapshot, path, _LONGEST_OF_VENV) or b"").startswith(b"#!"))
    # Python writes the compiled form of a module again.
    folder, cache, name = path.rpartition("/__pycache__/")
    return bool(cache) and name.endswith(".pyc") and f"{folder}/{name.partition('.')[0]}.py" in recorded


def _recorded(snapshot: str, held: Mapping[str, Held], environments: list[str]) -> dict[str, str]:
    """The paths in the RECORDs of installed packages with the SHA-256 (hex) of each; "" for the RECORD itself."""
    found: dict[str, str] = {}
    for path in [path for path in held if _RECORD.search(path)][:_MOST_RECORDS]:
        environment = _environment_of(path, environments)
        text = content_of(snapshot, path, _RECORD_BYTES) if environment is not None else None
        packages = posixpath.dirname(posixpath.dirname(path))
        for name, digest in _rows(text.decode("utf-8", "replace")) if text is not None else ():
            full = posixpath.normpath(posixpath.join(packages, name))
            if full.startswith((f"{packages}/", f"{environment}/bin/")) and (digest or full == path):
                found[full] = digest
    return found


def _rows(text: str) -> Iterator[tuple[str, str]]:
    try:
        for row in csv.reader(text.splitlines()):
            if len(row) >= 2 and row[0]:
                yield row[0], _hex(row[1])
    except csv.Error:
        return


def _hex(digest: str) -> str:
    kind, _, value = digest.partition("=")
    if kind != "sha256":
        return ""
    try:
        return base64.urlsafe_b64decode(value + "=" * (-len(value) % 4)).hex()
    except ValueError:
        return ""
