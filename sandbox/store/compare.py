"""The changes of a workspace between two snapshots, for a reader. Pure, from manifests and texts.

The most dangerous changes come first: deleted, moved, changed, new. Virtual environments are shown as packages with a
count of the paths that differ inside, because nobody reads two thousand files of pip.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

from sandbox.store.manifest import Entry

ORDER = ("deleted", "moved", "changed", "added")
AROUND = 3
_VENV = b"/pyvenv.cfg"
_DISTRIBUTION = re.compile(rb"(?:\A|/)site-packages/([A-Za-z0-9._]+)-([^-/]+)\.dist-info(?:/|\Z)")


@dataclass(frozen=True)
class PackageChange:
    """A distribution in a virtual environment: its version before and after, None where it is not there."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Difference:
    """What became of one path, or of one virtual environment.

    `kind` is one of ORDER. A move has the old path in `before` and the new one in `path`. Of an environment, `inside`
    counts the paths below it that were deleted, changed and added, packages or not.
    """

    kind: str
    path: bytes
    before: Entry | None
    after: Entry | None
    is_environment: bool = False
    packages: tuple[PackageChange, ...] = ()
    inside: tuple[int, int, int] = (0, 0, 0)

    @property
    def aspects(self) -> tuple[str, ...]:
        """What has changed, if the path exists before and after: kind, content, target, mode."""
        old, new = self.before, self.after
        if old is None or new is None:
            return ()
        if old.kind != new.kind:
            return ("kind",)
        differs = {
            "content": old.sha256 != new.sha256,
            "target": old.target != new.target,
            "mode": old.mode != new.mode,
        }
        return tuple(name for name, is_so in differs.items() if is_so)


@dataclass(frozen=True)
class Line:
    """One line of a hunk. `look`: "d" deleted, "a" added, "" the same. Numbers count from 1.

    `is_open`: the file ends with this line and without a line feed.
    """

    look: str
    old: int | None
    new: int | None
    text: str
    is_open: bool = False


@dataclass(frozen=True)
class Hunk:
    """Neighbouring lines; `skipped` lines before them (`skipped_after` after the last one) are unchanged."""

    skipped: int
    lines: tuple[Line, ...]
    skipped_after: int = 0


def compare(before: Iterable[Entry], after: Iterable[Entry], *, fold: bool = True) -> list[Difference]:
    """Everything that differs, sorted as ORDER and then by path. `fold` shows environments as packages.

    A folder is listed only if nothing inside it is listed.
    """
    old = {entry.path: entry for entry in before}
    new = {entry.path: entry for entry in after}
    gone = {path: old[path] for path in old.keys() - new.keys()}
    come = {path: new[path] for path in new.keys() - old.keys()}
    changed = {path: (old[path], new[path]) for path in old.keys() & new.keys() if old[path] != new[path]}
    told: list[Difference] = []
    if fold:
        told += _environments(old, new, gone, come, changed)
    told += _moves(gone, come)
    told += [Difference("deleted", path, entry, None) for path, entry in _not_implied(gone)]
    told += [Difference("changed", path, *pair) for path, pair in changed.items()]
    told += [Difference("added", path, None, entry) for path, entry in _not_implied(come)]
    return sorted(told, key=lambda each: (ORDER.index(each.kind), each.path))


def hunks(old: str, new: str) -> list[Hunk]:
    """The lines that differ with `AROUND` lines on each side; in each run of changes deletions come first.

    Lines end only at line feeds, so that no other separator hides a line end.
    """
    before, after = _lines_of(old), _lines_of(new)
    # Common lines at both ends are cheap to find here, and expensive for the matcher.
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    middle = SequenceMatcher(None, before[head : len(before) - tail], after[head : len(after) - tail])
    blocks = [(tag, i1 + head, i2 + head, j1 + head, j2 + head) for tag, i1, i2, j1, j2 in middle.get_opcodes()]
    runs = [block for block in blocks if block[0] != "equal"]
    groups: list[list[tuple[str, int, int, int, int]]] = []
    for run in runs:
        if groups and run[1] - groups[-1][-1][2] <= 2 * AROUND:
            groups[-1].append(run)
        else:
            groups.append([run])
    found, shown = [], 0
    for group in groups:
        first, last = max(group[0][1] - AROUND, shown), min(group[-1][2] + AROUND, len(before))
        found.append(Hunk(first - shown, tuple(_hunk(before, after, group, first, last))))
        shown = last
    if found:
        found[-1] = replace(found[-1], skipped_after=len(before) - shown)
    return found


