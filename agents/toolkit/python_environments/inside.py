"""Lists the packages of a virtual environment from the metadata that pip wrote; it runs nothing.

Lives in the jail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agents.toolkit.refusal import Refused

MOST_PACKAGES = 1_000
_MOST_BYTES = 1 << 20
_HEAD = re.compile(r"^(Name|Version):[ \t]*(.{1,200})$", re.MULTILINE)


def main(params: dict[str, Any]) -> dict[str, Any]:
    """What the command `do` answers."""
    try:
        return _DO[params["do"]](params)
    except Refused as refused:
        return refused.answer()
    except OSError as error:
        return Refused("INVALID_PARAMETERS", f"{error.filename}: {error.strerror}").answer()


def _version(params: dict[str, Any]) -> dict[str, Any]:
    folder = Path(params["path"])
    # As pip reads it: “requests>=2” and “uvicorn[standard]” are about requests and uvicorn.
    asked = _normal(re.split(r"[\[=<>!~;\s]", params["package"].strip(), maxsplit=1)[0])
    found = next((version for name, version in _installed(folder) if _normal(name) == asked), "")
    if found:
        return {"package": asked, "version": found, "installed": True, "message": f"{asked} {found}"}
    return {"package": asked, "version": "", "installed": False, "message": f"{asked} is not installed in {folder}"}


def _packages(params: dict[str, Any]) -> dict[str, Any]:
    found = sorted(_installed(Path(params["path"])), key=lambda one: one[0].casefold())
    shown = [{"name": name, "version": version} for name, version in found[:MOST_PACKAGES]]
    return {"packages": shown, "count": len(found), "left_out": len(found) - len(shown)}


def _normal(name: str) -> str:
    """One spelling for all that are one package (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).casefold()


def _installed(folder: Path) -> Iterator[tuple[str, str]]:
    if not (folder / "pyvenv.cfg").is_file():
        raise Refused("INVALID_PARAMETERS", f"{folder} is no virtual environment")
    for metadata in sorted(folder.glob("lib/python3*/site-packages/*.dist-info/METADATA")):
        if metadata.is_symlink() or not metadata.is_file():
            continue
        with metadata.open(encoding="utf-8", errors="replace") as file:
            # What follows the empty line is a description by somebody else.
            head = file.read(_MOST_BYTES).partition("\n\n")[0]
        said = dict(_HEAD.findall(head))
        if said.keys() == {"Name", "Version"}:
            yield said["Name"].strip(), said["Version"].strip()


_DO = {"version": _version, "packages": _packages}
