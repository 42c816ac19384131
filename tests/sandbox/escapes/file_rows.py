"""Attempts on the file commands: what lies in the workspace, what is asked for, and how plain Python falls for it."""

# ruff: noqa: PTH208
# The system's own calls, as an attacker makes them.
from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.contract import Request

SECRET = "the host's secret"
# What no answer may hold: the secret, the names beside it, and what a process's own files in /proc hold.
GIVEN_AWAY = (SECRET, "victim", "NoNewPrivs", "oom_score_adj")


@dataclass(frozen=True)
class Ground:
    """A workspace beside the things an attempt wants: a secret, a victim to remove, a folder to write in."""

    root: Path
    secret: Path
    victim: Path
    outside: Path

    def untouched(self) -> bool:
        return self.secret.read_text() == SECRET and self.victim.exists() and not any(self.outside.iterdir())


def ground(folder: Path) -> Ground:
    made = Ground(folder / "workspace", folder / "host" / "secret", folder / "host" / "victim", folder / "host" / "new")
    for each in (made.root, made.outside):
        each.mkdir(parents=True)
    made.secret.write_text(SECRET)
    made.victim.write_text("x")
    return made


def _nothing(_: Ground) -> None:
    pass


@dataclass(frozen=True)
class FileRow:
    """`naive` is what plain Python would do with `path` joined to the root; its answer, or what it did, is the proof.

    `control` is a request of the same kind that has to succeed. `races`: `arrange` leaves two names in the
    workspace, "still" and "moving", that change places all the time while the command is given many times.
    """

    kind: str
    name: str
    request: Request
    naive: Callable[[Ground, Path], object]
    control: Request
    arrange: Callable[[Ground], object] = _nothing
    expect: Mapping[str, str] = field(default_factory=lambda: {"L3": "held"})
    races: bool = False

    @property
    def title(self) -> str:
        return f"{self.kind}: {self.name}"


def _ask(command: str, path: str, **more: object) -> Request:
    return Request(command, {"path": path} | more)


def _read(_: Ground, path: Path) -> object:
    with open(path, "rb") as file:
        return file.read(1 << 20)


def _list(_: Ground, path: Path) -> object:
    return " ".join(os.listdir(path))


def _write(_: Ground, path: Path) -> object:
    return path.write_text("overwritten") and None


def _append(_: Ground, path: Path) -> object:
    with path.open("a") as file:
        return file.write("more") and None


def _remove(_: Ground, path: Path) -> object:
    path.unlink()
    return None


def _make(_: Ground, path: Path) -> object:
    path.mkdir()
    return None


def _copy_environment(_: Ground, path: Path) -> object:
    path.mkdir()
    return (path / "pyvenv.cfg").write_text("x") and None


READ, LIST, MAKE = _ask("read", "own"), _ask("ls", "."), _ask("mkdir", "made")
WRITE = _ask("write", "own", content="mine")
REMOVE = _ask("rm", "own")
COPY, MOVE = _ask("cp", "own", to="copied"), _ask("mv", "own", to="moved")
FIND, SEARCH = _ask("find", ".", pattern="own"), _ask("grep", ".", text="mine")

PATHS = [
    FileRow("path", "read by going up", _ask("read", "../host/secret"), _read, READ),
    FileRow("path", "read by going up past the middle", _ask("read", "a/b/../../../host/secret"), _read, READ,
            lambda at: (at.root / "a" / "b").mkdir(parents=True)),
    FileRow("path", "list what lies above", _ask("ls", "../host"), _list, LIST),
    FileRow("path", "write by going up", _ask("write", "../host/new/x", content="x"), _write, WRITE),
    FileRow("path", "make a folder by going up", _ask("mkdir", "../host/new/x"), _make, MAKE),
    FileRow("path", "remove by going up", _ask("rm", "../host/victim"), _remove, REMOVE),
]  # fmt: skip


def _to(*parts: str) -> Callable[[Ground], object]:
    """A link "way" to something beside the workspace."""
    return lambda at: (at.root / "way").symlink_to(at.root.parent.joinpath(*parts))


LINKS = [
    FileRow("link", "read through a link", _ask("read", "way"), _read, READ, _to("host", "secret")),
    FileRow("link", "read through a linked folder", _ask("read", "way/secret"), _read, READ, _to("host")),
    FileRow("link", "write through a linked folder", _ask("write", "way/x", content="x"), _write, WRITE,
            _to("host", "new")),
    FileRow("link", "make a folder through a linked one", _ask("mkdir", "way/x"), _make, MAKE, _to("host", "new")),
    FileRow("link", "remove through a linked folder", _ask("rm", "way/victim"), _remove, REMOVE, _to("host")),
    FileRow("link", "list a linked folder", _ask("ls", "way"), _list, LIST, _to("host")),
]  # fmt: skip


def _to_itself(at: Ground) -> None:
    (at.root / "way").symlink_to("/proc/self")


PROC = [
    FileRow("proc", "read the reader's own state through a link", _ask("read", "way/status"), _read, READ, _to_itself),
    FileRow("proc", "list what the reader holds through a link", _ask("ls", "way"), _list, LIST, _to_itself),
    FileRow(
        "proc",
        "copy the reader's own state through a link",
        _ask("cp", "way/status", to="copied"),
        _read,
        COPY,
        _to_itself,
    ),
    FileRow(
        "proc",
        "move the reader's own state through a link",
        _ask("mv", "way/status", to="moved"),
        _read,
        MOVE,
        _to_itself,
    ),
    FileRow(
        "proc",
        "search the reader's own state through a link",
        _ask("grep", "way/status", text="Privs"),
        _read,
        SEARCH,
        _to_itself,
    ),
    FileRow("proc", "find names in the reader's own state", _ask("find", "way", pattern="*"), _list, FIND, _to_itself),
]


