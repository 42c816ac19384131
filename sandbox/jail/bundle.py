"""The helper's compiled code in one file.

Finding fifteen modules in folders takes a jail's Python longer than running them. So all are in one file, by name, and
each is unpacked on first import. A Python of another version, which cannot read it, imports the sources beside it.

Standard library only, and little of it: a launcher imports this.
"""

from __future__ import annotations

import marshal

TYPE_CHECKING = False  # importing typing costs a start 3 ms
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import CodeType

PACKAGE = "inside"
FILE = "compiled"
# The first code of the jail's Python, which knows neither this package nor, with -S, anything that is not built in.
_START = """
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER
from marshal import loads
with open({file!r}, "rb") as file:
    magic, parts = loads(file.read())
class Bundle:
    def find_spec(name, path=None, target=None):
        return ModuleSpec(name, Bundle, is_package=name == {package!r}) if name in parts else None
    def create_module(spec):
        return None
    def exec_module(module):
        exec(loads(parts[module.__name__]), module.__dict__)
if magic == MAGIC_NUMBER:
    sys.meta_path.insert(0, Bundle)
sys.path.insert(0, {folder!r})
from inside.main import main
from inside.place import Place
{call}
"""


def start_of(folder: str, call: str) -> str:
    """The program that imports the helper, whose package is in `folder`, and calls its `main`."""
    return _START.format(folder=folder, package=PACKAGE, file=f"{folder}/{PACKAGE}/{FILE}", call=call).strip()


def packed(magic: bytes, modules: Mapping[str, CodeType]) -> bytes:
    """The file's content: for which Python it is, and each module's code by its name in the package ("" is its own)."""
    names = {f"{PACKAGE}.{name}" if name else PACKAGE: marshal.dumps(code) for name, code in modules.items()}
    return marshal.dumps((magic, names))
