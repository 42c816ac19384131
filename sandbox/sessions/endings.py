"""The result of a program: which fields of the helper are accepted, and what counts as failure. Pure."""

from __future__ import annotations

from typing import Any

from sandbox.jail.inside.frames import BadFrame
from sandbox.sessions.output import Kept, shares

_MOST_SHOWN = 20
_MOST_SHOWN_CHARS = 500
LIMITS = {
    "time": "it took longer than the time limit",
    "memory": "it used more memory than the limit",
    "processes": "it needed more processes than the limit",
    "output": "it wrote more output than the limit",
    "workspace": "the workspace grew over its limit",
    "inodes": "it made more temporary files than the limit",
    "terminals": "it opened more terminals than the limit",
    "file_bytes": "it wrote a file larger than the limit",
    "cancel": "it was cancelled",
    "restless": "it could not be paused while files were changed",
}


class Failed(Exception):
    """A program that ran and failed: the step's result, with what it wrote."""

    def __init__(self, reason: str, error_class: str, data: dict[str, Any], limit: str | None) -> None:
        super().__init__(reason)
        self.error_class = error_class
        self.data = data
        self.limit = limit


def outputs(kept: dict[str, Kept], most_bytes: int) -> dict[str, Any]:
    out, err = kept["stdout"], kept["stderr"]
    out_bytes, err_bytes = shares(out.total, err.total, most_bytes)
    data: dict[str, Any] = {"stdout": out.text(out_bytes), "stderr": err.text(err_bytes)}
    if out.total + err.total > most_bytes:
        data |= {"truncated": True, "stdout_bytes": out.total, "stderr_bytes": err.total}
    return data


def ending(answer: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
    """The data of a run, accepting only what an honest helper would say. Raises BadFrame."""
    code, limit = answer.get("return_code"), answer.get("limit")
    if not isinstance(code, int) or not (limit is None or limit in LIMITS):
        raise BadFrame("an ending without a return code")
    data = {"return_code": code, **said}
    for name in ("left_running", "peak_memory_bytes", "peak_processes", "deleted_count"):
        if isinstance(answer.get(name), int) and answer[name]:
            data[name] = answer[name]
    deleted = answer.get("deleted")
    if isinstance(deleted, list) and deleted and "deleted_count" in data:
        data["deleted"] = [str(path)[:_MOST_SHOWN_CHARS] for path in deleted[:_MOST_SHOWN]]
    return data


def judged(answer: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """The data of a program that ended well. Raises Failed for one that did not."""
    code, limit, unfit = data["return_code"], answer.get("limit"), answer.get("unfit")
    if limit is not None:
        raise Failed(LIMITS[limit], "TOOL_EXECUTION_ERROR", data, limit)
    if code != 0:
        how = f"exit status {code}" if code > 0 else f"ended by signal {-code}"
        raise Failed(how, "TOOL_EXECUTION_ERROR", data, None)
    if unfit:
        reason = f"it left a workspace that cannot be kept: {str(unfit)[:_MOST_SHOWN_CHARS]}"
        raise Failed(reason, "TOOL_EXECUTION_ERROR", data, None)
    return data
