"""SimpleCoder: the jailed terminal session. Its commands are the session's own, one request each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.bdi.limits import BOUNDS
from agents.toolkit.command import Command, Params, Tool
from agents.toolkit.schemas import HOSTS_KIND
from sandbox.commands import FIND_KINDS, MAX_PATTERN_CHARS, MAX_VALUE_CHARS, MOST_NEWEST, MOST_OFFSET, WRITE_MODES
from sandbox.contract import Request
from sandbox.gate.hosts import MOST_ENTRIES

NAME = "simple_coder"


def _object(properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": dict(properties), "required": list(required)}


def _path(title: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "title": title, "minLength": 1, "maxLength": 1024, "x-kind": "path", **more}


def _count(title: str, least: int = 1) -> dict[str, Any]:
    return {"type": "integer", "title": title, "minimum": least, "maximum": MOST_OFFSET}


def _variable() -> dict[str, Any]:
    return {"type": "string", "title": "Name", "minLength": 1, "maxLength": 64}


def _command_line() -> dict[str, Any]:
    return {"type": "string", "title": "Command line", "minLength": 1, "maxLength": 8192}


def _input() -> dict[str, Any]:
    return {"type": "string", "title": "Input", "maxLength": 1_000_000, "x-reference": True, "x-multiline": True}


def _program_name() -> dict[str, Any]:
    return {"type": "string", "title": "Name of the program", "minLength": 1, "maxLength": 32}


def _transfer() -> dict[str, Any]:
    """The parameters of moving and of copying: a new path in full, never the folder to put something in."""
    overwrite = {"type": "boolean", "title": "Replace a file that is there", "default": False}
    return _object({"path": _path("File or folder"), "to": _path("New path"), "overwrite": overwrite}, "path", "to")


def _hosts() -> dict[str, Any]:
    """What a program may reach: it decides how the jail is opened, so the session's command never sees it."""
    entry = {"type": "string", "minLength": 1, "maxLength": 260}
    return {
        "type": "array",
        "title": "Hosts it may reach",
        "items": entry,
        "maxItems": MOST_ENTRIES,
        "x-kind": HOSTS_KIND,
    }


def _command(name: str, **parts: Any) -> Command:
    described = parts["schema"]["properties"]
    for_the_jail = {field for field in described if described[field].get("x-kind") == HOSTS_KIND}

    def requests(params: Params) -> tuple[Request, ...]:
        return (Request(name, {field: value for field, value in params.items() if field not in for_the_jail}),)

    return Command(NAME, name, requests=requests, **parts)


