"""Virtual environments by copying a prepared one: making one takes seconds, copying one a fraction.

The template lies read-only in the jail. Its scripts name the place where it was made; the copy's name its own.
"""

# ruff: noqa: PTH112, PTH115, PTH119
# The helper starts with every session, without pathlib.
from __future__ import annotations

import os
import stat

from .place import Place
from .tree import Refused, Tree, refusal, shown

TYPE_CHECKING = False  # importing typing costs a session's start 3 ms
if TYPE_CHECKING:
    from typing import Any

MADE_AT = b"/workspace/template"
_NAMES_ITS_PLACE = (b"pyvenv.cfg", b"bin/")


def create(tree: Tree, path: bytes, template: str, at: Place) -> tuple[dict[str, Any], bytes]:
    """Copies the template to `path`, which must not exist. `template` is its folder name among the templates."""
    folder, name = tree.open_parent(path)
    source = os.fsencode(f"{at.templates}/{os.path.basename(template)}")
    try:
        if not os.path.isdir(source):
            raise Refused("TOOL_UNAVAILABLE", "there is no prepared virtual environment")
        try:
            os.mkdir(name, 0o755, dir_fd=folder)
        except FileExistsError as error:
            raise Refused("INVALID_PARAMETERS", f"{shown(path)}: is there already") from error
        target = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            count = _copy_folder(source, b"", target, os.fsencode(at.workspace) + b"/" + path)
        finally:
            os.close(target)
    except OSError as error:
        raise refusal(path, error) from error
    finally:
        os.close(folder)
    return {"files": count}, b""


def _copy_folder(source: bytes, inner: bytes, target: int, place: bytes) -> int:
    count = 0
    with os.scandir(source) as entries:
        for entry in entries:
            state = entry.stat(follow_symlinks=False)
            within = inner + entry.name
            if stat.S_ISLNK(state.st_mode):
                os.symlink(os.readlink(entry.path).replace(MADE_AT, place), entry.name, dir_fd=target)
            elif stat.S_ISDIR(state.st_mode):
                os.mkdir(entry.name, 0o755, dir_fd=target)
                deeper = os.open(entry.name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=target)
                try:
                    count += _copy_folder(entry.path, within + b"/", deeper, place)
                finally:
                    os.close(deeper)
            else:
                count += 1
                _copy_file(entry.path, entry.name, target, state, place if within.startswith(_NAMES_ITS_PLACE) else b"")
    return count


def _copy_file(source: bytes, name: bytes, target: int, state: os.stat_result, place: bytes) -> None:
    with open(source, "rb", buffering=0) as file:
        content = file.read()
    if place:
        content = content.replace(MADE_AT, place)
    mode = stat.S_IMODE(state.st_mode) & 0o755
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode, dir_fd=target)
    try:
        os.write(descriptor, content)
        # Compiled files fit only sources of the same age: without it, each new environment's first pip compiles itself.
        os.utime(descriptor, ns=(state.st_atime_ns, state.st_mtime_ns))
    finally:
        os.close(descriptor)
