"""What many_files' commands do, each an answer of plain fields. Lives in the jail.

Paths of a list come as the plan shows them, one a line, and are checked here: the session has only seen single ones.
"""

from __future__ import annotations

import hashlib
import os
import stat
import zipfile
from collections import defaultdict
from pathlib import Path, PurePosixPath
from typing import Any

from agents.toolkit.refusal import Refused

MOST_PATHS = 500
MOST_GROUPS = 500
MOST_BYTES = 32 << 20
_PIECE = 1 << 20


def main(params: dict[str, Any]) -> dict[str, Any]:
    """What the command `do` answers."""
    try:
        return _DO[params["do"]](params)
    except Refused as refused:
        return refused.answer()
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        return Refused("INVALID_PARAMETERS", reason).answer()


def _listed(text: str) -> list[Path]:
    """The files of a list. Raises Refused for a path that leads out, a link, or what is no file."""
    lines = [line for line in text.split("\n") if line]
    if len(lines) > MOST_PATHS:
        raise Refused("INVALID_PARAMETERS", f"the list has {len(lines):,} paths; at most {MOST_PATHS} are taken")
    return [_file(line) for line in dict.fromkeys(lines)]


def _file(said: str) -> Path:
    parts = PurePosixPath(said).parts
    if said.startswith(("/", "~")) or ".." in parts:
        raise Refused("INVALID_PARAMETERS", f"{said} leads out of the folder that the step is done in")
    path = Path(said)
    # A link above it could lead anywhere as well as one at its end.
    for at in (*reversed(path.parents), path):
        if at.is_symlink():
            raise Refused("INVALID_PARAMETERS", f"{at} is a link, which is not followed")
    if not path.is_file():
        raise Refused("INVALID_PARAMETERS", f"{said} is no file")
    return path


def _details(params: dict[str, Any]) -> dict[str, Any]:
    sizes = {str(path): path.stat().st_size for path in _listed(params["paths"])}
    files = [{"path": path, "size_bytes": size} for path, size in sizes.items()]
    total = sum(sizes.values())
    return {"files": files, "count": len(files), "size_bytes": total, "message": f"{len(files)} files, {total:,} bytes"}


def _archive(params: dict[str, Any]) -> dict[str, Any]:
    target = Path(params["to"])
    _check_new(target)
    sources = _below(Path(params["folder"])) if params.get("folder") else _listed(params["paths"])
    if not sources:
        raise Refused("INVALID_PARAMETERS", "there is nothing to put into the archive")
    target.parent.mkdir(parents=True, exist_ok=True)
    kept = [path for path in sources if path != target]
    with zipfile.ZipFile(target, "x", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        for path in kept:
            archive.write(path)
    return {"archive": str(target), "files": len(kept), "size_bytes": target.stat().st_size}


def _check_new(target: Path) -> None:
    if os.path.lexists(target):
        raise Refused("INVALID_PARAMETERS", f"{target} is there already; give the archive another name")


def _below(folder: Path) -> list[Path]:
    """The regular files below a folder, by path; links are left out."""
    if folder.is_symlink() or not folder.is_dir():
        raise Refused("INVALID_PARAMETERS", f"{folder} is no folder")
    found = [Path(above) / name for above, _, names in os.walk(folder) for name in names]
    return sorted(path for path in found if stat.S_ISREG(path.lstat().st_mode))


def _replace(params: dict[str, Any]) -> dict[str, Any]:
    path, old, new = _file(params["path"]), params["old"], params["new"]
    if path.stat().st_size > MOST_BYTES:
        raise Refused("INVALID_PARAMETERS", f"{path} is larger than {MOST_BYTES >> 20} MB")
    data = path.read_bytes()
    if b"\0" in data:
        raise Refused("INVALID_PARAMETERS", f"{path} is a binary file, in which no text is replaced")
    try:
        # Bytes are compared, so that line ends and a mark at the beginning stay what they are.
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused("INVALID_PARAMETERS", f"{path} is no UTF-8 text (byte {error.start})") from error
    count = data.count(old.encode())
    if not count:
        raise Refused("INVALID_PARAMETERS", f"“{old}” does not stand in {path}; capital letters count")
    path.write_bytes(data.replace(old.encode(), new.encode()))
    return {"path": str(path), "replaced": count, "message": f"Replaced {count} of “{old}” in {path}"}


def _rename_ending(params: dict[str, Any]) -> dict[str, Any]:
    path, ending = _file(params["path"]), bare_ending(params["ending"])
    if not ending or "/" in ending:
        raise Refused("INVALID_PARAMETERS", f"“{params['ending']}” is no ending of a file's name")
    return _renamed(path, f"{path.stem}.{ending}")


def bare_ending(said: str) -> str:
    """The ending of a file's name in each way that people write it: md, .md, *.md."""
    return said.removeprefix("*").removeprefix(".")


def _rename_part(params: dict[str, Any]) -> dict[str, Any]:
    path, old, new = _file(params["path"]), params["old"], params["new"]
    if "/" in new or old not in path.name:
        reason = "a name holds no slash" if "/" in new else f"the name of {path} does not hold “{old}”"
        raise Refused("INVALID_PARAMETERS", reason)
    return _renamed(path, path.name.replace(old, new))


def _renamed(path: Path, name: str) -> dict[str, Any]:
    if name in ("", ".", "..") or os.path.lexists(path.with_name(name)):
        raise Refused("INVALID_PARAMETERS", f"{path} cannot be named {name!r}: that is no name, or is taken")
    target = path.rename(path.with_name(name))
    return {"path": str(target), "before": str(path)}


def _duplicates(params: dict[str, Any]) -> dict[str, Any]:
    """Groups of files with the same content: sizes are compared first, then contents."""
    by_size: dict[int, list[Path]] = defaultdict(list)
    for path in _below(Path(params["path"])):
        if not any(part.startswith(".") for part in path.parts) and (size := path.stat().st_size):
            by_size[size].append(path)
    groups = []
    spare = 0
    for size, paths in sorted(by_size.items(), reverse=True):
        same: dict[str, list[str]] = defaultdict(list)
        for path in paths if len(paths) > 1 else ():
            same[_digest(path)].append(str(path))
        found = [each for each in same.values() if len(each) > 1]
        groups += [{"size_bytes": size, "paths": each} for each in found]
        spare += sum(size * (len(each) - 1) for each in found)
    message = f"{len(groups)} groups of the same content, {spare:,} bytes more than needed"
    left_out = max(0, len(groups) - MOST_GROUPS)
    return {"groups": groups[:MOST_GROUPS], "left_out": left_out, "spare_bytes": spare, "message": message}


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


_DO = {
    "details": _details,
    "archive_files": _archive,
    "archive_folder": _archive,
    "replace_text": _replace,
    "rename_part": _rename_part,
    "rename_ending": _rename_ending,
    "duplicates": _duplicates,
}
