"""A session: a jailed, stateful terminal over one checkout, one command at a time."""

from __future__ import annotations

import base64
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from sandbox import commands, started
from sandbox.command_line import candidates, split
from sandbox.commands import Refusal
from sandbox.contract import DEFAULT_LIMITS, Limits, Request, Result, SandboxError, SandboxUnavailable, SessionState
from sandbox.endings import Failed, ending, judged, outputs
from sandbox.environments import EnvironmentUnavailable, prepare
from sandbox.gate.hosts import canonical
from sandbox.gate.plan import plan
from sandbox.gate.verdict import with_network
from sandbox.jail import interpreter, probe
from sandbox.jail.cell import Cell, CellEnded
from sandbox.jail.inside.frames import BadFrame, Frame
from sandbox.jail.probe import LEVELS
from sandbox.output import Kept
from sandbox.places import templates_folder
from sandbox.snapshots import SnapshotRefused, SnapshotStore
from sandbox.undo import Undo

logger = logging.getLogger(__name__)

OnOutput = Callable[[str, bytes], None]
JAIL_TMP = "/tmp"  # noqa: S108 - the jail's own, gone with it
_PROGRAMS = ("run", "start", "process_log", "stop")  # commands beside which something may happen on the network
_LISTEN_S = 0.1
_ANSWER_S = 300.0
_LATE_S = 10.0


@contextmanager
def open_session(
    root: Path,
    state: SessionState,
    limits: Limits = DEFAULT_LIMITS,
    minimum: str = "L3",
    store: SnapshotStore | None = None,
    hosts: Sequence[str] = (),
) -> Iterator[Session]:
    """A session over the folder `root`, going on from `state`.

    Nothing that ran in it is alive when the block is left. When the caller is root, the files under `root` become
    those of the jail's uid. With autonomous mode off, a program that deletes files it did not create is an ERROR;
    with a `store` its doings are also undone there and then, without one the caller has to go back to its own last
    snapshot. The jail is of the best level that this machine was found to hold. Its programs may reach exactly the
    `hosts`, entries as `gate.hosts` has them. Raises SandboxUnavailable when the level is below `minimum`, or holds
    no hosts; nothing ever goes on with less. Raises HostRefused.
    """
    if minimum not in LEVELS:
        raise SandboxUnavailable(f"the wanted level {minimum!r} is none of {', '.join(LEVELS)}")
    wanted, level = canonical(hosts), _level(minimum)
    if wanted and level != "L3":
        raise SandboxUnavailable(f"hosts can be let in at level L3 only, and the best that holds here is {level}")
    session = Session(root.resolve(strict=True), state, limits, store, level, wanted)
    try:
        yield session
    finally:
        session.close()


def _level(minimum: str) -> str:
    found = probe.level()
    if found.is_below(minimum):
        found = probe.level(refresh=True)  # what was missing may be there by now
    if found.is_below(minimum):
        raise SandboxUnavailable(found.why_below(minimum))
    return found.name


