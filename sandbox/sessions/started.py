"""The results for programs that live on: which fields of the helper are accepted, and what is a failure. Pure."""

from __future__ import annotations

from typing import Any

from sandbox.jail.inside.frames import BadFrame
from sandbox.sessions.endings import LIMITS, Failed
from sandbox.sessions.output import joined

_MOST_LIVING = 8
_MOST_NAME_CHARS = 32


def why_not(level: str) -> str:
    return (
        f"programs that live on need level L3, and this session is of {level}: there a program could stop the helper, "
        "and between commands nobody would notice that it is not watched any more"
    )


def living(said: object) -> tuple[str, ...]:
    """The names of the living programs in an answer. Raises BadFrame."""
    if not isinstance(said, list) or len(said) > _MOST_LIVING or not all(isinstance(name, str) for name in said):
        raise BadFrame("an answer with a strange list of programs")
    return tuple(name[:_MOST_NAME_CHARS] for name in said)


def begun(name: str, answer: dict[str, Any], body: bytes) -> dict[str, Any]:
    """The data of a program that was started and runs. Raises Failed if it has ended already."""
    data = _data(name, answer, body, 0)
    if data["running"]:
        return {"message": f"{name} is running", **data}
    how = _how(data)
    hint = "" if data["return_code"] else "; a program that does its work and ends is for run"
    raise Failed(f"{name} {how} within a moment of its start{hint}", "TOOL_EXECUTION_ERROR", data, answer.get("limit"))


def told(name: str, answer: dict[str, Any], body: bytes, from_byte: int) -> dict[str, Any]:
    """The data of a look at a program's log; a failed program is not a failure of the look."""
    data = _data(name, answer, body, from_byte)
    message = f"{name} is running" if data["running"] else f"{name} {_how(data)}"
    return {"message": message, **data}


def ended(name: str, answer: dict[str, Any], body: bytes) -> dict[str, Any]:
    """The data of a program that was stopped. Raises Failed if a limit had ended it before."""
    data = _data(name, answer, body, 0)
    if answer.get("limit") is not None:
        raise Failed(f"{name} {_how(data)}", "TOOL_EXECUTION_ERROR", data, answer["limit"])
    message = (
        f"{name} {_how(data)} before it was stopped" if answer.get("ended_before") is True else f"{name} is stopped"
    )
    return {"message": message, **data}


def _how(data: dict[str, Any]) -> str:
    if "limit_reached" in data:
        return f"was ended: {LIMITS[data['limit_reached']]}"
    code = data["return_code"]
    return f"ended with exit status {code}" if code >= 0 else f"was ended by signal {-code}"


def _data(name: str, answer: dict[str, Any], body: bytes, from_byte: int) -> dict[str, Any]:
    """Only what an honest helper would say. Raises BadFrame."""
    running, code, limit = answer.get("running"), answer.get("return_code"), answer.get("limit")
    total, head, missing = (answer.get(key) for key in ("total_bytes", "head_bytes", "left_out_bytes"))
    numbers = all(type(number) is int and number >= 0 for number in (total, head, missing))
    if not isinstance(running, bool) or not numbers or not (limit is None or limit in LIMITS):
        raise BadFrame("an answer about a program that says too little")
    if not running and not isinstance(code, int):
        raise BadFrame("a program that ended without an exit status")
    data: dict[str, Any] = {
        "name": name,
        "running": running,
        "output": joined(body[:head], missing or 0, body[head:]),
        "from_byte": min(from_byte, total or 0),
        "total_bytes": total,
    }
    if missing:
        data["truncated"] = True
    if not running:
        data["return_code"] = code
    if limit is not None:
        data["limit_reached"] = limit
    if isinstance(answer.get("ran_s"), int | float):
        data["ran_s"] = answer["ran_s"]
    return data
