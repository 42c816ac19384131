"""What each command of the session is tried with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.toolkit.trial import Trial

_Step = tuple[str, str, Mapping[str, Any]]
_TREE = {"src/main.py": "print(6 * 7)\n", "src/old.txt": "one\ntwo\nthree\n", "empty/": ""}
_WAITING = "python -c 'import time; time.sleep(60)'"
_STARTED: _Step = ("simple_coder", "start", {"name": "waiter", "command_line": _WAITING})
_ENVIRONMENT: _Step = ("simple_coder", "create_venv", {})


def _one(**parts: Any) -> tuple[Trial, ...]:
    return (Trial(**{"files": _TREE, **parts}),)


TRIALS: Mapping[str, tuple[Trial, ...]] = {
    "ls": _one(params={"path": "src"}, changes=()),
    "cd": _one(params={"path": "src"}, changes=()),
    "mkdir": _one(params={"path": "src/new/deep"}, changes=("src/new", "src/new/deep")),
    "read": (
        Trial({"path": "src/main.py"}, _TREE, result={"content": "print(6 * 7)\n"}, changes=()),
        Trial({"path": "src/old.txt", "from_line": 2, "to_line": 2}, _TREE, result={"content": "two\n"}),
        Trial({"path": "nowhere"}, _TREE, error="INVALID_PARAMETERS"),
    ),
    "write": (
        Trial({"path": "src/main.py", "content": "print(1)\n"}, _TREE, changes=("src/main.py",)),
        Trial({"path": "more.txt", "content": "x", "mode": "create"}, _TREE, changes=("more.txt",)),
        Trial({"path": "../out.txt", "content": "x"}, _TREE, error="PERMISSION_ERROR", changes=()),
    ),
    "rm": (
        Trial({"path": "src"}, _TREE, autonomous=True, changes=("src", "src/*")),
        Trial({"path": "src"}, _TREE, error="PERMISSION_ERROR", changes=()),
    ),
    "mv": _one(params={"path": "src/old.txt", "to": "new.txt"}, changes=("src/old.txt", "new.txt")),
    "cp": _one(params={"path": "src", "to": "copy"}, changes=("copy", "copy/*")),
    "find": _one(params={"pattern": "*.py"}, changes=()),
    "grep": _one(params={"text": "two"}, changes=()),
    "create_venv": _one(files={}, changes=(".venv", ".venv/*")),
    "activate_venv": _one(files={}, before=(_ENVIRONMENT,), changes=()),
    "deactivate_venv": _one(
        files={}, before=(_ENVIRONMENT, ("simple_coder", "activate_venv", {"venv_name": ".venv"})), changes=()
    ),
    "run": (
        Trial({"command_line": "python src/main.py"}, _TREE, result={"stdout": "42\n", "return_code": 0}, changes=()),
        Trial({"command_line": "touch made.txt"}, _TREE, changes=("made.txt",)),
        Trial({"command_line": "rm src/old.txt"}, _TREE, error="PERMISSION_ERROR"),
        Trial({"command_line": "curl example.org"}, _TREE, error="PERMISSION_ERROR", changes=()),
    ),
    "start": _one(params={"name": "waiter", "command_line": _WAITING}, changes=()),
    "process_log": _one(params={"name": "waiter"}, before=(_STARTED,), changes=()),
    "stop": _one(params={"name": "waiter"}, before=(_STARTED,), changes=()),
    "set_env": _one(params={"name": "GREETING", "value": "good day"}, changes=()),
    "unset_env": _one(
        params={"name": "GREETING"}, before=(("simple_coder", "set_env", {"name": "GREETING", "value": "x"}),)
    ),
    "toggle_autonomous_mode": _one(params={"on": True}, changes=()),
}
