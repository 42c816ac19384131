"""What must be so after a goal: its files, its repository, and what its steps answered."""

from __future__ import annotations

import json
import os
import re
import subprocess
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

Case = Mapping[str, Any]


def faults(case: Case, root: Path, before: Path, answers: Sequence[Any]) -> list[str]:
    """What is not as the goal asks, in words. `before` holds the files of its world, `answers` the steps' results."""
    return [
        fault for name, check in _CHECKS.items() if name in case for fault in check(case[name], root, before, answers)
    ]


def said_in(answers: Sequence[Any]) -> str:
    """All texts and numbers in the results, parted by line breaks."""
    return "\n".join(_leaves(list(answers)))


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield str(name)
            yield from _leaves(one)
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one)
    elif value is not None:
        yield str(value)


def _holds(text: str, wanted: str | Sequence[str]) -> bool:
    """Whether a text, or one of several, is there; a number only as a number of its own."""
    if not isinstance(wanted, str):
        return any(_holds(text, one) for one in wanted)
    if re.fullmatch(r"[0-9.]+", wanted):
        return re.search(rf"(?<![\w.]){re.escape(wanted)}(?!\w|\.\d)", text) is not None
    return wanted in text


def _there(paths: Sequence[str], root: Path, _before: Path, _answers: Sequence[Any]) -> Iterator[str]:
    yield from (f"{path} is not there" for path in paths if not (root / path).exists())


def _gone(paths: Sequence[str], root: Path, _before: Path, _answers: Sequence[Any]) -> Iterator[str]:
    yield from (f"{path} is still there" for path in paths if (root / path).exists())


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.is_file() else ""


def _in_files(wanted: Mapping[str, Sequence[Any]], root: Path, _before: Path, _answers: Sequence[Any]) -> Iterator[str]:
    for path, texts in wanted.items():
        yield from (f"{path} does not hold {text}" for text in texts if not _holds(_text(root / path), text))


def _not_in_files(
    wanted: Mapping[str, Sequence[str]], root: Path, _before: Path, _answers: Sequence[Any]
) -> Iterator[str]:
    for path, texts in wanted.items():
        yield from (f"{path} still holds {text}" for text in texts if text in _text(root / path))


def _says(wanted: Sequence[Any], _root: Path, _before: Path, answers: Sequence[Any]) -> Iterator[str]:
    said = said_in(answers)
    yield from (f"nothing says {text}" for text in wanted if not _holds(said, text))


def _silent(unwanted: Sequence[str], _root: Path, _before: Path, answers: Sequence[Any]) -> Iterator[str]:
    said = said_in(answers)
    yield from (f"{text} is said too" for text in unwanted if _holds(said, text))


def _json(wanted: Mapping[str, Any], root: Path, _before: Path, _answers: Sequence[Any]) -> Iterator[str]:
    for path, data in wanted.items():
        try:
            found = json.loads(_text(root / path))
        except ValueError:
            yield f"{path} is no JSON"
            continue
        if found != data:
            yield f"{path} holds other data"


def _yaml(wanted: Mapping[str, Any], root: Path, _before: Path, _answers: Sequence[Any]) -> Iterator[str]:
    import yaml

    for path, data in wanted.items():
        if not (root / path).is_file() or yaml.safe_load(_text(root / path)) != data:
            yield f"{path} holds other data, or is not there"


def _zip(wanted: Mapping[str, Sequence[str]], root: Path, _before: Path, _answers: Sequence[Any]) -> Iterator[str]:
    for path, names in wanted.items():
        if not zipfile.is_zipfile(root / path):
            yield f"{path} is no archive"
            continue
        with zipfile.ZipFile(root / path) as archive:
            held = {name for name in archive.namelist() if not name.endswith("/")}
        if {Path(name).name for name in held} != {Path(name).name for name in names}:
            yield f"{path} holds {', '.join(sorted(held))}"


def _unchanged(wanted: bool, root: Path, before: Path, _answers: Sequence[Any]) -> Iterator[str]:
    # What Python keeps of modules that it ran, and git of files that it looked at, is no change that anybody means.
    machinery = {"__pycache__", ".pytest_cache", ".git"}
    old, new = (
        {p.relative_to(top): p.read_bytes() for p in top.rglob("*") if p.is_file() and machinery.isdisjoint(p.parts)}
        for top in (before, root)
    )
    if wanted and old != new:
        yield "files have changed"


def _git(root: Path, *words: str) -> str:
    environment = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent"}
    asked = ["git", "-c", "safe.directory=*", *words]
    done = subprocess.run(asked, cwd=root, env=environment, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def _branch(name: str, root: Path, _before: Path, _answers: Sequence[Any]) -> Iterator[str]:
    if name not in _git(root, "branch", "--format=%(refname:short)").split():
        yield f"there is no branch {name}"


def _commits(count: int, root: Path, _before: Path, _answers: Sequence[Any]) -> Iterator[str]:
    if (root / ".git").is_dir() and _git(root, "rev-list", "--count", "HEAD") == str(count):
        return
    yield f"there are not {count} commits"


def _message(text: str, root: Path, _before: Path, _answers: Sequence[Any]) -> Iterator[str]:
    if text not in _git(root, "log", "-1", "--format=%B"):
        yield f"the newest commit does not say {text}"


def _clean(wanted: bool, root: Path, _before: Path, _answers: Sequence[Any]) -> Iterator[str]:
    if wanted and _git(root, "status", "--porcelain"):
        yield "not everything is committed"


_Check = Callable[[Any, Path, Path, Sequence[Any]], Iterator[str]]
_CHECKS: dict[str, _Check] = {
    "there": _there,
    "gone": _gone,
    "holds": _in_files,
    "lacks": _not_in_files,
    "says": _says,
    "silent": _silent,
    "json": _json,
    "yaml": _yaml,
    "zip": _zip,
    "unchanged": _unchanged,
    "branch": _branch,
    "commits": _commits,
    "message": _message,
    "clean": _clean,
}
