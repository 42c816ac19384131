"""The commands that run programs: `run`, and `start` for programs that live on during the next commands."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any

from sandbox import commands
from sandbox.command_line import candidates, split
from sandbox.commands import Refusal
from sandbox.jail import interpreter
from sandbox.jail.cell import CellEnded
from sandbox.jail.inside.frames import BadFrame
from sandbox.sessions import started
from sandbox.sessions.endings import Failed, ending, judged, outputs
from sandbox.sessions.ground import Ground
from sandbox.sessions.listening import Listener
from sandbox.sessions.output import Kept
from sandbox.sessions.undo import Undo
from sandbox.store.snapshots import SnapshotRefused

logger = logging.getLogger(__name__)

JAIL_TMP = "/tmp"  # noqa: S108 - the jail's own, gone with it
_LISTEN_S = 0.1
_LATE_S = 10.0


def _run(ground: Ground, params: dict[str, Any], listener: Listener) -> dict[str, Any]:
    ground.check_programs("a program needs a jail")
    timeout_s = time_limit_s(ground, params.get("timeout_s"))
    words = split(params["command_line"])
    stdin = commands.encoded("stdin", params.get("stdin", ""), commands.MAX_STDIN_BYTES)
    for word in words:
        commands.encoded("command_line", word, commands.MAX_LINE_CHARS * 4)
    terminal = params.get("terminal", False)
    if terminal and ground.level != "L3":
        raise Refusal("PERMISSION_ERROR", "a terminal is had at level L3 only: below it the host's would be in reach")
    message = {"do": "run", "timeout_s": timeout_s, "terminal": terminal, **_program(ground, words)}
    return carry_out(ground, message, stdin, listener)


def carry_out(ground: Ground, message: dict[str, Any], stdin: bytes, listener: Listener) -> dict[str, Any]:
    """What a program that is waited for wrote and how it ended. Raises Failed for one that did not end well."""
    timeout_s: float = message["timeout_s"]
    if ground.undo is not None:
        _remember(ground, ground.undo)
    kept = {stream: Kept(ground.limits.output_bytes) for stream in ("stdout", "stderr")}
    kills = ground.jail().memory_kills()
    try:
        ground.jail().send(message, stdin)
        answer = _follow(ground, kept, listener, time.monotonic() + timeout_s + _LATE_S)
    except (CellEnded, TimeoutError) as error:
        # If the helper dies or is silent while a program runs, the program caused it, not the sandbox.
        report = ground.jail().end()
        ground.cell = None
        logger.warning("the jail ended under a program", extra={"code": report.code, "said": report.said})
        raise Failed(
            "the jail ended while the program ran, with all that was started; the next command starts a new one",
            "TOOL_EXECUTION_ERROR",
            outputs(kept, ground.limits.output_bytes),
            "memory" if report.out_of_memory else None,
        ) from error
    except BaseException:
        # The caller's listener failed, or a person pressed Ctrl-C: end the program.
        ground.close()
        raise
    if answer.get("limit") is None and ground.jail().memory_kills() > kills:
        answer["limit"] = "memory"
    data = ending(answer, outputs(kept, ground.limits.output_bytes))
    if "deleted" in data:
        raise _deletion(ground, data)
    return judged(answer, data)


def time_limit_s(ground: Ground, wanted: float | None) -> float:
    """The time limit for a program that asks for `wanted` seconds, or for none. Raises Refusal."""
    if wanted is None:
        return ground.limits.soft_s
    if not 0 < wanted <= ground.limits.hard_s:
        raise Refusal("INVALID_PARAMETERS", f"timeout_s must be above 0 and at most {ground.limits.hard_s:g}")
    return float(wanted)


def _program(ground: Ground, words: list[str]) -> dict[str, Any]:
    return {
        "candidates": candidates(words, ground.state.cwd, ground.state.venv),
        "cwd": ground.state.cwd,
        "env": {**own_environment(ground), **ground.state.env, **_of_venv(ground)},
        "watch_deletions": not ground.state.autonomous,
    }


def own_environment(ground: Ground) -> dict[str, str]:
    """The base environment of every program: nothing from the worker, and nothing that a step has set."""
    return {
        "PATH": _path(),
        "HOME": JAIL_TMP,
        "TMPDIR": JAIL_TMP,
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "USER": "mindx",
        "PYTHONUNBUFFERED": "1",
        "PIP_NO_INPUT": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "GIT_AUTHOR_NAME": "mindX",
        "GIT_AUTHOR_EMAIL": "mindx@localhost",
        "GIT_COMMITTER_NAME": "mindX",
        "GIT_COMMITTER_EMAIL": "mindx@localhost",
        **(ground.plan.environment if ground.plan is not None else {}),
    }


def _path() -> str:
    return f"{PurePosixPath(interpreter.choose().program).parent}:/usr/local/bin:/usr/bin:/bin"


def _of_venv(ground: Ground) -> dict[str, str]:
    if ground.state.venv is None:
        return {}
    place = commands.within(ground.state.venv)
    return {"VIRTUAL_ENV": place, "PATH": f"{place}/bin:{_path()}"}


def _follow(ground: Ground, kept: dict[str, Kept], listener: Listener, deadline: float) -> dict[str, Any]:
    """Passes a program's output on until its end; cancels it when the listener says so."""
    cancelled = False
    cell = ground.jail()
    while True:
        if listener.cancelled and not cancelled:
            cancelled = True
            cell.send({"do": "cancel"})
            deadline = min(deadline, time.monotonic() + _LATE_S)
        try:
            message, body = cell.receive(min(deadline, time.monotonic() + _LISTEN_S))
        except TimeoutError:
            if time.monotonic() >= deadline:
                raise
            continue
        if message.get("end") is True:
            return ground.answer((message, body))[0]
        stream = message.get("out")
        if stream not in kept:
            raise BadFrame("output of an unknown stream")
        kept[stream].add(body)
        listener.hear(stream, body)


