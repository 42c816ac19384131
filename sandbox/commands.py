"""The commands of a session: their parameters, and the messages for invalid requests.

Pure. The commands are implemented in `sessions` and, inside the jail, in `jail/inside`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

WORKSPACE = "/workspace"
WRITE_MODES = ("overwrite", "create", "append", "patch")
FIND_KINDS = ("any", "file", "dir", "link")
MOST_NEWEST = 1000
MAX_PATTERN_CHARS = 1000
MOST_VARIABLES = 100
MAX_VALUE_CHARS = 8192
# Variables that decide how a program starts: what is found first, what is loaded, where the jail lets it write.
_OWN_VARIABLES = frozenset({"PATH", "VIRTUAL_ENV", "HOME", "TMPDIR", "ENV", "BASH_ENV"})
_OWN_PREFIXES = ("LD_", "PYTHON")
_PROGRAM_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
MOST_OFFSET = 10**12
MAX_PATH_BYTES = 16_384
MAX_CONTENT_BYTES = 16 << 20
MAX_STDIN_BYTES = 16 << 20
MAX_LINE_CHARS = 128 << 10


class Refusal(Exception):
    """A request that is not carried out; `error_class` is its failure class, the message names the argument."""

    def __init__(self, error_class: str, reason: str) -> None:
        super().__init__(reason)
        self.error_class = error_class


@dataclass(frozen=True)
class Signature:
    """The parameters of a command by name and type, and its help for people.

    `summary` fits in a line, `more` has further details, `example` is a line as it is typed.
    """

    required: Mapping[str, type]
    optional: Mapping[str, type]
    summary: str
    example: str
    more: str


def _takes(
    summary: str, example: str, more: str, required: Mapping[str, type] | None = None, **optional: type
) -> Signature:
    return Signature(required or {}, optional, summary, example, more)


_REPLACES = "With overwrite a file may replace a file, in autonomous mode; nothing else is ever replaced."

COMMANDS: Mapping[str, Signature] = {
    "ls": _takes("list a folder", "ls src", "Without a path, the folder you are in.", path=str),
    "cd": _takes("go to a folder", "cd src", "Paths start at the folder you are in, or at /workspace.", {"path": str}),
    "mkdir": _takes(
        "make a folder and those above it", "mkdir src/tests", "An existing folder is kept.", {"path": str}
    ),
    "read": _takes(
        "show a file's content, or some of its lines or bytes",
        "read main.py from_line=10 to_line=20",
        "Lines count from 1, bytes (offset, length) from 0.",
        {"path": str},
        from_line=int,
        to_line=int,
        offset=int,
        length=int,
    ),
    "write": _takes(
        "write a file (mode: overwrite, create, append or patch)",
        "write notes.txt 'one more line' append",
        "With patch, the content is a unified diff that must fit exactly.",
        {"path": str, "content": str},
        mode=str,
    ),
    "rm": _takes(
        "remove a file or folder (autonomous mode only)",
        "rm old.txt",
        "A folder is removed with everything in it.",
        {"path": str},
    ),
    "mv": _takes(
        "move or rename a file or folder",
        "mv draft.txt final.txt",
        f"TO is the new path in full. {_REPLACES}",
        {"path": str, "to": str},
        overwrite=bool,
    ),
    "cp": _takes(
        "copy a file or folder",
        "cp settings.ini settings.ini.old",
        f"TO is the new path in full. {_REPLACES}",
        {"path": str, "to": str},
        overwrite=bool,
    ),
    "find": _takes(
        "find files and folders by name",
        "find '*.py' kind=file newest=3",
        f"*, ? and […] stand for other characters. Kind: {', '.join(FIND_KINDS)}. Newest: only the last ones changed.",
        pattern=str,
        path=str,
        kind=str,
        newest=int,
    ),
    "grep": _takes(
        "find lines that contain a text (regular: that match a regular expression)",
        "grep 'def main' src ignore_case",
        "Files that are not text are skipped.",
        {"text": str},
        path=str,
        regular=bool,
        ignore_case=bool,
    ),
    "create_venv": _takes(
        "make a virtual environment with pip", "create_venv .venv", "It is a folder.", {"venv_name": str}
    ),
    "activate_venv": _takes(
        "use a virtual environment for python and pip",
        "activate_venv .venv",
        "It stays in use until deactivate_venv.",
        {"venv_name": str},
    ),
    "deactivate_venv": _takes(
        "stop using the virtual environment", "deactivate_venv", "python and pip are the system's again."
    ),
    "run": _takes(
        "run an allowed program",
        "run python main.py --fast",
        "One program without a shell: no pipes, no redirection. Ctrl-C ends it. With terminal=on it gets a terminal.",
        {"command_line": str},
        timeout_s=float,
        stdin=str,
        terminal=bool,
    ),
    "start": _takes(
        "start a program that keeps running during the next commands",
        "start server python -m http.server 8000",
        "First its name, then its command line. It ends with stop, or with the session.",
        {"name": str, "command_line": str},
        stdin=str,
    ),
    "process_log": _takes(
        "show what a started program wrote",
        "process_log server",
        "from_byte=1000 shows what came after the first 1,000 bytes.",
        {"name": str},
        from_byte=int,
    ),
    "stop": _takes("end a started program", "stop server", "Everything it started ends too.", {"name": str}),
    "set_env": _takes(
        "set an environment variable for programs",
        "set_env GREETING 'good day'",
        "Variables that decide what runs, such as PATH, cannot be set.",
        {"name": str, "value": str},
    ),
    "unset_env": _takes(
        "forget an environment variable", "unset_env GREETING", "env shows the variables that are set.", {"name": str}
    ),
    "toggle_autonomous_mode": _takes(
        "allow or forbid destructive commands",
        "toggle_autonomous_mode on",
        "While it is off, nothing can be removed or overwritten, and what a program deletes is put back.",
        {"on": bool},
    ),
}

# Only the tools of a plan use it; nobody can type it.
OF_TOOLS: Mapping[str, Signature] = {
    "tool": _takes(
        "run a tool's function in the jail",
        "",
        "Sources are modules by name; the last has the function that answers. Paths are parameters that name files.",
        {"sources": dict, "function": str, "params": dict, "paths": dict, "reads_only": bool},
        timeout_s=float,
        kit=str,
    ),
}


def check(command: str, params: Mapping[str, Any]) -> None:
    """Raises Refusal unless `command` exists and takes exactly these parameters."""
    signature = COMMANDS.get(command) or OF_TOOLS.get(command)
    if signature is None:
        raise _invalid(f"there is no command {command[:64]!r}; there are {', '.join(COMMANDS)}")
    missing = sorted(signature.required.keys() - params.keys())
    if missing:
        raise _invalid(f"{command} needs {', '.join(missing)}")
    known = {**signature.required, **signature.optional}
    extra = sorted(str(name)[:64] for name in params.keys() - known.keys())
    if extra:
        raise _invalid(f"{command} does not take {', '.join(extra)}")
    for name, value in params.items():
        _check_value(name, value, known[name])


def _check_value(name: str, value: Any, wanted: type) -> None:
    fits = isinstance(value, (int, float) if wanted is float else wanted)
    if not fits or (isinstance(value, bool) and wanted is not bool):
        words = {str: "text", float: "a number", int: "a whole number", bool: "true or false", dict: "an object"}
        raise _invalid(f"{name} must be {words[wanted]}")
    if isinstance(value, str) and name != "content" and name != "stdin" and "\0" in value:
        raise _invalid(f"{name} holds a NUL character")


def part_of(params: Mapping[str, Any]) -> dict[str, Any]:
    """Which part of a file a `read` asks for: `lines` from and to, or `bytes` from and how many. Raises Refusal."""
    for name, least in (("from_line", 1), ("to_line", 1), ("offset", 0), ("length", 1)):
        if not least <= params.get(name, least) <= MOST_OFFSET:
            raise _invalid(f"{name} must be from {least} to {MOST_OFFSET:,}")
    if not {"from_line", "to_line"} & params.keys():
        return {"bytes": [params.get("offset", 0), params.get("length")]}
    if {"offset", "length"} & params.keys():
        raise _invalid("a part of a file is given by lines or by bytes, not by both")
    first, last = params.get("from_line", 1), params.get("to_line")
    if last is not None and last < first:
        raise _invalid("to_line must not be before from_line")
    return {"lines": [first, last]}


def check_variable(name: str) -> None:
    """Raises Refusal for an invalid name, or one that belongs to the session."""
    if not _VARIABLE.fullmatch(name):
        raise _invalid("the name of a variable has letters, digits and _, at most 64, and no digit first")
    if name in _OWN_VARIABLES or name.startswith(_OWN_PREFIXES):
        reason = "decides which programs and libraries run, which only the session and activate_venv do"
        raise Refusal("PERMISSION_ERROR", f"{name} {reason}")


def check_program_name(name: str) -> None:
    """Raises Refusal for a name that a started program may not have."""
    if not _PROGRAM_NAME.fullmatch(name):
        raise _invalid(
            "the name of a program has letters, digits, _ and -, at most 32, and begins with one of the first"
        )


def short(name: str, text: str) -> str:
    """A text to search for. Raises Refusal if it is too long."""
    encoded(name, text, MAX_PATTERN_CHARS * 4)
    if len(text) > MAX_PATTERN_CHARS:
        raise _invalid(f"{name} is longer than {MAX_PATTERN_CHARS:,} characters")
    return text


def encoded(name: str, text: str, most_bytes: int) -> bytes:
    """The bytes of an argument. Raises Refusal, which names it, if it is not valid UTF-8 or too long."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _invalid(f"{name} holds characters that UTF-8 cannot say") from error
    if len(data) > most_bytes:
        raise _invalid(f"{name} is longer than {most_bytes:,} bytes")
    return data


