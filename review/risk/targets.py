"""What a step acts on, for counting its cases: the program of a command line, or the kind of thing that a parameter
names. Pure.

How often a command failed matters for a step only if both do the same. Every program runs with the same command, so
all cases of `run` together say nothing about `python job.py`.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Mapping, Sequence
from posixpath import basename, normpath
from typing import Any
from urllib.parse import urlsplit

LONGEST = 160
_LINE = "command_line"
_ADDRESS = "url"
_PATHS = ("path", "file", "to")
_PYTHON = re.compile(r"python(\d+(\.\d+)*)?\Z")
_PIP = re.compile(r"pip(\d+(\.\d+)*)?\Z")
# Programs that do something different with each first word (subcommand).
_WITH_SUBCOMMANDS = frozenset({"git", "make", "pip"})
# Options of these programs that are followed by a value.
_TAKES_A_WORD = {"python": frozenset({"-W", "-X"}), "git": frozenset({"-C", "-c"}), "make": frozenset({"-C", "-f"})}
# Modules of Python that are also programs of the same name.
_ALSO_PROGRAMS = frozenset({"pip", "pytest"})
_ENDING = re.compile(r"[^.].*(\.[A-Za-z0-9]{1,8})\Z")


def is_program(params: Mapping[str, Any]) -> bool:
    """Whether the step runs a program that its parameters name."""
    return isinstance(params.get(_LINE), str)


def in_words(target: str) -> str:
    """What a step without a program acts on, as words after its command: `for .txt files`."""
    if not target:
        return ""
    return f"for {target} files" if target.startswith(".") else f"for {target}"


def target_of(tool: str, command: str, params: Mapping[str, Any]) -> str:
    """What a step with these parameters acts on; "" if the command alone is enough.

    A command line: the program, with the script, module or subcommand that it runs (`python job.py`, `pytest`,
    `git commit`). A web address: its host. A path: the kind of file by its ending (`.txt`).
    """
    if is_program(params):
        return _bounded(_program(params[_LINE]))
    if isinstance(address := params.get(_ADDRESS), str):
        return _bounded(_host(address))
    named = next((value for name in _PATHS if isinstance(value := params.get(name), str)), "")
    return _kind(named)


def _program(line: str) -> str:
    try:
        words = shlex.split(line)
    except ValueError:
        return line.strip()
    words = _without_env(words)
    return _of_words(words) if words else line.strip()


def _without_env(words: list[str]) -> list[str]:
    """The words after `env NAME=value`, which only sets variables for the program."""
    if words[:1] != ["env"]:
        return words
    rest = next((at for at, word in enumerate(words[1:], 1) if "=" not in word and not word.startswith("-")), 0)
    return words[rest:]


def _of_words(words: Sequence[str]) -> str:
    name, rest = _name(words[0]), words[1:]
    if name == "python":
        return _python(rest, words)
    if name in _WITH_SUBCOMMANDS and (word := _first_word(name, rest)):
        return f"{name} {word}"
    return name


def _name(word: str) -> str:
    """A program's name. A path is kept, from the folder the step stands in, unless it leads to one of those above."""
    name = basename(word)
    if _PYTHON.match(name):
        return "python"
    if _PIP.match(name):
        return "pip"
    return name if name in _WITH_SUBCOMMANDS or "/" not in word else normpath(word)


def _python(rest: Sequence[str], words: Sequence[str]) -> str:
    """What Python runs: a script, a module, or code in the line itself."""
    at = 0
    while at < len(rest) and rest[at].startswith("-") and rest[at] != "-":
        option = rest[at]
        if option.startswith("-c"):
            return shlex.join(["python", *words[1:]])
        if option.startswith("-m"):
            module = [option[2:]] if option[2:] else list(rest[at + 1 : at + 2])
            arguments = rest[at + (1 if option[2:] else 2) :]
            return _module(module, arguments)
        at += 2 if option in _TAKES_A_WORD["python"] else 1
    return f"python {normpath(rest[at])}" if at < len(rest) else "python"


def _module(module: Sequence[str], arguments: Sequence[str]) -> str:
    if not module:
        return "python -m"
    return _of_words([*module, *arguments]) if module[0] in _ALSO_PROGRAMS else f"python -m {module[0]}"


def _first_word(name: str, words: Sequence[str]) -> str:
    takes = _TAKES_A_WORD.get(name, frozenset())
    at = 0
    while at < len(words):
        if not words[at].startswith("-"):
            return words[at]
        at += 2 if words[at] in takes else 1
    return ""


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def _kind(path: str) -> str:
    if "{{" in path:
        return ""  # it is known only when the step runs
    found = _ENDING.match(basename(path))
    return found[1].lower() if found else ""


def _bounded(text: str) -> str:
    """The text itself, or its beginning with a digest of all of it, because a line may contain a whole program."""
    # No column can store a NUL or half a character.
    text = text.encode("utf-8", "replace").decode().replace("\0", "?")
    if len(text) <= LONGEST:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return f"{text[: LONGEST - 14]}… {digest}"
