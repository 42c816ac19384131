"""A manifest as people browse it: one folder at a time, virtual environments folded into one entry."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agents.workspaces import file_paths
from sandbox.store.snapshots import Entry

_DISTRIBUTION = re.compile(r"(?P<name>[A-Za-z0-9._]+)-(?P<version>[^-/]+)\.dist-info\Z")


@dataclass(frozen=True)
class Item:
    """One entry of a folder. `kind` is dir, venv, file or link; sizes and `files` of a folder count all below it."""

    path: bytes
    kind: str
    size_bytes: int
    files: int = 1
    sha256: str | None = None
    target: bytes | None = None
    mode: int = 0o644
    packages: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The last part of the path, as text."""
        return file_paths.to_text(self.path.rsplit(b"/", 1)[-1])

    @property
    def text(self) -> str:
        """The whole path, as text."""
        return file_paths.to_text(self.path)

    @property
    def address(self) -> str:
        """The whole path, as an address holds it."""
        return file_paths.to_address(self.path)

    @property
    def target_text(self) -> str:
        """Where a link leads, as text."""
        return file_paths.to_text(self.target or b"")


def find(entries: Sequence[Entry], path: bytes) -> Entry:
    """The entry of exactly this path. Raises KeyError."""
    for entry in entries:
        if entry.path == path:
            return entry
    raise KeyError(path)


def listing(entries: Sequence[Entry], folder: bytes = b"") -> list[Item]:
    """What lies directly in the folder ("" is the root): folders first, then by name. KeyError when there is none."""
    prefix = folder + b"/" if folder else b""
    groups: dict[bytes, list[Entry]] = {}
    is_there = not folder
    for entry in entries:
        if entry.path == folder and entry.kind == "dir":
            is_there = True
        elif entry.path.startswith(prefix) and entry.path != folder:
            is_there = True
            groups.setdefault(entry.path[len(prefix) :].split(b"/", 1)[0], []).append(entry)
    if not is_there:
        raise KeyError(folder)
    items = [_item(prefix + name, below) for name, below in groups.items()]
    return sorted(items, key=lambda item: (item.kind in {"file", "link"}, item.path))


def _item(path: bytes, below: list[Entry]) -> Item:
    first = below[0]
    if len(below) == 1 and first.path == path and first.kind != "dir":
        return Item(path, first.kind, first.size, 1, first.sha256, first.target, first.mode)
    inner = [entry for entry in below if entry.path != path]
    is_venv = any(entry.path == path + b"/pyvenv.cfg" for entry in inner)
    return Item(
        path,
        "venv" if is_venv else "dir",
        sum(entry.size for entry in inner if entry.kind == "file"),
        sum(entry.kind != "dir" for entry in inner),
        packages=_packages(inner) if is_venv else (),
    )


def _packages(entries: Sequence[Entry]) -> tuple[str, ...]:
    """The distributions installed in a virtual environment, by the names of their metadata folders."""
    found = set()
    for entry in entries:
        for part in entry.path.split(b"/"):
            match = _DISTRIBUTION.match(part.decode("utf-8", "replace")) if part.endswith(b".dist-info") else None
            if match:
                found.add(f"{match['name']} {match['version']}")
    return tuple(sorted(found, key=str.lower))
