"""The helper's code as jails see it: copied and compiled to a place that the jail's uid can read.

mindX itself may be installed unreadable for other users (a restrictive umask is enough), and compiled code in one file
halves the helper's start.
"""

from __future__ import annotations
import __future__

import ast
import hashlib
import os
import shutil
import tempfile
from functools import lru_cache
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType

from sandbox.jail import bundle
from sandbox.places import helpers_folder

_SOURCES = Path(__file__).parent / "inside"
_OPEN_FOLDER, _OPEN_FILE = 0o755, 0o644


def publish() -> Path:
    """The folder that holds the helper's package, made when this version of it is not there yet."""
    return _published(helpers_folder())


@lru_cache(maxsize=4)
def _published(folder: Path) -> Path:
    sources = sorted(_SOURCES.glob("*.py"))
    digest = hashlib.sha256(MAGIC_NUMBER + Path(bundle.__file__).read_bytes())
    for source in sources:
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    place = folder / digest.hexdigest()[:16]
    if not place.is_dir():
        _copy(sources, place)
    return place


def _copy(sources: list[Path], place: Path) -> None:
    making = Path(tempfile.mkdtemp(dir=place.parent, prefix=".making-"))
    try:
        package = making / bundle.PACKAGE
        package.mkdir()
        for source in sources:
            shutil.copyfile(source, package / source.name)
        modules = {"" if source.stem == "__init__" else source.stem: _compiled(source) for source in sources}
        (package / bundle.FILE).write_bytes(bundle.packed(MAGIC_NUMBER, modules))
        for path in [making, *making.rglob("*")]:
            path.chmod(_OPEN_FOLDER if path.is_dir() else _OPEN_FILE)
        os.rename(making, place)  # noqa: PTH104 - another process may have been first, which is an OSError
    except OSError:
        shutil.rmtree(making, ignore_errors=True)
        if not place.is_dir():
            raise


def _compiled(source: Path) -> CodeType:
    """Without the line about annotations: what it asks of the compiler is asked here, and importing it takes time."""
    tree = ast.parse(source.read_text())
    tree.body = [each for each in tree.body if not (isinstance(each, ast.ImportFrom) and each.module == "__future__")]
    flags = __future__.annotations.compiler_flag
    code: CodeType = compile(tree, f"{bundle.PACKAGE}/{source.name}", "exec", flags=flags, dont_inherit=True)
    return code