def _remember(ground: Ground, undo: Undo) -> None:
    try:
        undo.remember()
    except SnapshotRefused as refused:
        raise Refusal("TOOL_EXECUTION_ERROR", f"the workspace cannot be kept: {refused}") from refused


def _deletion(ground: Ground, data: dict[str, Any]) -> Failed:
    """The error for a program that deleted files with autonomous mode off."""
    names, count = ", ".join(data["deleted"][:3]), data["deleted_count"]
    more = f" and {count - 3} more" if count > 3 else ""
    undone = "what it did is undone" if ground.undo is not None else "its files are not to be kept"
    if ground.undo is not None:
        ground.undo.restore()
    reason = f"it deleted {names}{more}, which it did not create; autonomous mode is off, so {undone}"
    return Failed(reason, "PERMISSION_ERROR", data | {"undone": ground.undo is not None}, None)


def _start(ground: Ground, params: dict[str, Any], listener: Listener) -> dict[str, Any]:
    name = params["name"]
    commands.check_program_name(name)
    if ground.level != "L3":
        raise Refusal("PERMISSION_ERROR", started.why_not(ground.level))
    words = split(params["command_line"])
    for word in words:
        commands.encoded("command_line", word, commands.MAX_LINE_CHARS * 4)
    stdin = commands.encoded("stdin", params.get("stdin", ""), commands.MAX_STDIN_BYTES)
    answer, body = ground.ask({"do": "start", "name": name, **_program(ground, words)}, stdin)
    listener.hear("stdout", body)
    return started.begun(name, answer, body)


def _process_log(ground: Ground, params: dict[str, Any], listener: Listener) -> dict[str, Any]:
    commands.check_program_name(params["name"])
    from_byte = params.get("from_byte", 0)
    if not 0 <= from_byte <= commands.MOST_OFFSET:
        raise Refusal("INVALID_PARAMETERS", f"from_byte must be from 0 to {commands.MOST_OFFSET:,}")
    answer, body = ground.ask({"do": "log", "name": params["name"], "from_byte": from_byte})
    listener.hear("stdout", body)
    return started.told(params["name"], answer, body, from_byte)


def _stop(ground: Ground, params: dict[str, Any], listener: Listener) -> dict[str, Any]:
    commands.check_program_name(params["name"])
    answer, body = ground.ask({"do": "stop", "name": params["name"]})
    listener.hear("stdout", body)
    return started.ended(params["name"], answer, body)


COMMANDS: Mapping[str, Callable[[Ground, dict[str, Any], Listener], dict[str, Any]]] = {
    "run": _run,
    "start": _start,
    "process_log": _process_log,
    "stop": _stop,
}
