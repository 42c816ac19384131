"""What a page tells of two snapshots: each difference in words, with the lines of texts that changed.

Nothing is left out in silence: what is too long for the page says so, with its sizes and a way to see it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from agents.presentation import file_text
from agents.record.errors import AgentsError
from agents.workspaces import file_paths
from agents.workspaces.stores import store
from sandbox.store.compare import Difference, Hunk, PackageChange, compare, hunks
from sandbox.store.manifest import Entry
from sandbox.store.snapshots import DamagedStore

PAGE = 100
# Of all texts of a page together; what comes later is opened on a page of its own.
TEXT_BYTES = 512 << 10
ALONE_BYTES = 4 << 20
LINES_MAX = 5_000
_WORDS = {"deleted": "deleted", "moved": "moved", "changed": "changed", "added": "new"}
_TONES = {"deleted": "bad", "moved": "person", "changed": "person", "added": "good"}
_NOUNS = {"file": "file", "dir": "folder", "link": "link"}


class NotKept(AgentsError):
    """One of the snapshots has been pruned, or is damaged."""


@dataclass(frozen=True)
class Shown:
    """One difference as the page tells it; `address` opens it alone where its lines are not here."""

    word: str
    tone: str
    path: str
    notes: tuple[str, ...]
    packages: tuple[PackageChange, ...]
    hunks: tuple[Hunk, ...]
    deleted: int
    added: int
    address: str = ""


@dataclass(frozen=True)
class Reading:
    """A page of differences, how many there are of each kind, and the number that the next page starts at."""

    items: tuple[Shown, ...]
    counts: tuple[tuple[str, int], ...]
    more: int | None


@dataclass(frozen=True)
class _Lines:
    hunks: tuple[Hunk, ...] = ()
    notes: tuple[str, ...] = ()
    used_bytes: int = 0
    address: str = ""


def read(before: str, after: str, *, start: int = 0, fold: bool = True, of: Collection[str] = ()) -> Reading:
    """The differences from `start` on, `of` these paths only where some are given.

    Raises KeyError for a snapshot that is not kept, DamagedStore for a damaged.
    """
    old, new = (_only(store().entries(digest), of) for digest in (before, after))
    found = compare(old, new, fold=fold)
    room, items = TEXT_BYTES, []
    for each in found[start : start + PAGE]:
        lines = _lines(before, after, each, room)
        room -= lines.used_bytes
        items.append(_shown(each, lines))
    counts = [(word, sum(each.kind == kind for each in found)) for kind, word in _WORDS.items()]
    more = start + PAGE if len(found) > start + PAGE else None
    return Reading(tuple(items), tuple((word, count) for word, count in counts if count), more)


def read_kept(before: str, after: str, *, start: int = 0, of: Collection[str] = ()) -> Reading:
    """As `read`, for callers that know nothing of the store. Raises NotKept."""
    try:
        return read(before, after, start=start, of=of)
    except (KeyError, DamagedStore) as error:
        raise NotKept(f"{before[:8]} or {after[:8]} cannot be read") from error


def _only(entries: Iterable[Entry], paths: Collection[str]) -> list[Entry]:
    return [entry for entry in entries if not paths or file_paths.to_text(entry.path) in paths]


def read_one(before: str, after: str, path: bytes) -> Shown:
    """One path's difference with all its lines. Raises KeyError also when the path does not differ."""
    found = compare(store().entries(before), store().entries(after), fold=False)
    difference = next((each for each in found if each.path == path), None)
    if difference is None:
        raise KeyError(path)
    return _shown(difference, _lines(before, after, difference, ALONE_BYTES))


def _shown(each: Difference, lines: _Lines) -> Shown:
    looks = [line.look for hunk in lines.hunks for line in hunk.lines]
    return Shown(
        _WORDS[each.kind],
        _TONES[each.kind],
        file_paths.to_text(each.path),
        (*_notes(each), *lines.notes),
        each.packages,
        lines.hunks,
        looks.count("d"),
        looks.count("a"),
        lines.address,
    )


def _lines(before: str, after: str, each: Difference, room_bytes: int) -> _Lines:
    """The lines that differ where bytes of a file came, went or changed; a move took them along."""
    files = [entry for entry in (each.before, each.after) if entry is not None and entry.kind == "file"]
    if each.is_environment or each.kind == "moved" or not files:
        return _Lines()
    if len(files) == 2 and "content" not in each.aspects:
        return _Lines()
    size_bytes = sum(entry.size for entry in files)
    if size_bytes > ALONE_BYTES:
        return _Lines(notes=("too long to be compared line by line", *_digests(each)))
    if size_bytes > room_bytes:
        return _Lines(notes=("too long for this page", *_digests(each)), address=file_paths.to_address(each.path))
    old, new = _text(before, each.before), _text(after, each.after)
    if old is None or new is None:
        return _Lines(notes=("not text, or too many lines", *_digests(each)), used_bytes=size_bytes)
    return _Lines(tuple(hunks(old, new)), used_bytes=size_bytes)


def _text(digest: str, entry: Entry | None) -> str | None:
    """A file's text, "" for none; None when it is not text or has too many lines to compare."""
    if entry is None or entry.kind != "file":
        return ""
    try:
        with store().open(digest, entry.path) as file:
            data = file.read()
    except DamagedStore:
        return None
    is_text = file_text.text_of(data, is_whole=True) is not None
    return data.decode() if is_text and data.count(b"\n") <= LINES_MAX else None


def _notes(each: Difference) -> Iterator[str]:
    old, new = each.before, each.after
    if each.is_environment:
        deleted, changed, added = each.inside
        yield f"virtual environment: {deleted:,} paths deleted, {changed:,} changed, {added:,} new in it"
        if not each.packages:
            yield "no package was added, removed or updated"
    elif old is None or new is None:
        yield from _alone(old or new)
    else:
        if each.kind == "moved":
            yield f"was {file_paths.to_text(old.path)}, the same content"
        if "kind" in each.aspects:
            yield f"was a {_NOUNS[old.kind]}{_target(old)}, is a {_NOUNS[new.kind]}{_target(new)}"
        if "target" in each.aspects:
            yield f"link{_target(old)} before, now{_target(new)}"
        if "mode" in each.aspects:
            yield f"permissions {old.mode:o} before, now {new.mode:o}"


def _alone(entry: Entry | None) -> Iterator[str]:
    if entry is not None and entry.kind != "file":
        yield _NOUNS[entry.kind] + _target(entry)
    elif entry is not None:
        yield f"{entry.size:,} bytes, permissions {entry.mode:o}"


def _target(entry: Entry) -> str:
    return f" to {file_paths.to_text(entry.target or b'')}" if entry.kind == "link" else ""


def _digests(each: Difference) -> Iterator[str]:
    for word, entry in (("before", each.before), ("after", each.after)):
        if entry is not None and entry.kind == "file":
            yield f"{word} {entry.size:,} bytes, SHA-256 {entry.sha256}"
