"""The helper's code in one file: the same modules, found there by the Python that it was compiled for."""

from __future__ import annotations

import marshal
import shutil
import subprocess
import sys
from importlib.util import MAGIC_NUMBER
from pathlib import Path

import pytest

from sandbox.jail import bundle, interpreter
from sandbox.jail.published import publish

# Where each module of the helper came from: the bundle's have no file.
_CALL = (
    "import sys; from inside import company; "
    "print(sorted({getattr(each, '__file__', None) is None for name, each in sys.modules.items() "
    "if name.startswith('inside')}), '__future__' in sys.modules)"
)


def _said(folder: Path) -> str:
    line = [interpreter.choose().program, "-I", "-S", "-c", bundle.start_of(str(folder), _CALL)]
    return subprocess.run(line, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def helper(tmp_path: Path) -> Path:
    return Path(shutil.copytree(publish(), tmp_path / "helper"))


def test_every_module_is_in_the_one_file_and_nothing_else_is_loaded(helper: Path) -> None:
    magic, parts = marshal.loads((helper / "inside" / bundle.FILE).read_bytes())
    sources = {path.stem for path in (helper / "inside").glob("*.py")}
    assert magic == MAGIC_NUMBER
    assert {name.removeprefix("inside").lstrip(".") or "__init__" for name in parts} == sources
    if _is_this_version():
        assert _said(helper) == "[True] False"


def test_another_python_imports_the_sources(helper: Path) -> None:
    place = helper / "inside" / bundle.FILE
    _, parts = marshal.loads(place.read_bytes())
    place.write_bytes(marshal.dumps((b"another version", parts)))
    assert _said(helper) == "[False] True"


def _is_this_version() -> bool:
    line = [interpreter.choose().program, "-I", "-S", "-c", "import sys; print(sys.version_info.minor)"]
    return subprocess.run(line, capture_output=True, text=True, check=True).stdout.strip() == str(
        sys.version_info.minor
    )
