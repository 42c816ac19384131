"""A snapshot's manifest: every path of a workspace with everything needed to restore it. Pure.

The text is canonical (sorted by path bytes, one entry a line), so its SHA-256 names the state of a workspace:
equal states have equal digests, whoever took them.

    mindx-manifest 1
    dir 755 src
    file 644 12 <sha256> src/app.py
    link src/latest app.py

Paths and link targets are percent-encoded bytes, so any name survives.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote_from_bytes, unquote_to_bytes

_HEADER = "mindx-manifest 1"
_PLAIN = re.compile(rb"[A-Za-z0-9._/+@=,-]+")
_SHA256 = re.compile(r"[0-9a-f]{64}")
# A line for a file or a folder whose name needs no escaping: nearly all of them, and a state has thousands.
_FILE = re.compile(r"file ([0-7]{1,3}) ([0-9]+) ([0-9a-f]{64}) ([^ %]*)")
_DIR = re.compile(r"dir ([0-7]{1,3}) ([^ %]*)")


class BadManifest(ValueError):
    """The text is not a manifest, or could lead outside its folder."""


@dataclass(frozen=True)
class Entry:
    """One path: a file with its content's digest, a folder, or a link with its target."""

    path: bytes
    kind: str
    mode: int
    sha256: str | None = None
    size: int = 0
    target: bytes | None = None


@dataclass(frozen=True)
class Change:
    """The change of one path between two snapshots."""

    path: bytes
    kind: str
    before: Entry | None
    after: Entry | None


def render(entries: Iterable[Entry]) -> bytes:
    """The canonical text of entries in any order."""
    lines = [_HEADER, *(_line(entry) for entry in sorted(entries, key=lambda each: each.path))]
    return ("\n".join(lines) + "\n").encode("ascii")


def digest_of(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


EMPTY_TEXT = render(())
EMPTY = digest_of(EMPTY_TEXT)


def parse(text: bytes) -> list[Entry]:
    """The entries of a manifest, sorted by path. Raises BadManifest for anything that `render` would not write."""
    try:
        lines = text.decode("ascii").split("\n")
    except UnicodeDecodeError as error:
        raise BadManifest("not ASCII") from error
    if lines[0] != _HEADER or lines[-1] != "":
        raise BadManifest("no manifest of a known version")
    entries = [_entry(line) for line in lines[1:-1]]
    check(entries)
    return entries


def check(entries: list[Entry]) -> None:
    """Raises BadManifest unless paths are plain, sorted, unique, and each is in a listed folder."""
    folders = {b""}
    last = b""
    for entry in entries:
        if entry.path <= last:
            raise BadManifest("paths are not in order")
        last = entry.path
        above, _, name = entry.path.rpartition(b"/")
        if entry.path.startswith(b"/") or name in (b"", b".", b"..") or b"\0" in name or above not in folders:
            raise BadManifest("a path does not lie in a folder of the manifest")
        if entry.kind == "dir":
            folders.add(entry.path)


def compare(before: Iterable[Entry], after: Iterable[Entry]) -> list[Change]:
    """What changed, deletions first, because a reader must not miss them."""
    old = {entry.path: entry for entry in before}
    new = {entry.path: entry for entry in after}
    deleted = [Change(path, "deleted", old[path], None) for path in sorted(old.keys() - new.keys())]
    changed = [Change(path, "changed", old[path], new[path]) for path in sorted(old) if _differs(path, old, new)]
    added = [Change(path, "added", None, new[path]) for path in sorted(new.keys() - old.keys())]
    return deleted + changed + added


def _differs(path: bytes, old: dict[bytes, Entry], new: dict[bytes, Entry]) -> bool:
    return path in new and old[path] != new[path]


def _line(entry: Entry) -> str:
    path = _quote(entry.path)
    if entry.kind == "file":
        return f"file {entry.mode:o} {entry.size} {entry.sha256} {path}"
    if entry.kind == "dir":
        return f"dir {entry.mode:o} {path}"
    return f"link {path} {_quote(entry.target or b'')}"


def _entry(line: str) -> Entry:
    if found := _FILE.fullmatch(line):
        mode, size, sha256, path = found.groups()
        return Entry(path.encode(), "file", int(mode, 8), sha256, int(size))
    if found := _DIR.fullmatch(line):
        mode, path = found.groups()
        return Entry(path.encode(), "dir", int(mode, 8))
    match line.split(" "):
        case ["file", mode, size, sha256, path] if _SHA256.fullmatch(sha256) and size.isdecimal():
            return Entry(unquote_to_bytes(path), "file", _mode(mode), sha256, int(size))
        case ["dir", mode, path]:
            return Entry(unquote_to_bytes(path), "dir", _mode(mode))
        case ["link", path, target]:
            return Entry(unquote_to_bytes(path), "link", 0o777, target=unquote_to_bytes(target))
    raise BadManifest(f"a line that says nothing: {line[:80]!r}")


def _mode(text: str) -> int:
    mode = int(text, 8) if re.fullmatch(r"[0-7]{1,3}", text) else -1
    if mode < 0:
        raise BadManifest(f"no permissions: {text[:20]!r}")
    return mode


def _quote(data: bytes) -> str:
    return data.decode("ascii") if _PLAIN.fullmatch(data) else quote_from_bytes(data)
