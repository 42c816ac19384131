"""Runs a Python script as a person would, and says what kept it from its end. Lives in the jail."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from agents.toolkit.failing.meanings import meaning
from agents.toolkit.refusal import Refused

MOST_CHARS = 4_000
# A script that waits for nothing would never fail: it is stopped before the step is.
_SPARE_S = 5.0
_PLACE = re.compile(r'^  File "(?P<file>[^"]+)", line (?P<line>[0-9]+)', re.MULTILINE)
_ERROR = re.compile(
    r"^(?P<error>[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning|Iteration))(?:: (?P<said>.*))?$"
)


def main(params: dict[str, Any]) -> dict[str, Any]:
    """Run the script; that it fails is what is asked about, so it is no failure of the step."""
    try:
        return _tried(Path(params["path"]))
    except Refused as refused:
        return refused.answer()


def _tried(script: Path) -> dict[str, Any]:
    if script.suffix != ".py":
        raise Refused("INVALID_PARAMETERS", f"{script} is no Python script; only those are looked into")
    if not script.is_file():
        raise Refused("INVALID_PARAMETERS", f"there is no file {script}")
    most_s = max(1.0, float(os.environ.get("MINDX_SECONDS", "60")) - _SPARE_S)
    program = Path(".venv/bin/python")
    # As a person runs it: with the environment of the folder, where there is one.
    command = [str(program if program.exists() else sys.executable), "-B", str(script)]
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=most_s, check=False)
    except subprocess.TimeoutExpired:
        message = f"It has not ended after {most_s:g} seconds: it waits for something, or goes round without end."
        return _answer(None, "", "", "", 0, "", message)
    except OSError as error:
        raise Refused("TOOL_EXECUTION_ERROR", f"{command[0]} cannot be run: {error.strerror}") from error
    output, said = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
    if done.returncode == 0:
        return _answer(0, output, "", "", 0, "", "It ran to its end without an error.")
    return _explained(done.returncode, output, said)


def _explained(code: int, output: str, said: str) -> dict[str, Any]:
    lines = said.rstrip().splitlines()
    error = next((line for line in reversed(lines) if _ERROR.match(line)), lines[-1] if lines else "")
    places = [(Path(found["file"]), int(found["line"])) for found in _PLACE.finditer(said)]
    own = [(path, line) for path, line in places if path.is_file() and _is_own(path)]
    path, line = own[-1] if own else (Path(), 0)
    source = _line(path, line) if line else ""
    where = f" in line {line} of {os.path.relpath(path)}" if line else ""
    shown = f", which says: {source.strip()}" if source.strip() else ""
    means = meaning(error)
    message = f"It ends with exit code {code}{where}{shown}. {error or 'It says nothing about it'}"
    message += f" – {means}." if means else "."
    file = os.path.relpath(path) if line else ""
    return _answer(code, output, said, error, line, file, message)


def _is_own(path: Path) -> bool:
    """Whether a file is the workspace's own, and no library's."""
    try:
        inside = path.resolve().relative_to(Path.cwd())
    except (ValueError, OSError):
        return False
    return "site-packages" not in inside.parts


def _line(path: Path, number: int) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        return next((text for at, text in enumerate(file, 1) if at == number), "")[:300]


def _answer(code: int | None, output: str, said: str, error: str, line: int, file: str, why: str) -> dict[str, Any]:
    return {
        "fails": code != 0,
        "exit_code": code,
        "error": error[:MOST_CHARS],
        "file": file,
        "line": line,
        "why": why[:MOST_CHARS],
        "printed": output[-MOST_CHARS:],
        "traceback": said[-MOST_CHARS:],
        "message": why[:500],
    }