def _invalid(reason: str) -> Refusal:
    return Refusal("INVALID_PARAMETERS", reason)


def place(cwd: str, path: str) -> str:
    """`path` as typed in the folder `cwd`, as a path relative to the workspace's root ("" is the root).

    Raises Refusal if it leads outside. `..` is resolved in the text, which is correct because no link is ever
    followed.
    """
    if not path:
        raise _invalid("path is empty")
    if len(path.encode("utf-8", "surrogateescape")) > MAX_PATH_BYTES:
        raise _invalid(f"path is longer than {MAX_PATH_BYTES} bytes")
    whole = path if path.startswith("/") else f"{WORKSPACE}/{cwd}/{path}"
    parts: list[str] = []
    for part in whole.split("/"):
        if part == "..":
            if len(parts) <= 1:
                raise _outside(path)
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    if not parts or f"/{parts[0]}" != WORKSPACE:
        raise _outside(path)
    return "/".join(parts[1:])


def _outside(path: str) -> Refusal:
    return Refusal("PERMISSION_ERROR", f"path {path[:200]!r} leads outside of the workspace")


def shown(relative: str) -> str:
    """A path in the workspace for people."""
    return f"./{relative}" if relative else "."


def within(relative: str) -> str:
    """A path in the workspace as programs in the jail see it."""
    return posixpath.join(WORKSPACE, relative) if relative else WORKSPACE
