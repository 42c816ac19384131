"""Reading a zip file that anybody may have made: everything is checked before a byte of it is unpacked."""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

from agents.record.errors import WorkspaceRefused
from agents.workspaces import file_paths

FIELD = "files"
MEMBERS_MAX = 10_000
FILE_MAX_BYTES = 256 << 20
TOTAL_MAX_BYTES = 512 << 20
# Text compresses 3 to 20 times; a bomb of zeros about 1,000 times. Small files are let off: 1 MiB of zeros is harmless.
RATIO_MAX = 200
RATIO_FREE_BYTES = 1 << 20

_ENCRYPTED = 0x1
_UTF8_NAME = 0x800
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    UnicodeError,
    ValueError,
    OSError,
)


class Archive:
    """A zip whose members have all been checked. `files` are the paths to write, folders are implied by them."""

    def __init__(self, source: zipfile.ZipFile) -> None:
        """Check every member. Raises WorkspaceRefused naming the first one that is refused."""
        self._zip = source
        self._members: dict[bytes, zipfile.ZipInfo] = {}
        infos = source.infolist()
        if len(infos) > MEMBERS_MAX:
            raise WorkspaceRefused(FIELD, f"The zip holds {len(infos):,} entries; {MEMBERS_MAX:,} is the most.")
        folders: set[bytes] = set()
        for info in infos:
            path = _path_of(info)
            if info.is_dir():
                folders.add(path)
                continue
            _check(info, path)
            if path in self._members:
                raise WorkspaceRefused(FIELD, f"The zip holds {_named(path)} twice. Keep one of them.")
            self._members[path] = info
        self._check_total()
        self._check_folders(folders)

    @property
    def files(self) -> list[bytes]:
        """The paths of the files, in the order of the zip."""
        return list(self._members)

    @property
    def size_bytes(self) -> int:
        """What they take when unpacked. zipfile never delivers more than a member declares."""
        return sum(info.file_size for info in self._members.values())

    def open(self, path: bytes) -> BinaryIO:
        """A file's content, from the start."""
        return cast(BinaryIO, self._zip.open(self._members[path]))

    def _check_total(self) -> None:
        if not self._members:
            raise WorkspaceRefused(FIELD, "The zip holds no files.")
        if self.size_bytes > TOTAL_MAX_BYTES:
            raise WorkspaceRefused(
                FIELD, f"The zip unpacks to {self.size_bytes:,} bytes; {TOTAL_MAX_BYTES:,} is the most."
            )
        packed = sum(info.compress_size for info in self._members.values())
        if _is_bomb(self.size_bytes, packed):
            raise WorkspaceRefused(
                FIELD, f"The zip unpacks to more than {RATIO_MAX} times its size. It looks like a bomb."
            )

    def _check_folders(self, folders: set[bytes]) -> None:
        for path in self._members:
            parts = path.split(b"/")
            folders.update(b"/".join(parts[:depth]) for depth in range(1, len(parts)))
        both = next((path for path in self._members if path in folders), None)
        if both is not None:
            raise WorkspaceRefused(FIELD, f"In the zip {_named(both)} is a file and a folder at once.")


@contextmanager
def opened(source: BinaryIO) -> Iterator[Archive]:
    """The checked archive; WorkspaceRefused when it is not a readable zip, also while its files are read."""
    try:
        with zipfile.ZipFile(source) as zipped:
            yield Archive(zipped)
    except _BROKEN as error:
        raise WorkspaceRefused(FIELD, f"This is not a zip file that can be read whole: {str(error)[:200]}.") from error


def _path_of(info: zipfile.ZipInfo) -> bytes:
    """The member's own bytes as a checked path. zipfile reads names without the UTF-8 flag as code page 437."""
    raw = info.orig_filename
    data = raw.encode("utf-8", "surrogateescape") if info.flag_bits & _UTF8_NAME else raw.encode("cp437")
    if info.is_dir():
        data = data.removesuffix(b"/")
    return file_paths.checked(data, FIELD)


def _check(info: zipfile.ZipInfo, path: bytes) -> None:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        raise WorkspaceRefused(FIELD, f"{_named(path)} is a symbolic link. Links are not unpacked; leave it out.")
    if kind not in (0, stat.S_IFREG):
        raise WorkspaceRefused(FIELD, f"{_named(path)} is neither a file nor a folder. Leave it out.")
    if info.flag_bits & _ENCRYPTED:
        raise WorkspaceRefused(FIELD, f"{_named(path)} is encrypted. Pack the zip without a password.")
    if info.file_size > FILE_MAX_BYTES:
        raise WorkspaceRefused(FIELD, f"{_named(path)} has {info.file_size:,} bytes; {FILE_MAX_BYTES:,} is the most.")
    if _is_bomb(info.file_size, info.compress_size):
        raise WorkspaceRefused(
            FIELD, f"{_named(path)} unpacks to more than {RATIO_MAX} times its size. It looks like a bomb."
        )


def _is_bomb(size_bytes: int, packed_bytes: int) -> bool:
    return size_bytes > RATIO_FREE_BYTES and size_bytes > RATIO_MAX * max(packed_bytes, 1)


def _named(path: bytes) -> str:
    return f"“{file_paths.to_text(path)[:120]}”"
