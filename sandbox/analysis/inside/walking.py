"""Which files to analyse, and which are skipped, with the reason."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field

MOST_FILES = 20_000
MOST_BYTES = 256 << 20
MOST_FILE_BYTES = 1 << 20
_EXAMPLES = 3
_LOOKED_AT_FIRST = 8192
# Third-party or generated folders: counted, never read.
_FOREIGN = frozenset(
    {
        *(".git", ".hg", ".svn", ".tox", ".nox", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".eggs"),
        *("__pycache__", "node_modules", "site-packages"),
    }
)
_KINDS = {
    **dict.fromkeys((".py", ".pyi"), "Python"),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), "JavaScript"),
    **dict.fromkeys((".ts", ".tsx"), "TypeScript"),
    **dict.fromkeys((".html", ".htm", ".jinja", ".j2"), "HTML"),
    **dict.fromkeys((".css", ".scss", ".less"), "CSS"),
    **dict.fromkeys((".md", ".rst", ".txt"), "Text"),
    **dict.fromkeys((".json", ".toml", ".yaml", ".yml", ".ini", ".cfg", ".xml"), "Settings and data"),
    **dict.fromkeys((".c", ".h", ".cc", ".cpp", ".hpp", ".pyx", ".pxd"), "C and C++"),
    **dict.fromkeys((".sh", ".bash", ".ps1", ".bat"), "Shell"),
    **dict.fromkeys((".sql",), "SQL"),
    **dict.fromkeys((".rs",), "Rust"),
    **dict.fromkeys((".go",), "Go"),
    **dict.fromkeys((".java", ".kt"), "Java and Kotlin"),
}


@dataclass(frozen=True)
class Source:
    """A file of text. `path` is relative to the workspace, as the file system spells it."""

    path: str
    kind: str
    content: bytes = field(repr=False)

    @property
    def is_python(self) -> bool:
        return self.kind == "Python"

    @property
    def is_test(self) -> bool:
        """Whether it is a test, judging by its name and folders."""
        *folders, name = self.path.split("/")
        named = name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py"
        return named or not {"test", "tests", "testing"}.isdisjoint(folders)


@dataclass
class LeftOut:
    """What was skipped: by reason, how many, and a few of them."""

    counts: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, why: str, path: str) -> None:
        self.counts[why] = self.counts.get(why, 0) + 1
        shown = self.examples.setdefault(why, [])
        if len(shown) < _EXAMPLES:
            shown.append(path)


def sources(place: str, left_out: LeftOut) -> Iterator[Source]:
    """The files of text below `place`, relative to the current folder ("" is all of it), in the order of their paths.

    No link is followed. Raises FileNotFoundError, and NotADirectoryError for what is neither file nor folder.
    """
    kind = os.lstat(place or ".").st_mode
    if stat.S_ISREG(kind):
        paths = iter([place])
    elif stat.S_ISDIR(kind):
        paths = _files(place, left_out)
    else:
        raise NotADirectoryError(place)
    count = taken = 0
    for path in paths:
        if count == MOST_FILES or taken > MOST_BYTES:
            left_out.add("more than is looked at in one go", path)
            continue
        content = _content(path, left_out)
        if content is not None:
            count, taken = count + 1, taken + len(content)
            yield Source(path, kind_of(path, content), content)


def kind_of(path: str, content: bytes) -> str:
    """The kind of a text file, by its ending, else by its first line."""
    ending = os.path.splitext(path)[1].lower()
    if not ending and content.startswith(b"#!") and b"python" in content[:80].split(b"\n")[0]:
        return "Python"
    return _KINDS.get(ending, "Other text")


def _files(folder: str, left_out: LeftOut) -> Iterator[str]:
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(here or ".") as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            left_out.add("folders that cannot be read", here)
            continue
        if here != folder and any(entry.name == "pyvenv.cfg" for entry in found):
            left_out.add("virtual environments", here)
            continue
        folders = []
        for entry in found:
            path = f"{here}/{entry.name}" if here else entry.name
            if entry.is_symlink():
                left_out.add("links", path)
            elif entry.is_dir(follow_symlinks=False):
                if entry.name in _FOREIGN:
                    left_out.add("folders that programs made", path)
                else:
                    folders.append(path)
            elif entry.is_file(follow_symlinks=False):
                yield path
            else:
                left_out.add("neither files nor folders", path)
        waiting += reversed(folders)


def _content(path: str, left_out: LeftOut) -> bytes | None:
    """The whole file, or None with the reason noted. Does not wait for a FIFO or follow a link that just appeared."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        left_out.add("files that cannot be read", path)
        return None
    with open(descriptor, "rb") as file:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode):
            left_out.add("neither files nor folders", path)
            return None
        if state.st_size > MOST_FILE_BYTES:
            left_out.add(f"files above {MOST_FILE_BYTES >> 20} MiB", path)
            return None
        content = file.read(MOST_FILE_BYTES + 1)
    if b"\0" in content[:_LOOKED_AT_FIRST]:
        left_out.add("files that are no text", path)
        return None
    return content