TOOL = Tool(
    NAME,
    "SimpleCoder",
    "A jailed terminal in the workspace: files, folders, virtual environments, programs.",
    (
        _command(
            "ls",
            summary="List what a folder holds.",
            schema=_object({"path": _path("Folder", default=".")}),
            phrases=(
                "list the files in {path}",
                "(list|show) the files in the folder {path}",
                "(list|show) the files [here]",
            ),
            effect="idempotent",
            result_keys=("items",),
            examples=({"path": "api_client"},),
        ),
        _command(
            "cd",
            summary="Go to a folder; later paths start there.",
            schema=_object({"path": _path("Folder")}, "path"),
            phrases=("go to the folder {path}", "(go|change) (to|into) [the folder] {path}"),
            effect="idempotent",
            beliefs_added=("you are in the folder {path}",),
            result_keys=("message",),
            examples=({"path": "api_client"},),
            changes_session=True,
        ),
        _command(
            "mkdir",
            summary="Create a folder, and the folders above it.",
            schema=_object({"path": _path("Folder")}, "path"),
            phrases=("create the folder {path}", "(create|make) the folder [named] {path}"),
            effect="workspace",
            beliefs_added=(
                "the folder {path} is empty UNLESS there is a folder named {path}",
                "there is a folder named {path}",
            ),
            result_keys=("message",),
            examples=({"path": "api_client"},),
        ),
        _command(
            "read",
            summary="Read a file, or some of its lines or bytes.",
            schema=_object(
                {
                    "path": _path("File"),
                    "from_line": _count("First line"),
                    "to_line": _count("Last line"),
                    "offset": _count("First byte, counted from 0", least=0),
                    "length": _count("How many bytes"),
                },
                "path",
            ),
            phrases=(
                "read the file {path} [from line {from_line}] [to line {to_line}] [from byte {offset}] "
                "[for {length} bytes]",
                "(read|show) [the file] {path}",
                "(read|show) the lines {from_line} to {to_line} of [the file] {path}",
            ),
            effect="idempotent",
            result_keys=("content",),
            examples=(
                {"path": "main.py"},
                {"path": "main.py", "from_line": 10, "to_line": 20},
                {"path": "log.txt", "offset": 1000, "length": 500},
            ),
        ),
        _command(
            "write",
            summary="Write a text file: over what was in it, as a new file, at its end, or as a patch (unified diff).",
            schema=_object(
                {
                    "path": _path("File"),
                    "content": {
                        "type": "string",
                        "title": "Content",
                        "maxLength": 1_000_000,
                        "x-reference": True,
                        "x-multiline": True,
                    },
                    "mode": {
                        "type": "string",
                        "title": "If the file exists",
                        "enum": list(WRITE_MODES),
                        "default": "overwrite",
                    },
                },
                "path",
                "content",
            ),
            phrases=(
                "write {content} to the file {path} [in the mode {mode}]",
                "(write|save) {content} (to|into|as) [the file] {path}",
                "create the file {path} with [the (text|content)] {content}",
            ),
            effect="workspace",
            beliefs_added=("there is a file named {path}",),
            result_keys=("message",),
            examples=({"path": "main.py", "content": "print('hello')\n"},),
        ),
        _command(
            "rm",
            summary="Remove a file, or a folder with everything in it. Only in autonomous mode.",
            schema=_object({"path": _path("File or folder")}, "path"),
            phrases=(
                "remove the file or folder {path}",
                "(remove|delete) [the file|the folder|the file or folder] {path}",
            ),
            effect="workspace",
            beliefs_added=("there is no file or folder named {path}",),
            result_keys=("message",),
            examples=({"path": "old.txt"},),
            needs_autonomous=True,
        ),
        _command(
            "mv",
            summary="Give a file or folder a new path. A file that is there already goes only in autonomous mode.",
            schema=_transfer(),
            phrases=(
                "move the file or folder {path} to {to} [with overwriting {overwrite}]",
                "(move|rename) [the file|the folder|the file or folder] {path} (to|into|as) {to}",
            ),
            effect="workspace",
            beliefs_added=("there is no file or folder named {path}", "there is a file or folder named {to}"),
            result_keys=("message",),
            examples=({"path": "draft.txt", "to": "final.txt"},),
            autonomous_with="overwrite",
        ),
        _command(
            "cp",
            summary="Copy a file or folder. A file that is there already goes only in autonomous mode.",
            schema=_transfer(),
            phrases=(
                "copy the file or folder {path} to {to} [with overwriting {overwrite}]",
                "copy [the file|the folder|the file or folder] {path} (to|into|as) {to}",
            ),
            effect="workspace",
            beliefs_added=("there is a file or folder named {to}",),
            result_keys=("message",),
            examples=({"path": "settings.ini", "to": "settings.ini.old"},),
            autonomous_with="overwrite",
        ),
        _command(
            "find",
            summary="Find files and folders by name (*, ? and […] stand for other characters), or the newest ones.",
            schema=_object(
                {
                    "pattern": {"type": "string", "title": "Name", "minLength": 1, "maxLength": 255, "default": "*"},
                    "path": _path("Folder", default="."),
                    "kind": {"type": "string", "title": "Kind", "enum": list(FIND_KINDS), "default": "any"},
                    "newest": {
                        "type": "integer",
                        "title": "Only so many, the newest first",
                        "minimum": 1,
                        "maximum": MOST_NEWEST,
                    },
                }
            ),
            phrases=(
                "find everything named {pattern} [in the folder {path}] [of the kind {kind}] [newest {newest}]",
                "find [all] (files|folders|files and folders) named {pattern} [(in|below) the folder {path}]",
                "find everything [(in|below) the folder {path}]",
            ),
            effect="idempotent",
            result_keys=("items",),
            examples=({"pattern": "*.py"}, {"pattern": "*.log", "path": "logs", "kind": "file", "newest": 3}),
        ),
        _command(
            "grep",
            summary="Find the lines of files that hold a text, or that fit a regular expression.",
            schema=_object(
                {
                    "text": {"type": "string", "title": "Text", "minLength": 1, "maxLength": MAX_PATTERN_CHARS},
                    "path": _path("File or folder", default="."),
                    "regular": {"type": "boolean", "title": "It is a regular expression", "default": False},
                    "ignore_case": {"type": "boolean", "title": "Small and capital letters alike", "default": False},
                },
                "text",
            ),
            phrases=(
                "search for the text {text} [in the path {path}] [with regular expressions {regular}] "
                "[with ignoring case {ignore_case}]",
                "(search|look) for [the text] {text} (in|below) [the (file|folder|path)] {path}",
            ),
            effect="idempotent",
            result_keys=("matches",),
            examples=({"text": "import os"}, {"text": "def .*main", "path": "src", "regular": True}),
        ),
        _command(
            "create_venv",
            summary="Create a Python virtual environment.",
            schema=_object({"venv_name": _path("Folder of the environment", default=".venv")}),
            phrases=(
                "create the virtual environment {venv_name}",
                "(create|make) a (virtual environment|venv) [named] {venv_name}",
                "(create|make) a (virtual environment|venv)",
            ),
            effect="workspace",
            beliefs_added=("there is a folder named {venv_name}", "the folder {venv_name} is a virtual environment"),
            result_keys=("message",),
            examples=({"venv_name": ".venv"},),
        ),
        _command(
            "activate_venv",
            summary="Use a virtual environment for the programs that run next.",
            schema=_object({"venv_name": _path("Folder of the environment", default=".venv")}),
            phrases=(
                "activate the virtual environment {venv_name}",
                "(activate|use) the (virtual environment|venv) [named] {venv_name}",
                "(activate|use) the (virtual environment|venv)",
            ),
            effect="idempotent",
            beliefs_added=("a virtual environment is active",),
            result_keys=("message",),
            examples=({"venv_name": ".venv"},),
            changes_session=True,
        ),
        _command(
            "deactivate_venv",
            summary="Use the system's Python again.",
            schema=_object({}),
            phrases=("deactivate the virtual environment", "deactivate the venv"),
            effect="idempotent",
            beliefs_added=("a virtual environment is not active",),
            result_keys=("message",),
            examples=({},),
            changes_session=True,
        ),
        _command(
            "run",
            summary="Run a program without a shell, inside the jail.",
            schema=_object(
                {
                    "command_line": _command_line(),
                    "timeout_s": {
                        "type": "integer",
                        "title": "Time limit in seconds",
                        "minimum": 1,
                        # What a step may ask for here and now stands in its limits, as does what it gets unasked.
                        "maximum": int(BOUNDS["hard_s"][1]),
                    },
                    "stdin": _input(),
                    "hosts": _hosts(),
                    "terminal": {"type": "boolean", "title": "It needs a terminal"},
                },
                "command_line",
            ),
            phrases=(
                "run [the (command|program)] {command_line} [with access to {hosts}] [with the input {stdin}] "
                "[within {timeout_s} seconds] [at a terminal {terminal}]",
                "run [the (command|program)] {command_line} [with the input {stdin}] [within {timeout_s} seconds] "
                "with access to {hosts}",
            ),
            effect="workspace",
            result_keys=("return_code", "stdout", "stderr"),
            examples=(
                {"command_line": "python main.py"},
                {"command_line": "pip install httpx", "hosts": ["packages"]},
                {"command_line": "python ask.py", "terminal": True},
            ),
        ),
        _command(
            "start",
            summary="Start a program that goes on beside the next steps, until it is stopped or the plan ends.",
            schema=_object(
                {"name": _program_name(), "command_line": _command_line(), "stdin": _input(), "hosts": _hosts()},
                "name",
                "command_line",
            ),
            phrases=(
                "start the program {command_line} as {name} [with access to {hosts}] [with the input {stdin}]",
                "start [the command] {command_line} as [the program] {name}",
            ),
            effect="once",
            beliefs_added=("the program {name} is running",),
            result_keys=("output",),
            examples=({"name": "server", "command_line": "python -m http.server 8000"},),
        ),
        _command(
            "process_log",
            summary="Show what a started program wrote, and whether it still runs.",
            schema=_object({"name": _program_name(), "from_byte": _count("From byte", least=0)}, "name"),
            phrases=(
                "show the log of the program {name} [from byte {from_byte}]",
                "(show|read) the (log|output) of [the program] {name}",
            ),
            effect="idempotent",
            result_keys=("output", "running"),
            examples=({"name": "server"},),
        ),
        _command(
            "stop",
            summary="Stop a started program, with everything it started.",
            schema=_object({"name": _program_name()}, "name"),
            phrases=("stop the program {name}", "(stop|end) [the program] {name}"),
            effect="once",
            beliefs_added=("the program {name} is not running",),
            result_keys=("output", "return_code"),
            examples=({"name": "server"},),
        ),
        _command(
            "set_env",
            summary="Set an environment variable for the programs that run next.",
            schema=_object(
                {
                    "name": _variable(),
                    "value": {"type": "string", "title": "Value", "maxLength": MAX_VALUE_CHARS},
                },
                "name",
                "value",
            ),
            phrases=("set the environment variable {name} to {value}", "set [the] variable {name} to {value}"),
            effect="idempotent",
            beliefs_added=("the environment variable {name} is set",),
            result_keys=("message",),
            examples=({"name": "GREETING", "value": "good day"},),
            changes_session=True,
        ),
        _command(
            "unset_env",
            summary="Forget an environment variable.",
            schema=_object({"name": _variable()}, "name"),
            phrases=("unset the environment variable {name}", "(unset|forget) [the] variable {name}"),
            effect="idempotent",
            beliefs_added=("the environment variable {name} is not set",),
            result_keys=("message",),
            examples=({"name": "GREETING"},),
            changes_session=True,
        ),
        _command(
            "toggle_autonomous_mode",
            summary="Switch autonomous mode on or off; only while it is on can things be removed.",
            schema=_object({"on": {"type": "boolean", "title": "On"}}, "on"),
            phrases=(
                "turn autonomous mode {on}",
                "(turn|switch) autonomous mode {on}",
                "(turn|switch) {on} autonomous mode",
            ),
            effect="idempotent",
            beliefs_added=("autonomous mode is {on}",),
            result_keys=("message",),
            examples=({"on": True},),
            changes_session=True,
        ),
    ),
)
