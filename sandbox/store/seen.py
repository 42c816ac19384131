"""What files looked like when they were last read, so that an untouched one need not be read again.

Only a cache: losing it costs time. It also stores the times of last change, which a snapshot does not have, so that a
checkout restores them and compiled Python files stay valid.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes

# Kernel time stamps move in ticks of up to 10 ms. A file changed again within the tick of its stamp would look
# untouched, so a stamp this young is not trusted.
YOUNG_NS = 50_000_000
_MOST_KEPT = 256
_SHA256_DIGITS = 64


@dataclass(frozen=True)
class Stamp:
    """What stat says of a file, with the digest of the content it had then."""

    inode: int
    mtime_ns: int
    ctime_ns: int
    size: int
    sha256: str = ""

    @classmethod
    def of(cls, state: os.stat_result) -> Stamp:
        return cls(state.st_ino, state.st_mtime_ns, state.st_ctime_ns, state.st_size)

    def untrusted(self) -> Stamp:
        """A stamp with only its times, which matches no file."""
        return replace(self, inode=0)

    def is_of(self, state: os.stat_result) -> bool:
        """True if nothing can have changed; a program can set a file's mtime, but never its ctime."""
        return (
            self.inode == state.st_ino
            and self.ctime_ns == state.st_ctime_ns
            and self.mtime_ns == state.st_mtime_ns
            and self.size == state.st_size
        )


class Seen:
    """Stamps by the digest of the snapshot that they led to or came from."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def load(self, digest: str) -> dict[bytes, Stamp]:
        try:
            lines = (self._folder / digest).read_text("ascii").splitlines()
        except (OSError, UnicodeDecodeError):
            return {}
        try:
            return dict(_stamp(line) for line in lines)
        except ValueError:
            return {}  # it is not synced to the disk, so after a crash it may contain anything

    def save(self, digest: str, stamps: dict[bytes, Stamp]) -> None:
        lines = [
            f"{each.inode} {each.mtime_ns} {each.ctime_ns} {each.size} {each.sha256} {quote_from_bytes(path)}\n"
            for path, each in stamps.items()
        ]
        with tempfile.NamedTemporaryFile("w", dir=self._folder, prefix=".new-", delete=False) as file:
            file.writelines(lines)
        Path(file.name).rename(self._folder / digest)
        self._forget_old()

    def forget(self, digest: str) -> None:
        """Removes the stamps of a snapshot."""
        (self._folder / digest).unlink(missing_ok=True)

    def _forget_old(self) -> None:
        names = [entry for entry in os.scandir(self._folder) if not entry.name.startswith(".")]
        if len(names) > 2 * _MOST_KEPT:
            for entry in sorted(names, key=lambda each: each.stat().st_mtime_ns)[:-_MOST_KEPT]:
                Path(entry.path).unlink(missing_ok=True)


def _stamp(line: str) -> tuple[bytes, Stamp]:
    inode, mtime_ns, ctime_ns, size, sha256, path = line.split(" ")
    if len(sha256) != _SHA256_DIGITS:
        raise ValueError(line)
    name = unquote_to_bytes(path) if "%" in path else path.encode("ascii")
    return name, Stamp(int(inode), int(mtime_ns), int(ctime_ns), int(size), sha256)