class Session:
    """Carries out requests and remembers folder, virtual environment and autonomous mode between them."""

    def __init__(
        self,
        root: Path,
        state: SessionState,
        limits: Limits,
        store: SnapshotStore | None = None,
        level: str = "L3",
        hosts: Sequence[str] = (),
    ) -> None:
        self.level = level
        self._plan = plan(hosts) if level == "L3" else None
        self._root = root
        self._limits = limits
        self._state = state
        self._undo = Undo(root, store) if store is not None else None
        self._cell: Cell | None = self._new_cell()
        self._living: tuple[str, ...] = ()
        self._does: dict[str, Callable[[dict[str, Any], _Listener], dict[str, Any]]] = {
            "ls": self._ls,
            "cd": self._cd,
            "mkdir": self._mkdir,
            "read": self._read,
            "write": self._write,
            "rm": self._rm,
            "mv": self._mv,
            "cp": self._cp,
            "find": self._find,
            "grep": self._grep,
            "create_venv": self._create_venv,
            "activate_venv": self._activate_venv,
            "deactivate_venv": self._deactivate_venv,
            "run": self._run,
            "start": self._start,
            "process_log": self._process_log,
            "stop": self._stop,
            "set_env": self._set_env,
            "unset_env": self._unset_env,
            "toggle_autonomous_mode": self._toggle_autonomous_mode,
        }

    @property
    def state(self) -> SessionState:
        return self._state

    @property
    def living(self) -> tuple[str, ...]:
        """The names of the started programs that had not ended when the last command was answered."""
        return self._living if self._cell is not None else ()

    @contextmanager
    def still(self) -> Iterator[None]:
        """Holds all started programs still within the block, so that the folder can be looked at from outside.

        Raises SnapshotRefused, before or behind the block, when they did not hold still or deleted what they may not
        have; they have ended then, and what was seen is not to be kept.
        """
        if not self.living:
            yield
            return
        self._hold("hold_still")
        yield
        self._hold("let_go")

    def _hold(self, do: str) -> None:
        try:
            self._ask({"do": do})
        except Refusal as refusal:
            raise SnapshotRefused(str(refusal)) from refusal
        except (CellEnded, BadFrame, TimeoutError) as error:
            said = self.close()
            raise SandboxError(f"the jail failed while its programs were held still: {said or error}") from error

    def close(self) -> str:
        """Ends everything in the jail; what the jail itself said at its end ("" is the rule)."""
        if self._cell is None:
            return ""
        report = self._cell.end()
        self._cell = None
        return report.said

    def execute(
        self,
        request: Request,
        on_output: OnOutput | None = None,
        cancel: threading.Event | None = None,
    ) -> Result:
        """Carries out one request and returns when nothing it started is alive any more.

        `on_output` gets (stream, bytes) as a program writes, in the caller's thread. `cancel`, once set, ends a
        running program within a second. Raises SandboxError when the sandbox failed, which says nothing about
        the step.
        """
        started = time.monotonic()
        try:
            commands.check(request.command, request.params)
            data = self._does[request.command](dict(request.params), _Listener(on_output, cancel))
        except Refusal as refusal:
            result = Result("ERROR", {}, refusal.error_class, str(refusal))
        except Failed as failed:
            result = Result("ERROR", failed.data, failed.error_class, str(failed), limit=failed.limit)
        except (CellEnded, BadFrame, TimeoutError) as error:
            said = self.close()
            raise SandboxError(f"the jail failed during {request.command}: {said or error or 'no answer'}") from error
        else:
            result = Result("SUCCESS", data)
        if request.command in _PROGRAMS and self._cell is not None and self._cell.gate is not None:
            result = with_network(result, self._cell.gate.take(go_on=bool(self.living)))
        return replace(result, level=self.level, duration_s=time.monotonic() - started)

    def _ls(self, params: dict[str, Any], _: _Listener) -> dict[str, Any]:
        answer, _body = self._ask({"do": "ls", "path": self._place(params.get("path", "."))})
        return answer

    def _cd(self, params: dict[str, Any], _: _Listener) -> dict[str, Any]:
        place = self._place(params["path"])
        self._ask({"do": "check_folder", "path": place})
        self._state = replace(self._state, cwd=place)
        return {"message": f"Current directory is now: {commands.shown(place)}"}

    def _mkdir(self, params: dict[str, Any], _: _Listener) -> dict[str, Any]:
        place = self._place(params["path"])
        self._ask({"do": "mkdir", "path": place})
        return {"message": f"Directory created/ensured at {commands.shown(place)}"}

    def _read(self, params: dict[str, Any], _: _Listener) -> dict[str, Any]:
        part = commands.part_of(params)
        answer, body = self._ask({"do": "read", "path": self._place(params["path"]), **part})
        try:
            content, encoding = body.decode("utf-8"), "utf-8"
        except UnicodeDecodeError as error:
            content, encoding = "", "base64"
            if answer.get("truncated") is True and error.start >= len(body) - 3:
                # Cut within a character: what is before it is text.
                content, encoding = body[: error.start].decode("utf-8"), "utf-8"
        # A database cannot store NUL in text, so such a file counts as binary.
        if encoding == "base64" or "\0" in content:
            content, encoding = base64.b64encode(body).decode("ascii"), "base64"
        return {"content": content, "encoding": encoding, **answer}

    def _write(self, params: dict[str, Any], _: _Listener) -> dict[str, Any]:
        mode = params.get("mode", "overwrite")
        if mode not in commands.WRITE_MODES:
            raise Refusal("INVALID_PARAMETERS", f"mode must be one of {', '.join(commands.WRITE_MODES)}")
        content = _encoded("content", params["content"], commands.MAX_CONTENT_BYTES)
        place = self._place(params["path"])
        answer, _body = self._ask({"do": "write", "path": place, "mode": mode}, content)
        done = "Patched" if mode == "patch" else f"Wrote {len(content):,} bytes to"
        return {"message": f"{done} {commands.shown(place)}", **answer}

    def _rm(self, params: dict[str, Any], _: _Listener) -> dict[str, Any]:
        if not self._state.autonomous:
            raise Refusal("PERMISSION_ERROR", "rm works in autonomous mode only, which is off")
        place = self._place(params["path"])
        answer, _body = self._ask({"do": "rm", "path": place})
        return {"message": f"Removed {commands.shown(place)}", **answer}

    def _mv(self, params: dict[str, Any], _: _Listener) -> dict[str, Any]:
        return self._transfer("mv", "Moved", params)

    def _cp(self, params: dict[str, Any], _: _Listener) -> dict[str, Any]:
        return self._transfer("cp", "Copied", params)

    def _transfer(self, command: str, done: str, params: dict[str, Any]) -> dict[str, Any]:
        place, to = self._place(params["path"]), self._place(params["to"])
        overwrite = params.get("overwrite", False)
        message = {"do": command, "path": place, "to": to, "overwrite": overwrite, "autonomous": self._state.autonomous}
        answer, _body = self._ask(message)
        return {"message": f"{done} {commands.shown(place)} to {commands.shown(to)}", **answer}

    def _find(self, params: dict[str, Any], _: _Listener) -> dict[str, Any]:
        kind, newest = params.get("kind", "any"), params.get("newest")
        if kind not in commands.FIND_KINDS:
            raise Refusal("INVALID_PARAMETERS", f"kind must be one of {', '.join(commands.FIND_KINDS)}")
        if newest is not None and not 1 <= newest <= commands.MOST_NEWEST:
            raise Refusal("INVALID_PARAMETERS", f"newest must be from 1 to {commands.MOST_NEWEST:,}")
        pattern = _short("pattern", params.get("pattern", "*"))
        place = self._place(params.get("path", "."))
        answer, _body = self._ask({"do": "find", "path": place, "pattern": pattern, "kind": kind, "newest": newest})
        return answer

    def _grep(self, params: dict[str, Any], _: _Listener) -> dict[str, Any]:
        text = _short("text", params["text"])
        if not text or "\n" in text:
            raise Refusal("INVALID_PARAMETERS", "text must be one line, since lines are looked at one by one")
        place = self._place(params.get("path", "."))
        how = {"regular": params.get("regular", False), "ignore_case": params.get("ignore_case", False)}
        answer, _body = self._ask({"do": "grep", "path": place, "text": text, **how})
        return answer

    def _create_venv(self, params: dict[str, Any], _: _Listener) -> dict[str, Any]:
        self._check_programs("a virtual environment is made by a program")
        place = self._place(params["venv_name"])
        try:
            template = prepare(self.level)
        except EnvironmentUnavailable as error:
            raise Refusal("TOOL_UNAVAILABLE", str(error)) from error
        self._ask({"do": "create_environment", "path": place, "template": template})
        name = params["venv_name"]
        return {"message": f"Venv '{name}' created. Activate it with: activate_venv '{name}'", "path": place}

    def _activate_venv(self, params: dict[str, Any], _: _Listener) -> dict[str, Any]:
        place = self._place(params["venv_name"])
        self._ask({"do": "check_environment", "path": place})
        self._state = replace(self._state, venv=place)
        return {"message": f"Venv '{params['venv_name']}' is now active for this session."}

    def _deactivate_venv(self, params: dict[str, Any], _: _Listener) -> dict[str, Any]:
        if self._state.venv is None:
            return {"message": "No venv was active."}
        name = self._state.venv
        self._state = replace(self._state, venv=None)
        return {"message": f"Venv '{name}' is no longer active."}

    def _set_env(self, params: dict[str, Any], _: _Listener) -> dict[str, Any]:
        name, value = params["name"], params["value"]
        commands.check_variable(name)
        _encoded("value", value, commands.MAX_VALUE_CHARS * 4)
        env = {**self._state.env, name: value}
        if len(value) > commands.MAX_VALUE_CHARS:
            raise Refusal("INVALID_PARAMETERS", f"value is longer than {commands.MAX_VALUE_CHARS:,} characters")
        if len(env) > commands.MOST_VARIABLES:
            raise Refusal("INVALID_PARAMETERS", f"a session has at most {commands.MOST_VARIABLES} variables")
        self._state = replace(self._state, env=env)
        return {"message": f"Programs find {name} in their environment from now on."}

    def _unset_env(self, params: dict[str, Any], _: _Listener) -> dict[str, Any]:
        name = params["name"]
        commands.check_variable(name)
        self._state = replace(self._state, env={key: held for key, held in self._state.env.items() if key != name})
        return {"message": f"{name} is not set by this session."}

    def _toggle_autonomous_mode(self, params: dict[str, Any], _: _Listener) -> dict[str, Any]:
        self._state = replace(self._state, autonomous=params["on"])
        return {"message": f"Autonomous mode is now {'on' if params['on'] else 'off'}.", "autonomous": params["on"]}

    def _check_programs(self, why: str) -> None:
        if self.level == "L1":
            raise Refusal("PERMISSION_ERROR", f"{why}, and this session is of level L1: file commands only")

    def _run(self, params: dict[str, Any], listener: _Listener) -> dict[str, Any]:
        self._check_programs("a program needs a jail")
        timeout_s = self._timeout_s(params.get("timeout_s"))
        words = split(params["command_line"])
        stdin = _encoded("stdin", params.get("stdin", ""), commands.MAX_STDIN_BYTES)
        for word in words:
            _encoded("command_line", word, commands.MAX_LINE_CHARS * 4)
        terminal = params.get("terminal", False)
        if terminal and self.level != "L3":
            raise Refusal(
                "PERMISSION_ERROR", "a terminal is had at level L3 only: below it the host's would be in reach"
            )
        message = {"do": "run", "timeout_s": timeout_s, "terminal": terminal, **self._program(words)}
        if self._undo is not None:
            self._remember(self._undo)
        kept = {stream: Kept(self._limits.output_bytes) for stream in ("stdout", "stderr")}
        kills = self._jail().memory_kills()
        try:
            self._jail().send(message, stdin)
            answer = self._follow(kept, listener, time.monotonic() + timeout_s + _LATE_S)
        except (CellEnded, TimeoutError) as error:
            # The helper is gone or silent while a program ran: the program's doing, not the sandbox's fault.
            report = self._jail().end()
            self._cell = None
            logger.warning("the jail ended under a program", extra={"code": report.code, "said": report.said})
            raise Failed(
                "the jail ended while the program ran, with all that was started; the next command starts a new one",
                "TOOL_EXECUTION_ERROR",
                outputs(kept, self._limits.output_bytes),
                "memory" if report.out_of_memory else None,
            ) from error
        except BaseException:
            # The caller's own listener failed, or a person pressed Ctrl-C: the program must not go on unheard.
            self.close()
            raise
        if answer.get("limit") is None and self._jail().memory_kills() > kills:
            answer["limit"] = "memory"
        data = ending(answer, outputs(kept, self._limits.output_bytes))
        if "deleted" in data:
            raise self._deletion(data)
        return judged(answer, data)

    def _program(self, words: list[str]) -> dict[str, Any]:
        return {
            "candidates": candidates(words, self._state.cwd, self._state.venv),
            "cwd": self._state.cwd,
            "env": self._environment(),
            "watch_deletions": not self._state.autonomous,
        }

    def _start(self, params: dict[str, Any], listener: _Listener) -> dict[str, Any]:
        name = params["name"]
        commands.check_program_name(name)
        if self.level != "L3":
            raise Refusal("PERMISSION_ERROR", started.why_not(self.level))
        words = split(params["command_line"])
        for word in words:
            _encoded("command_line", word, commands.MAX_LINE_CHARS * 4)
        stdin = _encoded("stdin", params.get("stdin", ""), commands.MAX_STDIN_BYTES)
        answer, body = self._ask({"do": "start", "name": name, **self._program(words)}, stdin)
        listener.hear("stdout", body)
        return started.begun(name, answer, body)

    def _process_log(self, params: dict[str, Any], listener: _Listener) -> dict[str, Any]:
        commands.check_program_name(params["name"])
        from_byte = params.get("from_byte", 0)
        if not 0 <= from_byte <= commands.MOST_OFFSET:
            raise Refusal("INVALID_PARAMETERS", f"from_byte must be from 0 to {commands.MOST_OFFSET:,}")
        answer, body = self._ask({"do": "log", "name": params["name"], "from_byte": from_byte})
        listener.hear("stdout", body)
        return started.told(params["name"], answer, body, from_byte)

    def _stop(self, params: dict[str, Any], listener: _Listener) -> dict[str, Any]:
        commands.check_program_name(params["name"])
        answer, body = self._ask({"do": "stop", "name": params["name"]})
        listener.hear("stdout", body)
        return started.ended(params["name"], answer, body)

    def _remember(self, undo: Undo) -> None:
        try:
            undo.remember()
        except SnapshotRefused as refused:
            raise Refusal("TOOL_EXECUTION_ERROR", f"the workspace cannot be kept: {refused}") from refused

    def _deletion(self, data: dict[str, Any]) -> Failed:
        """What a program gets that deleted files with autonomous mode off."""
        names, count = ", ".join(data["deleted"][:3]), data["deleted_count"]
        more = f" and {count - 3} more" if count > 3 else ""
        undone = "what it did is undone" if self._undo is not None else "its files are not to be kept"
        if self._undo is not None:
            self._undo.restore()
        reason = f"it deleted {names}{more}, which it did not create; autonomous mode is off, so {undone}"
        return Failed(reason, "PERMISSION_ERROR", data | {"undone": self._undo is not None}, None)

    def _follow(self, kept: dict[str, Kept], listener: _Listener, deadline: float) -> dict[str, Any]:
        """Passes a program's output on until its end; cancels it when the listener says so."""
        cancelled = False
        cell = self._jail()
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
                return self._answer((message, body))[0]
            stream = message.get("out")
            if stream not in kept:
                raise BadFrame("output of an unknown stream")
            kept[stream].add(body)
            listener.hear(stream, body)

    def _ask(self, message: dict[str, Any], body: bytes = b"") -> Frame:
        cell = self._jail()
        cell.send({"watch_deletions": not self._state.autonomous, **message}, body)
        return self._answer(cell.receive(time.monotonic() + _ANSWER_S))

    def _answer(self, frame: Frame) -> Frame:
        self._living = started.living(frame[0].pop("living", []))
        return _plain(frame)

    def _jail(self) -> Cell:
        if self._cell is None:
            self._cell = self._new_cell()
        return self._cell

    def _new_cell(self) -> Cell:
        return Cell(self._root, templates_folder(), self._limits, self.level, self._plan)

    def _place(self, path: str) -> str:
        _encoded("path", path, commands.MAX_PATH_BYTES)
        return commands.place(self._state.cwd, path)

    def _timeout_s(self, wanted: float | None) -> float:
        if wanted is None:
            return self._limits.soft_s
        if not 0 < wanted <= self._limits.hard_s:
            raise Refusal("INVALID_PARAMETERS", f"timeout_s must be above 0 and at most {self._limits.hard_s:g}")
        return float(wanted)

    def _environment(self) -> dict[str, str]:
        """What a program finds in its environment: nothing of the worker's."""
        env = {
            "PATH": f"{PurePosixPath(interpreter.choose().program).parent}:/usr/local/bin:/usr/bin:/bin",
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
            **(self._plan.environment if self._plan is not None else {}),
            **self._state.env,
        }
        if self._state.venv is not None:
            place = commands.within(self._state.venv)
            env |= {"VIRTUAL_ENV": place, "PATH": f"{place}/bin:{env['PATH']}"}
        return env


