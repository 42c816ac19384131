"""Which packages a virtual environment of the workspace holds, and in which versions."""

from __future__ import annotations

from typing import Any

from agents.toolkit import refusal
from agents.toolkit.command import Command, Tool
from agents.toolkit.describing import fields, line, path
from agents.toolkit.jailed import in_jail
from agents.toolkit.python_environments import inside
from agents.toolkit.trial import Trial

NAME = "python_environments"
_ENVIRONMENT = path("Virtual environment", default=".venv")
_PACKAGES = ".venv/lib/python3.11/site-packages"
_FILES = {
    ".venv/pyvenv.cfg": "home = /usr/bin\n",
    f"{_PACKAGES}/typing_extensions-4.1.dist-info/METADATA": "Name: Typing_Extensions\nVersion: 4.1\n\nVersion: 9\n",
    "plain/a.txt": "x",
}


def _command(
    name: str,
    summary: str,
    more: dict[str, Any],
    phrase: str,
    result_keys: tuple[str, ...],
    example: dict[str, Any],
    trials: tuple[Trial, ...],
) -> Command:
    schema = fields({**more, "path": _ENVIRONMENT}, *more)
    work = in_jail(inside, schema, reads_only=True, parts=(refusal,), do=name)
    return Command(NAME, name, summary, schema, (phrase,), "idempotent", work, result_keys, (example,), trials=trials)


TOOL = Tool(
    NAME,
    "Python environments",
    "Says which packages a virtual environment holds and in which versions. Nothing of the environment is run.",
    (
        _command(
            "version",
            "Show the version of a package in a virtual environment.",
            {"package": line("Package", 200)},
            "show the version of the package {package} [in the virtual environment {path}]",
            ("package", "version", "installed"),
            {"package": "requests"},
            (
                Trial({"package": "typing-extensions>=4"}, _FILES, result={"version": "4.1"}, changes=()),
                Trial({"package": "requests"}, _FILES, result={"installed": False}, changes=()),
                Trial({"package": "x", "path": "plain"}, _FILES, error="INVALID_PARAMETERS", changes=()),
            ),
        ),
        _command(
            "packages",
            "List the packages of a virtual environment with their versions.",
            {},
            "show the packages of the virtual environment {path}",
            ("packages", "count"),
            {"path": ".venv"},
            (
                Trial({}, _FILES, result={"count": 1}, changes=()),
                Trial({"path": "plain"}, _FILES, error="INVALID_PARAMETERS", changes=()),
            ),
        ),
    ),
)
