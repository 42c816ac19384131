"""The command for tools with their own program: Python that is sent into the jail and answers in JSON.

Its source is mindX's own, but its answer is untrusted, because it works on untrusted files.
"""

from __future__ import annotations

import json
import math
import posixpath
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from sandbox import commands
from sandbox.analysis import kit
from sandbox.commands import Refusal
from sandbox.jail import interpreter
from sandbox.sessions import programs
from sandbox.sessions.endings import Failed
from sandbox.sessions.ground import Ground
from sandbox.sessions.listening import Listener

# The answer has its own descriptor, so that anything the function or its programs print is log, not answer.
_START = """from __future__ import annotations
import json, os, sys, traceback
answer = os.dup(1)
os.dup2(2, 1)
given = json.load(sys.stdin)
os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
try:
    for name, source in given["sources"].items():
        module = sys.modules[name] = type(sys)(name)
        exec(compile(source, name, "exec"), vars(module))  # its annotations stay words, as here
    said = vars(module)[given["function"]](given["params"])
except Exception as error:
    traceback.print_exc()
    said = {"error_class": "TOOL_EXECUTION_ERROR", "reason": f"{type(error).__name__}: {error}"}
with open(answer, "w", encoding="utf-8", errors="replace") as file:
    json.dump(said, file, ensure_ascii=False)
sys.stdout.flush()
os._exit(1 if "error_class" in said else 0)
"""
_ERROR_CLASSES = frozenset(
    {
        "INVALID_PARAMETERS",
        "NETWORK_ERROR",
        "PERMISSION_ERROR",
        "RATE_LIMIT_ERROR",
        "TOOL_EXECUTION_ERROR",
        "TOOL_UNAVAILABLE",
    }
)
# Fields of a result that only the session may set, not a tool.
_RESERVED = frozenset({"status", "error_class", "reason", "limit", "level", "duration_s", "network", "stderr"})
# Variables for the program: the folder of its kit, the workspace's root, and its time limit.
KIT, WORKSPACE, SECONDS = "MINDX_KIT", "MINDX_WORKSPACE", "MINDX_SECONDS"
# Programs and packages that are copied to where jails see them, by name.
_KITS: Mapping[str, Callable[[], AbstractContextManager[str]]] = {"analysis": kit.held}
_MOST_DEPTH = 40
_MOST_REASON_CHARS = 2_000


class _NoAnswer(ValueError):
    """The answer is not a valid result."""


def _tool(ground: Ground, params: dict[str, Any], listener: Listener) -> dict[str, Any]:
    ground.check_programs("a tool's own work needs a jail")
    given = {name: params[name] for name in ("sources", "function")}
    given["params"] = {**params["params"], **{name: _seen(ground, path) for name, path in params["paths"].items()}}
    stdin = commands.encoded("params", json.dumps(given), commands.MAX_STDIN_BYTES)
    timeout_s = programs.time_limit_s(ground, params.get("timeout_s"))
    message: dict[str, Any] = {
        "do": "run",
        "timeout_s": timeout_s,
        # Never the virtual environment's Python, nor a step's variables: both may come from the workspace.
        "candidates": [[interpreter.choose().program, "-I", "-c", _START]],
        "cwd": ground.state.cwd,
        "env": programs.own_environment(ground) | {SECONDS: f"{timeout_s:g}"},
        "watch_deletions": not ground.state.autonomous,
    }
    try:
        with _kit(params.get("kit", "")) as of_kit:
            message["env"] |= of_kit
            data = programs.carry_out(ground, message, stdin, _OnlyLog(listener))
    except Failed as failed:
        raise _refused(failed) from failed
    return _answer(data, ground.limits.output_bytes)


@contextmanager
def _kit(name: str) -> Iterator[dict[str, str]]:
    """The variables for a kit, while the program needs it: its folder and the workspace's root.

    Raises Refusal, KitUnavailable.
    """
    if not name:
        yield {}
        return
    if name not in _KITS:
        raise Refusal("TOOL_UNAVAILABLE", f"there is no kit {name[:64]!r}; there are {', '.join(_KITS)}")
    with _KITS[name]() as place:
        yield {KIT: place, WORKSPACE: commands.WORKSPACE}


def _seen(ground: Ground, path: object) -> str:
    """A path relative to the program's folder, which is the session's. Raises Refusal for one outside."""
    place = ground.place(str(path))
    return posixpath.relpath(place or ".", ground.state.cwd or ".")


class _OnlyLog(Listener):
    """Passes on what the program prints, and keeps its answer."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    @property
    def cancelled(self) -> bool:
        return self._listener.cancelled

    def hear(self, stream: str, data: bytes) -> None:
        if stream == "stderr":
            self._listener.hear("stdout", data)  # progress messages, not warnings


def _refused(failed: Failed) -> Failed:
    """The tool's own refusal, if the program ended with one; else its failure like any program's."""
    data = {name: value for name, value in failed.data.items() if name != "stdout"}
    if failed.limit is not None or data.get("return_code") != 1 or "deleted" in data:
        return Failed(str(failed), failed.error_class, data, failed.limit)
    try:
        said = _read(str(failed.data.get("stdout", "")))
    except ValueError:
        return Failed(str(failed), failed.error_class, data, None)
    error_class = said.get("error_class")
    known = error_class if error_class in _ERROR_CLASSES else "TOOL_EXECUTION_ERROR"
    data = {name: value for name, value in said.items() if name not in _RESERVED} | data
    return Failed(str(said.get("reason") or failed)[:_MOST_REASON_CHARS], str(known), data, None)


def _answer(data: dict[str, Any], most_bytes: int) -> dict[str, Any]:
    """The program's answer as the result's data. Raises Failed if it is not valid."""
    said, facts = str(data.pop("stdout")), {name: data[name] for name in data if name.startswith("peak_")}
    log = {"stderr": data["stderr"]} if data.get("stderr") else {}
    if data.get("truncated"):
        raise Failed(f"its answer is longer than {most_bytes:,} bytes", "TOOL_EXECUTION_ERROR", log, None)
    try:
        answer = _read(said)
    except ValueError as error:
        raise Failed(f"its answer cannot be read: {error}", "TOOL_EXECUTION_ERROR", log, None) from error
    return answer | facts | log


def _read(said: str) -> dict[str, Any]:
    """A JSON object that a database can store. Raises ValueError (_NoAnswer is one)."""
    try:
        answer = _storable(json.loads(said, parse_constant=_no_constant), _MOST_DEPTH)
    except RecursionError as error:
        raise _NoAnswer("it is nested too deeply") from error
    if not isinstance(answer, dict):
        raise _NoAnswer("it is no object")
    if not answer.keys().isdisjoint(_RESERVED) and "error_class" not in answer:
        raise _NoAnswer(f"it uses the name {min(answer.keys() & _RESERVED)}, which is the session's own")
    return answer


def _no_constant(name: str) -> Any:
    raise _NoAnswer(f"{name} is not a JSON number")


def _storable(value: Any, depth: int) -> Any:
    if depth < 0:
        raise _NoAnswer("it is nested too deeply")
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")
    if isinstance(value, float) and not math.isfinite(value):
        raise _NoAnswer("it holds a number that JSON does not have")
    if isinstance(value, list):
        return [_storable(one, depth - 1) for one in value]
    if isinstance(value, dict):
        return {_storable(name, depth): _storable(one, depth - 1) for name, one in value.items()}
    return value


COMMANDS: Mapping[str, Callable[[Ground, dict[str, Any], Listener], dict[str, Any]]] = {"tool": _tool}