class _Listener:
    """The caller's side of a running program."""

    def __init__(self, on_output: OnOutput | None, cancel: threading.Event | None) -> None:
        self._on_output = on_output
        self._cancel = cancel

    @property
    def cancelled(self) -> bool:
        return self._cancel is not None and self._cancel.is_set()

    def hear(self, stream: str, data: bytes) -> None:
        if self._on_output is not None:
            self._on_output(stream, data)


def _plain(frame: Frame) -> Frame:
    """A final frame without its wire fields. Raises Refusal when it tells of one."""
    message, body = frame
    if message.pop("end", None) is not True:
        raise BadFrame("an answer out of turn")
    if "error_class" in message:
        raise Refusal(str(message["error_class"]), str(message.get("reason", "")))
    return message, body


def _short(name: str, text: str) -> str:
    _encoded(name, text, commands.MAX_PATTERN_CHARS * 4)
    if len(text) > commands.MAX_PATTERN_CHARS:
        raise Refusal("INVALID_PARAMETERS", f"{name} is longer than {commands.MAX_PATTERN_CHARS:,} characters")
    return text


def _encoded(name: str, text: str, most_bytes: int) -> bytes:
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Refusal("INVALID_PARAMETERS", f"{name} holds characters that UTF-8 cannot say") from error
    if len(data) > most_bytes:
        raise Refusal("INVALID_PARAMETERS", f"{name} is longer than {most_bytes:,} bytes")
    return data