def _hunk(
    before: Sequence[str], after: Sequence[str], group: Sequence[tuple[str, int, int, int, int]], first: int, last: int
) -> Iterator[Line]:
    at, shift = first, group[0][3] - group[0][1]
    for _, old_from, old_to, new_from, new_to in group:
        yield from (_line("", number + 1, number + 1 + shift, before[number]) for number in range(at, old_from))
        yield from (_line("d", number + 1, None, before[number]) for number in range(old_from, old_to))
        yield from (_line("a", None, number + 1, after[number]) for number in range(new_from, new_to))
        at, shift = old_to, new_to - old_to
    yield from (_line("", number + 1, number + 1 + shift, before[number]) for number in range(at, last))


def _lines_of(text: str) -> list[str]:
    """Lines with their line feeds, which the last one may lack."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _line(look: str, old: int | None, new: int | None, text: str) -> Line:
    return Line(look, old, new, text.removesuffix("\n"), not text.endswith("\n"))


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for mine, its in zip(one, other, strict=False):
        if mine != its:
            break
        count += 1
    return count


def _moves(gone: dict[bytes, Entry], come: dict[bytes, Entry]) -> Iterator[Difference]:
    """Takes moved files (removed and added with the same content) out of both lists; empty files do not count.

    Files with the same name are paired first, so that a moved folder reads as one.
    """
    for key in (_content_and_name, _content):
        sources: dict[tuple[str, bytes], list[bytes]] = {}
        for path in sorted(gone, reverse=True):
            if gone[path].sha256 and gone[path].size:
                sources.setdefault(key(gone[path]), []).append(path)
        for path in sorted(come):
            if candidates := sources.get(key(come[path])):
                yield Difference("moved", path, gone.pop(candidates.pop()), come.pop(path))


def _content_and_name(entry: Entry) -> tuple[str, bytes]:
    return entry.sha256 or "", entry.path.rpartition(b"/")[2]


def _content(entry: Entry) -> tuple[str, bytes]:
    return entry.sha256 or "", b""


def _not_implied(entries: Mapping[bytes, Entry]) -> Iterator[tuple[bytes, Entry]]:
    above = {path[:at] for path in entries for at in _slashes(path)}
    return ((path, entry) for path, entry in entries.items() if entry.kind != "dir" or path not in above)


def _slashes(path: bytes) -> Iterator[int]:
    return (at for at, byte in enumerate(path) if byte == 0x2F)


def _environments(
    old: Mapping[bytes, Entry],
    new: Mapping[bytes, Entry],
    gone: dict[bytes, Entry],
    come: dict[bytes, Entry],
    changed: dict[bytes, tuple[Entry, Entry]],
) -> Iterator[Difference]:
    """One difference for everything below each outermost environment, which is removed from the three lists."""
    venvs = frozenset(path[: -len(_VENV)] for path in (*old, *new) if path.endswith(_VENV))
    counts: dict[bytes, list[int]] = {}
    columns: tuple[dict[bytes, Any], ...] = (gone, changed, come)
    for column, paths in enumerate(columns):
        for path in list(paths):
            if (venv := _environment(path, venvs)) is not None:
                counts.setdefault(venv, [0, 0, 0])[column] += 1
                del paths[path]
    mine, its = _packages(old, venvs), _packages(new, venvs)
    for venv, (deleted, differ, added) in counts.items():
        was, is_now = venv + _VENV in old, venv + _VENV in new
        kind = "changed" if was and is_now else "deleted" if was else "added"
        packages = _changed_packages(mine.get(venv, {}), its.get(venv, {}))
        yield Difference(kind, venv, old.get(venv), new.get(venv), True, packages, (deleted, differ, added))


def _environment(path: bytes, venvs: Set[bytes]) -> bytes | None:
    """The outermost environment that a path is, or is in."""
    return next((above for at in (*_slashes(path), len(path)) if (above := path[:at]) in venvs), None)


def _packages(entries: Iterable[bytes], venvs: Set[bytes]) -> dict[bytes, dict[str, str]]:
    """For each environment, the installed packages with versions, from the names of the metadata folders."""
    found: dict[bytes, dict[str, str]] = {}
    for path in entries:
        match = _DISTRIBUTION.search(path) if venvs else None
        venv = _environment(path, venvs) if match else None
        if match and venv is not None:
            found.setdefault(venv, {})[match[1].decode("ascii")] = match[2].decode("utf-8", "backslashreplace")
    return found


def _changed_packages(mine: Mapping[str, str], its: Mapping[str, str]) -> tuple[PackageChange, ...]:
    """Removed ones, then those with another version, then new ones."""
    found = [
        PackageChange(name, mine.get(name), its.get(name))
        for name in sorted(mine.keys() | its.keys(), key=str.lower)
        if mine.get(name) != its.get(name)
    ]
    return tuple(sorted(found, key=lambda each: (each.after is not None, each.before is None)))
