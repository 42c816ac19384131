"""Which files of a workspace are of a set that a rule has steps for: looked up once, when the plan is made."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.utils import timezone

from agents.bdi.beliefs.perception import MACHINERY
from agents.models import Workspace
from agents.rules.file_sets import DUPLICATES, EMPTY_FOLDERS, MOST_ITEMS, FileSet, Items, UnreadableSet
from agents.rules.looping import Look
from agents.rules.naming import path_problem
from agents.workspaces import file_ages
from agents.workspaces.stores import store
from sandbox.contract import SandboxError
from sandbox.store.manifest import Entry

# What is read of files at most to look for a text in them.
MOST_BYTES = 256 << 20
_PIECE_BYTES = 1 << 20
_BINARY_BYTES = 8_192


def look_in(workspace: Workspace) -> Look:
    """Look in the files that the workspace holds now."""
    seen = _Seen(workspace, workspace.head)
    return seen.items


@dataclass
class _Seen:
    workspace: Workspace
    head: str

    def items(self, of: FileSet) -> Items:
        """The items of a set, by path or in its order. Raises UnreadableSet where they cannot be told."""
        if of.folder and not any(entry.kind == "dir" and entry.path == of.folder.encode() for entry in self._entries):
            raise UnreadableSet(f"there is no folder named {of.folder}")
        paths = list(self._folders(of) if of.what == EMPTY_FOLDERS else self._files(of))
        sayable = [path for path in paths if _can_be_said(path)]
        shown = tuple(path.decode() for path in sayable[:MOST_ITEMS])
        return Items(shown, len(paths) - len(shown))

    @cached_property
    def _entries(self) -> list[Entry]:
        """Everything but machinery, environments and hidden things, which nobody means by “all files”."""
        entries = store().entries(self.head)
        environments = {
            entry.path.removesuffix(b"/pyvenv.cfg") for entry in entries if entry.path.endswith(b"/pyvenv.cfg")
        }
        return [entry for entry in entries if not _is_machinery(entry.path, environments)]

    @cached_property
    def _changed_at(self) -> dict[bytes, datetime]:
        return file_ages.changed_at(self.workspace)

    def _files(self, of: FileSet) -> list[bytes]:
        found = [entry for entry in self._entries if entry.kind == "file" and _fits(entry, of)]
        if of.older_s is not None or of.newer_s is not None:
            found = [entry for entry in found if self._has_age(entry, of)]
        if of.texts:
            found = list(self._holding(found, of.texts))
        if of.what == DUPLICATES:
            found = _further_copies(found)
        if of.order:
            found.sort(key=lambda entry: (self._rank(entry, of.order), entry.path))
            found = found[: of.most]
        return [entry.path for entry in found]

    def _folders(self, of: FileSet) -> Iterator[bytes]:
        """Folders with no file in them or below; of those in each other the outermost."""
        below = f"{of.folder}/".encode() if of.folder else b""
        full = {above for entry in store().entries(self.head) if entry.kind != "dir" for above in _above(entry.path)}
        empty = {entry.path for entry in self._entries if entry.kind == "dir"} - full
        yield from sorted(path for path in empty if path.startswith(below) and not set(_above(path)) & empty)

    def _rank(self, entry: Entry, order: str) -> float:
        value = entry.size if order in ("largest", "smallest") else self._changed_at[entry.path].timestamp()
        return -value if order in ("largest", "newest") else value

    def _has_age(self, entry: Entry, of: FileSet) -> bool:
        age_s = (timezone.now() - self._changed_at[entry.path]).total_seconds()
        return (of.older_s is None or age_s > of.older_s) and (of.newer_s is None or age_s <= of.newer_s)

    def _holding(self, entries: Iterable[Entry], texts: tuple[str, ...]) -> Iterator[Entry]:
        left = MOST_BYTES
        wanted = [text.casefold() for text in texts]
        for entry in entries:
            left -= entry.size
            if left < 0:
                raise UnreadableSet(
                    f"more than {MOST_BYTES >> 20} MB would have to be read for it; name a folder or a kind of file"
                )
            try:
                if self._holds(entry, wanted):
                    yield entry
            except (KeyError, OSError, SandboxError) as error:
                raise UnreadableSet(f"{entry.path.decode(errors='replace')} cannot be read now") from error

    def _holds(self, entry: Entry, wanted: list[str]) -> bool:
        """Whether all texts stand in a file; it is gone through in pieces, each with the end of the one before."""
        missing, rest = set(wanted), ""
        longest = max(map(len, wanted))
        with store().open(self.head, entry.path) as file:
            piece = file.read(_PIECE_BYTES)
            if b"\0" in piece[:_BINARY_BYTES]:
                return False
            while piece and missing:
                text = rest + piece.decode("utf-8", "replace").casefold()
                missing -= {one for one in missing if one in text}
                rest = text[-longest:]
                piece = file.read(_PIECE_BYTES)
        return not missing


def _above(path: bytes) -> Iterator[bytes]:
    """Every folder above a path, the root left out."""
    while path := path.rpartition(b"/")[0]:
        yield path


def _is_machinery(path: bytes, environments: set[bytes]) -> bool:
    parts = path.split(b"/")
    if any(part.startswith(b".") or part.decode(errors="replace") in MACHINERY for part in parts):
        return True
    return not environments.isdisjoint({path, *_above(path)})


def _fits(entry: Entry, of: FileSet) -> bool:
    """Whether a file has the place, the name and the size."""
    if of.folder and not entry.path.startswith(f"{of.folder}/".encode()):
        return False
    name = entry.path.rpartition(b"/")[2].decode(errors="replace").casefold()
    if of.names and not any(fnmatch.fnmatchcase(name, pattern.casefold()) for pattern in of.names):
        return False
    return (of.larger is None or entry.size > of.larger) and (of.smaller is None or entry.size < of.smaller)


def _further_copies(entries: list[Entry]) -> list[Entry]:
    """Files whose content another one has too, but for one of each: the one nearest to the root, by name."""
    kept: set[str | None] = set()
    further = []
    for entry in sorted(entries, key=lambda one: (one.path.count(b"/"), one.path)):
        if entry.size and entry.sha256 in kept:
            further.append(entry)
        kept.add(entry.sha256)
    return sorted(further, key=lambda one: one.path)


def _can_be_said(path: bytes) -> bool:
    """Whether a plan can name it: what is no text, or hides something, it cannot."""
    try:
        return path_problem(path.decode()) is None
    except UnicodeDecodeError:
        return False
