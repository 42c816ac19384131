"""The commands on files and folders: each is one request to the helper, which alone touches the workspace."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any

from sandbox import commands
from sandbox.commands import Refusal
from sandbox.sessions.ground import Ground


def _ls(ground: Ground, params: dict[str, Any]) -> dict[str, Any]:
    answer, _body = ground.ask({"do": "ls", "path": ground.place(params.get("path", "."))})
    return answer


def _mkdir(ground: Ground, params: dict[str, Any]) -> dict[str, Any]:
    place = ground.place(params["path"])
    ground.ask({"do": "mkdir", "path": place})
    return {"message": f"Directory created/ensured at {commands.shown(place)}"}


def _read(ground: Ground, params: dict[str, Any]) -> dict[str, Any]:
    part = commands.part_of(params)
    answer, body = ground.ask({"do": "read", "path": ground.place(params["path"]), **part})
    try:
        content, encoding = body.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        content, encoding = "", "base64"
        if answer.get("truncated") is True and error.start >= len(body) - 3:
            # Cut within a character: the part before it is text.
            content, encoding = body[: error.start].decode("utf-8"), "utf-8"
    # A database cannot store NUL in text, so such a file counts as binary.
    if encoding == "base64" or "\0" in content:
        content, encoding = base64.b64encode(body).decode("ascii"), "base64"
    return {"content": content, "encoding": encoding, **answer}


def _write(ground: Ground, params: dict[str, Any]) -> dict[str, Any]:
    mode = params.get("mode", "overwrite")
    if mode not in commands.WRITE_MODES:
        raise Refusal("INVALID_PARAMETERS", f"mode must be one of {', '.join(commands.WRITE_MODES)}")
    content = commands.encoded("content", params["content"], commands.MAX_CONTENT_BYTES)
    place = ground.place(params["path"])
    answer, _body = ground.ask({"do": "write", "path": place, "mode": mode}, content)
    done = "Patched" if mode == "patch" else f"Wrote {len(content):,} bytes to"
    return {"message": f"{done} {commands.shown(place)}", **answer}


def _rm(ground: Ground, params: dict[str, Any]) -> dict[str, Any]:
    if not ground.state.autonomous:
        raise Refusal("PERMISSION_ERROR", "rm works in autonomous mode only, which is off")
    place = ground.place(params["path"])
    answer, _body = ground.ask({"do": "rm", "path": place})
    return {"message": f"Removed {commands.shown(place)}", **answer}


def _mv(ground: Ground, params: dict[str, Any]) -> dict[str, Any]:
    return _transfer(ground, "mv", "Moved", params)


def _cp(ground: Ground, params: dict[str, Any]) -> dict[str, Any]:
    return _transfer(ground, "cp", "Copied", params)


def _transfer(ground: Ground, command: str, done: str, params: dict[str, Any]) -> dict[str, Any]:
    place, to = ground.place(params["path"]), ground.place(params["to"])
    overwrite = params.get("overwrite", False)
    message = {"do": command, "path": place, "to": to, "overwrite": overwrite, "autonomous": ground.state.autonomous}
    answer, _body = ground.ask(message)
    return {"message": f"{done} {commands.shown(place)} to {commands.shown(to)}", **answer}


def _find(ground: Ground, params: dict[str, Any]) -> dict[str, Any]:
    kind, newest = params.get("kind", "any"), params.get("newest")
    if kind not in commands.FIND_KINDS:
        raise Refusal("INVALID_PARAMETERS", f"kind must be one of {', '.join(commands.FIND_KINDS)}")
    if newest is not None and not 1 <= newest <= commands.MOST_NEWEST:
        raise Refusal("INVALID_PARAMETERS", f"newest must be from 1 to {commands.MOST_NEWEST:,}")
    pattern = commands.short("pattern", params.get("pattern", "*"))
    place = ground.place(params.get("path", "."))
    answer, _body = ground.ask({"do": "find", "path": place, "pattern": pattern, "kind": kind, "newest": newest})
    return answer


def _grep(ground: Ground, params: dict[str, Any]) -> dict[str, Any]:
    text = commands.short("text", params["text"])
    if not text or "\n" in text:
        raise Refusal("INVALID_PARAMETERS", "text must be one line, since lines are looked at one by one")
    place = ground.place(params.get("path", "."))
    how = {"regular": params.get("regular", False), "ignore_case": params.get("ignore_case", False)}
    answer, _body = ground.ask({"do": "grep", "path": place, "text": text, **how})
    return answer


COMMANDS: Mapping[str, Callable[[Ground, dict[str, Any]], dict[str, Any]]] = {
    "ls": _ls,
    "mkdir": _mkdir,
    "read": _read,
    "write": _write,
    "rm": _rm,
    "mv": _mv,
    "cp": _cp,
    "find": _find,
    "grep": _grep,
}
