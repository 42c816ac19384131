"""The commands that run programs, and those for what programs find: environments, variables, autonomous mode."""

from __future__ import annotations

from typing import Any

from agents.toolkit.command import Command
from agents.toolkit.describing import fields, hosts, path
from agents.toolkit.limits import BOUNDS
from agents.toolkit.simple_coder.command import command, count
from sandbox.commands import MAX_VALUE_CHARS


def _variable() -> dict[str, Any]:
    return {"type": "string", "title": "Name", "minLength": 1, "maxLength": 64}


def _command_line() -> dict[str, Any]:
    return {"type": "string", "title": "Command line", "minLength": 1, "maxLength": 8192}


def _input() -> dict[str, Any]:
    return {"type": "string", "title": "Input", "maxLength": 1_000_000, "x-reference": True, "x-multiline": True}


def _program_name() -> dict[str, Any]:
    return {"type": "string", "title": "Name of the program", "minLength": 1, "maxLength": 32}


PROGRAMS: tuple[Command, ...] = (
    command(
        "create_venv",
        summary="Create a Python virtual environment.",
        schema=fields({"venv_name": path("Folder of the environment", default=".venv")}),
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
    command(
        "activate_venv",
        summary="Use a virtual environment for the programs that run next.",
        schema=fields({"venv_name": path("Folder of the environment", default=".venv")}),
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
    command(
        "deactivate_venv",
        summary="Use the system's Python again.",
        schema=fields({}),
        phrases=("deactivate the virtual environment", "deactivate the venv"),
        effect="idempotent",
        beliefs_added=("a virtual environment is not active",),
        result_keys=("message",),
        examples=({},),
        changes_session=True,
    ),
    command(
        "run",
        summary="Run a program without a shell, inside the jail.",
        schema=fields(
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
                "hosts": hosts(),
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
    command(
        "start",
        summary="Start a program that goes on beside the next steps, until it is stopped or the plan ends.",
        schema=fields(
            {"name": _program_name(), "command_line": _command_line(), "stdin": _input(), "hosts": hosts()},
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
    command(
        "process_log",
        summary="Show what a started program wrote, and whether it still runs.",
        schema=fields({"name": _program_name(), "from_byte": count("From byte", least=0)}, "name"),
        phrases=(
            "show the log of the program {name} [from byte {from_byte}]",
            "(show|read) the (log|output) of [the program] {name}",
        ),
        effect="idempotent",
        result_keys=("output", "running"),
        examples=({"name": "server"},),
    ),
    command(
        "stop",
        summary="Stop a started program, with everything it started.",
        schema=fields({"name": _program_name()}, "name"),
        phrases=("stop the program {name}", "(stop|end) [the program] {name}"),
        effect="once",
        beliefs_added=("the program {name} is not running",),
        result_keys=("output", "return_code"),
        examples=({"name": "server"},),
    ),
    command(
        "set_env",
        summary="Set an environment variable for the programs that run next.",
        schema=fields(
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
    command(
        "unset_env",
        summary="Forget an environment variable.",
        schema=fields({"name": _variable()}, "name"),
        phrases=("unset the environment variable {name}", "(unset|forget) [the] variable {name}"),
        effect="idempotent",
        beliefs_added=("the environment variable {name} is not set",),
        result_keys=("message",),
        examples=({"name": "GREETING"},),
        changes_session=True,
    ),
    command(
        "toggle_autonomous_mode",
        summary="Switch autonomous mode on or off; only while it is on can things be removed.",
        schema=fields({"on": {"type": "boolean", "title": "On"}}, "on"),
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
)
