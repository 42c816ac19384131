"""No file imports, by whatever way round, a file that imports it: each can be read without those above it.

And no file does anything when it is imported: whatever connects, starts or writes is called by somebody.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp

PACKAGES = ("agents", "library", "mindx_web", "people", "review", "sandbox")
# A row seals itself when it is saved, and seals are rows.
ALLOWED = {("people.models", "people.sealing")}


def test_imports_never_go_round() -> None:
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True, cache_dir=None)
    imports = {
        module: {other for other in graph.find_modules_directly_imported_by(module) if (module, other) not in ALLOWED}
        for module in graph.modules
    }
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        raise AssertionError(f"these import each other: {' < '.join(error.args[1])}") from None


# Everything that is imported runs under this hook, in a process of its own and with servers that are not there.
_IMPORTS_ALL = """
import importlib, json, sys
done = []

def hook(event, args):
    if event in ("socket.connect", "subprocess.Popen", "os.exec", "os.fork", "os.remove", "os.rename"):
        done.append([event, str(args[-1])[:200]])
    elif event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+"):
        done.append([event, str(args[0])[:200]])

sys.addaudithook(hook)
import django
django.setup()
names = json.loads(sys.argv[1])
ours = {name.partition(".")[0] for name in names}
for name in names:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as missing:
        # What speaks to packages that are extras is imported where these are there.
        if missing.name.partition(".")[0] in ours:
            raise
sys.__stdout__.write(json.dumps(done) + "\\n")
sys.__stdout__.flush()
"""
# Started as programs, inside a jail or by an operator; not imported by anything.
_PROGRAMS = ("__main__.", ".inside.", ".migrations.", "mindx_web.asgi.", "mindx_web.serve.")


def test_importing_connects_starts_and_writes_nothing(tmp_path: Path) -> None:
    modules = grimp.build_graph(*PACKAGES, cache_dir=None).modules
    names = sorted(name for name in modules if not any(one in f"{name}." for one in _PROGRAMS))
    nowhere = f"postgres://nobody:x@{tmp_path}/none"
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "mindx_web.settings",
        "MINDX_SECRET_KEY": "only-for-a-test",
        "MINDX_DATA": str(tmp_path / "data"),
        "DATABASE_URL": nowhere,
        "REDIS_URL": f"unix://{tmp_path}/none.sock",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    words = [sys.executable, "-c", _IMPORTS_ALL, json.dumps(names)]
    ended = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stderr[-2_000:]
    assert json.loads(ended.stdout.splitlines()[-1]) == []
    assert len(names) > 1_000
