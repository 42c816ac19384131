"""Paths, links and archives: towards files of the host."""

# ruff: noqa: PTH115, PTH119, PTH120, PTH208, PTH211
# The system's own calls, as an attacker makes them.
from __future__ import annotations

import io
import os
import tarfile
import zlib
from pathlib import Path

from .row import Place, Row


def _text(path: str) -> str:
    return Path(path).read_text()


def _own_file(_: Place) -> object:
    Path("own").write_text("x")
    return _text("own")


def _write(path: str) -> object:
    """True when a file could be made there; it is removed again."""
    with open(path, "x"):
        pass
    Path(path).unlink()
    return True


def _lists_secret(at: Place) -> object:
    folder, name = os.path.split(at.secret)
    return name in os.listdir(folder)


def _through_link(target: str, name: str = "way") -> str:
    os.symlink(target, name)
    return _text(name)


def _own_link(_: Place) -> object:
    Path("mine").write_text("x")
    return _through_link("mine", "to-mine")


def _hard_link(at: Place) -> object:
    os.link(at.secret, "second-name")
    return _text("second-name")


def _own_hard_link(_: Place) -> object:
    Path("mine").write_text("x")
    os.link("mine", "also-mine")
    return _text("also-mine")


def _folder_link(at: Place) -> object:
    os.symlink("../" * 40, "up")
    return _text("up/" + at.secret)


def _planting_link(at: Place) -> object:
    os.symlink(os.path.dirname(at.planted), "out")
    Path("out", os.path.basename(at.planted)).write_text("x")
    return False


PATHS = [
    Row("path", "read a host file by its path", lambda at: _text(at.secret), _own_file),
    Row("path", "read a host file by going up", lambda at: _text("../" * 40 + at.secret), _own_file),
    Row("path", "list a host folder", _lists_secret, lambda _: os.listdir(".") is not None),
    Row("path", "write into a system folder", lambda _: _write("/usr/mindx-escape"), _own_file, needs="root"),
    Row("path", "write into the root folder", lambda _: _write("/mindx-escape"), _own_file, needs="root"),
    Row("path", "write into /etc", lambda _: _write("/etc/mindx-escape"), _own_file, needs="root"),
    Row("link", "read a host file through a link", lambda at: _through_link(at.secret), _own_link),
    Row("link", "give a host file a second name", _hard_link, _own_hard_link),
    Row("link", "read a host file through a linked folder", _folder_link, _own_link),
    Row("link", "write a host file through a linked folder", _planting_link, _own_link),
    Row("link", "go through the link to another process's root",
        lambda at: _text(f"/proc/{at.peer}/root{at.secret}"), lambda _: os.readlink("/proc/self/exe")),
    Row("link", "go through the link to another process's folder",
        lambda at: _text(f"/proc/{at.peer}/cwd/{os.path.basename(at.secret)}"),
        lambda _: os.readlink("/proc/self/cwd")),
]  # fmt: skip


def _unpack(*members: tuple[str, str, bytes]) -> object:
    """Unpacks an archive of (name, link target or "", content) in the current folder, believing every name."""
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        for name, target, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            if target:
                info.type, info.linkname = tarfile.SYMTYPE, target
            archive.addfile(info, io.BytesIO(content))
    held.seek(0)
    with tarfile.open(fileobj=held) as archive:
        if hasattr(tarfile, "fully_trusted_filter"):
            archive.extraction_filter = staticmethod(tarfile.fully_trusted_filter)
        archive.extractall()
    return False


def _own_archive(_: Place) -> object:
    _unpack(("folder/file", "", b"x"))
    return _text("folder/file")


def _up(at: Place) -> str:
    return "../" * 40 + at.planted.lstrip("/")


def _link_then_file(at: Place) -> object:
    folder, name = os.path.split(at.planted)
    return _unpack(("way", folder, b""), (f"way/{name}", "", b"x"))


def _two_links_then_file(at: Place) -> object:
    folder, name = os.path.split(at.planted)
    return _unpack(("up", "../" * 40, b""), ("way", "up/" + folder.lstrip("/"), b""), (f"way/{name}", "", b"x"))


def _link_to_secret(at: Place) -> object:
    _unpack(("way", at.secret, b""))
    return _text("way")


def _bomb(_: Place) -> object:
    packed = zlib.compress(bytes(12 << 20))
    Path("unpacked").write_bytes(zlib.decompress(packed))
    return Path("unpacked").stat().st_size == 12 << 20


ARCHIVES = [
    Row("archive", "unpack an absolute name", lambda at: _unpack((at.planted, "", b"x")), _own_archive),
    Row("archive", "unpack a name that goes up", lambda at: _unpack((_up(at), "", b"x")), _own_archive),
    Row("archive", "unpack a link, then a file through it", _link_then_file, _own_archive),
    Row("archive", "unpack links one through the other", _two_links_then_file, _own_archive),
    Row("archive", "read through an unpacked link", _link_to_secret, _own_archive),
    Row("archive", "unpack far more than was packed", _bomb, _own_archive, alone=True),
]

ROWS = [*PATHS, *ARCHIVES]
