"""Command lines that install packages: what pip is asked for, read from its own words."""

from __future__ import annotations

from sandbox.command_line import split
from sandbox.commands import Refusal

_PIP = frozenset({"pip", "pip3"})
_PYTHON = frozenset({"python", "python3"})
_FETCHING = frozenset({"install", "download", "wheel"})
# Options of pip itself that take the next word, so that it is no command of pip.
_WITH_VALUE = frozenset({"--python", "--log", "--proxy", "--retries", "--timeout", "--exists-action", "--trusted-host"})
_WITH_VALUE |= {"--cert", "--client-cert", "--cache-dir", "--use-feature", "--use-deprecated", "--keyring-provider"}

_ELSEWHERE = frozenset({"-t", "--target", "--prefix", "--root", "--user", "--dry-run", "--break-system-packages"})


def _asked_of_pip(command_line: object) -> list[str]:
    """The words behind pip's own options: its command and what that is given; nothing for another program."""
    try:
        words = split(command_line) if isinstance(command_line, str) else []
    except Refusal:
        return []
    name = words[0].rpartition("/")[2] if words else ""
    if name in _PYTHON and words[1:3] == ["-m", "pip"]:
        rest = words[3:]
    elif name in _PIP:
        rest = words[1:]
    else:
        return []
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in _WITH_VALUE else rest[1:]
    return rest


def fetches_packages(command_line: object) -> bool:
    """Whether the command line has pip ask a package index; not with `--no-index`, which tells it not to."""
    asked = _asked_of_pip(command_line)
    return bool(asked) and asked[0] in _FETCHING and "--no-index" not in asked


def given_to_pip(command_line: object) -> list[str]:
    """The words behind pip's own command when it fetches packages: what to install, and options."""
    return _asked_of_pip(command_line)[1:] if fetches_packages(command_line) else []


def installs_packages(command_line: object) -> bool:
    """Whether the command line has pip put packages into the environment that is active."""
    return _asked_of_pip(command_line)[:1] == ["install"]


def needs_environment(command_line: object) -> bool:
    """Whether pip would install into the environment that is active, and so fails when none is.

    A pip named by its path brings its own environment, and one that is told a folder installs there.
    """
    asked = _asked_of_pip(command_line)
    if asked[:1] != ["install"] or any(word.partition("=")[0] in _ELSEWHERE for word in asked):
        return False
    return "/" not in split(str(command_line))[0]
