"""Commands as people type them, turned into requests. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sandbox.commands import COMMANDS, Refusal
from sandbox.contract import Request, SessionState
from sandbox.gate.hosts import HostRefused, canonical

# The parameters that the words of a typed command fill, in order; those after "|" are optional.
_ORDER: Mapping[str, str] = {
    "ls": "| path",
    "cd": "path",
    "mkdir": "path",
    "read": "path | from_line to_line offset length",
    "write": "path content | mode",
    "rm": "path",
    "mv": "path to | overwrite",
    "cp": "path to | overwrite",
    "find": "| pattern path kind newest",
    "grep": "text | path regular ignore_case",
    "create_venv": "venv_name",
    "activate_venv": "venv_name",
    "deactivate_venv": "",
    "process_log": "name | from_byte",
    "stop": "name",
    "set_env": "name value",
    "unset_env": "name",
}


# Options of `run` before the program: time in seconds, a terminal, hosts that it may reach.
_OPTION = re.compile(r"(timeout_s|terminal|hosts)=(\S*)(?:\s+|\Z)")
_NUMBER = re.compile(r"[0-9]{1,9}(\.[0-9]{1,3})?\Z")


@dataclass(frozen=True)
class Line:
    """A parsed line: its request, and the hosts of its jail. `text` is its normalised spelling."""

    text: str
    request: Request
    hosts: tuple[str, ...] = ()


def parse(line: str, state: SessionState) -> Request:
    """The request of a line in an open session, whose hosts are fixed. Raises Refusal if it is not valid."""
    meant = read(line, state)
    if meant.hosts:
        raise Refusal("PERMISSION_ERROR", "the hosts of a session are fixed when it starts: python -m sandbox --host")
    return meant.request


def read(line: str, state: SessionState) -> Line:
    """Parses a line. Raises Refusal if it is not valid.

    `run` takes the rest of the line after its options unchanged, or as one quoted word, and `start` what follows the
    name; `toggle_autonomous_mode` without a word switches to the other state.
    """
    command, _, rest = line.strip().partition(" ")
    if command == "run":
        return _program(rest.strip())
    return Line(line.strip(), _request(command, rest, state))


def _program(rest: str) -> Line:
    options: dict[str, str] = {}
    while found := _OPTION.match(rest):
        name, value = found.groups()
        if name in options:
            raise _misused("run")
        options[name] = value
        rest = rest[found.end() :]
    params: dict[str, Any] = {"command_line": _unwrapped(rest)}
    said = []
    hosts = _hosts(options.get("hosts", ""))
    if hosts:
        said.append(f"hosts={','.join(hosts)}")
    if "timeout_s" in options:
        if not _NUMBER.match(options["timeout_s"]):
            raise _misused("run")
        seconds = float(options["timeout_s"])
        params["timeout_s"] = int(seconds) if seconds.is_integer() else seconds
        said.append(f"timeout_s={params['timeout_s']}")
    if "terminal" in options:
        if options["terminal"] not in ("on", "off"):
            raise _misused("run")
        if options["terminal"] == "on":
            params["terminal"] = True
            said.append("terminal=on")
    return Line(" ".join(["run", *said, rest]).strip(), Request("run", params), hosts)


def _hosts(text: str) -> tuple[str, ...]:
    try:
        return canonical(each for each in text.split(",") if each)
    except HostRefused as refused:
        raise Refusal("INVALID_PARAMETERS", str(refused)) from refused


def _request(command: str, rest: str, state: SessionState) -> Request:
    if command == "start":
        name, _, program = rest.strip().partition(" ")
        if not program.strip():
            raise _misused(command)
        return Request(command, {"name": name, "command_line": _unwrapped(program.strip())})
    words = _words(rest)
    if command == "toggle_autonomous_mode":
        return Request(command, {"on": _switch(words, state)})
    if command not in _ORDER:
        raise _unknown(command)
    return Request(command, {name: _value(command, name, word) for name, word in _filled(command, words).items()})


def _filled(command: str, words: list[str]) -> dict[str, str]:
    """The word for each parameter: in order, and by `name=word` once the required ones are there."""
    needed, free = positions(command)
    optional = list(free)
    filled = dict(zip(needed, words, strict=False))
    for word in words[len(needed) :]:
        name, equals, value = word.partition("=")
        if not (equals and name in optional):
            name, value = (free[0] if free else ""), word
        if name not in free:
            raise _misused(command)
        free.remove(name)
        filled[name] = value
    if len(words) < len(needed):
        raise _misused(command)
    return filled


def _value(command: str, name: str, word: str) -> Any:
    """The word converted to the parameter's type; the name of a switch alone turns it on."""
    signature = COMMANDS[command]
    wanted = {**signature.required, **signature.optional}[name]
    if wanted is bool:
        if word not in ("on", "off", name):
            raise _misused(command)
        return word != "off"
    if wanted in (int, float):
        try:
            return wanted(word)
        except ValueError as error:
            raise _misused(command) from error
    return word