def _swapped(*parts: str, file: str = "") -> Callable[[Ground], object]:
    """A folder of the workspace and a link to the host, both of which hold the name that is asked for."""

    def arrange(at: Ground) -> None:
        (at.root / "still").mkdir()
        if file:
            (at.root / "still" / file).write_text("harmless")
        (at.root / "moving").symlink_to(at.root.parent.joinpath(*parts))

    return arrange


def _copy_in(_: Ground, path: Path) -> object:
    return path.with_name("still").joinpath("secret").write_text("x") and None


def _swapped_file(at: Ground) -> None:
    (at.root / "still").write_text("harmless")
    (at.root / "moving").symlink_to(at.secret)


RACES = [
    FileRow("race", "read below a folder that becomes a link", _ask("read", "still/secret"), _read, READ,
            _swapped("host", file="secret"), races=True),
    FileRow("race", "search below a folder that becomes a link", _ask("grep", "still/secret", text="secret"), _read,
            SEARCH, _swapped("host", file="secret"), races=True),
    FileRow("race", "list a folder that becomes a link",
        _ask("ls", "still"), _list, LIST, _swapped("host"), races=True),
    FileRow("race", "copy into a folder that becomes a link",
        _ask("cp", "own", to="still/secret", overwrite=True), _copy_in, COPY, _swapped("host"), races=True),
    FileRow("race", "write a file that becomes a link", _ask("write", "still", content="x"), _write, WRITE,
            _swapped_file, races=True),
    FileRow("race", "remove below a folder that becomes a link", _ask("rm", "still/victim"), _remove, REMOVE,
            _swapped("host"), races=True),
]  # fmt: skip


def _hard_link(at: Ground) -> None:
    os.link(at.secret, at.root / "second")


def _source_and_hard_link(at: Ground) -> None:
    _hard_link(at)
    (at.root / "source").write_text("x")


def _copy_over(_: Ground, path: Path) -> object:
    return shutil.copyfile(path, path.with_name("second")) and None


INODES = [
    FileRow("inode", "overwrite a file by its second name",
        _ask("write", "second", content="x"), _write, WRITE, _hard_link),
    FileRow("inode", "add to a file by its second name", _ask("write", "second", content="x", mode="append"), _append,
            WRITE, _hard_link),
    FileRow("inode", "copy over a file by its second name", _ask("cp", "source", to="second", overwrite=True),
            _copy_over, COPY, _source_and_hard_link),
]  # fmt: skip


def _fifo(at: Ground) -> None:
    os.mkfifo(at.root / "special")


def _plug(at: Ground) -> None:
    """A socket of the workspace, made below a short name: an address has room for 107 bytes."""
    folder = os.open(at.root, os.O_RDONLY | os.O_DIRECTORY)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"/proc/self/fd/{folder}/special")
    os.close(folder)


SPECIALS = [
    FileRow("device", "read a FIFO, which waits for ever", _ask("read", "special"), _read, READ, _fifo),
    FileRow("device", "write a FIFO, which waits for ever",
        _ask("write", "special", content="x"), _write, WRITE, _fifo),
    FileRow("device", "add to a FIFO, which waits for ever", _ask("write", "special", content="x", mode="append"),
            _append, WRITE, _fifo),
    FileRow("device", "copy a FIFO, which waits for ever", _ask("cp", "special", to="copied"), _read, COPY, _fifo),
    FileRow("device", "search a FIFO, which waits for ever", _ask("grep", "special", text="x"), _read, SEARCH, _fifo),
]  # fmt: skip


def _large(at: Ground) -> None:
    (at.root / "large").write_bytes(b"x" * (8 << 20) + SECRET.encode())


def _many_lines(at: Ground) -> None:
    (at.root / "many").write_text("x\n" * 5000 + "x" + SECRET)


def _read_all(_: Ground, path: Path) -> object:
    return path.read_bytes()


def _crowded(at: Ground) -> None:
    for number in range(10_001):
        (at.root / f"{number:05d}").touch()
    (at.root / SECRET).touch()


OUTPUTS = [
    FileRow("output", "read more than an answer holds", _ask("read", "large"), _read_all, READ, _large),
    FileRow("output", "list more than an answer holds", _ask("ls", "."), _list, READ, _crowded),
    FileRow("output", "find more than an answer holds", _ask("find", ".", pattern="*"), _list, READ, _crowded),
    FileRow(
        "output", "search for more than an answer holds", _ask("grep", "many", text="x"), _read_all, READ, _many_lines
    ),
]

ENVIRONMENTS = [
    FileRow("environment", "make one by going up", Request("create_venv", {"venv_name": "../host/new/venv"}),
            _copy_environment, Request("create_venv", {"venv_name": "own-venv"})),
    FileRow("environment", "make one below a link", Request("create_venv", {"venv_name": "way/venv"}),
            _copy_environment, Request("create_venv", {"venv_name": "own-venv"}), _to("host", "new")),
]  # fmt: skip

FILE_ROWS = [*PATHS, *LINKS, *PROC, *RACES, *INODES, *SPECIALS, *OUTPUTS, *ENVIRONMENTS]