def _unknown(command: str) -> Refusal:
    return Refusal("INVALID_PARAMETERS", f"there is no command {command[:64]!r}; type help for a list")


def _misused(command: str) -> Refusal:
    return Refusal("INVALID_PARAMETERS", f"usage: {usage(command)}")


def usage(command: str) -> str:
    """The usage line of a command."""
    if command == "run":
        return "run [timeout_s=SECONDS] [terminal=on] COMMAND LINE"
    if command == "start":
        return "start NAME COMMAND LINE"
    if command == "toggle_autonomous_mode":
        return f"{command} [on|off]"
    needed, optional = positions(command)
    words = [name.upper() for name in needed] + [f"[{name.upper()}]" for name in optional]
    return " ".join([command, *words])


# Words that the terminal handles itself; they are not commands of the session.
WORDS: Mapping[str, tuple[str, str]] = {
    "env": ("env", "show the variables that were set"),
    "json": ("json [on|off]", "answer in JSON, or as readable text"),
    "help": ("help [COMMAND]", "list the commands, or explain one"),
    "exit": ("exit", "leave"),
}


def help_text() -> str:
    """One line for each command and word."""
    rows = [(usage(command), signature.summary) for command, signature in COMMANDS.items()]
    rows += WORDS.values()
    width = max(len(typed) for typed, _ in rows)
    return "\n".join(f"  {typed:<{width}}  {summary}" for typed, summary in rows)


def help_on(command: str) -> str:
    """The help for a command. Raises Refusal if there is none of this name."""
    if command in WORDS:
        typed, summary = WORDS[command]
        return f"{typed}\n  {summary}"
    signature = COMMANDS.get(command)
    if signature is None:
        raise _unknown(command)
    summary = f"{signature.summary[:1].upper()}{signature.summary[1:]}."
    return f"{usage(command)}\n  {summary} {signature.more}\n  Example: {signature.example}"


def positions(command: str) -> tuple[list[str], list[str]]:
    """The required parameters that words fill in order, and the optional ones after them."""
    required, _, optional = _ORDER.get(command, "").partition("|")
    return required.split(), optional.split()


def prompt(state: SessionState) -> str:
    """`(.venv) ./project $ `, with the virtual environment only if one is active."""
    venv = f"({state.venv.rsplit('/', 1)[-1]}) " if state.venv else ""
    return f"{venv}./{state.cwd} $ "


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise Refusal("INVALID_PARAMETERS", f"the line cannot be split: {error}") from error


def _unwrapped(text: str) -> str:
    """`'python --version'` means what `python --version` means."""
    if text[:1] in ("'", '"'):
        words = _words(text)
        if len(words) == 1:
            return words[0]
    return text


def _switch(words: list[str], state: SessionState) -> bool:
    match words:
        case []:
            return not state.autonomous
        case ["on"]:
            return True
        case ["off"]:
            return False
    raise Refusal("INVALID_PARAMETERS", f"usage: {usage('toggle_autonomous_mode')}")
