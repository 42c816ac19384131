"""Runs ruff with our files and rules, so that the analysed code cannot influence it.

With `--isolated` ruff reads no settings file, so none can name a plugin, another file or a cache.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from . import oldest
from .telling import tell, tell_sometimes
from .walking import LeftOut, Source

_BATCH_FILES = 300
_BATCH_BYTES = 4 << 20
_MOST_FINDINGS = 100_000  # of one batch; ruff holds them all in memory
PARTS = (
    ("faults", "Probable faults", ("E9", "F", "B", "PLE", "PLW", "ASYNC", "W605")),
    ("style", "Hard to read", ("E4", "E7", "SIM", "C4", "RET", "PIE", "PERF")),
    ("old", "Outdated syntax", ("UP",)),
)
COMPLEXITY = "C901"
SECURITY = ("S",)
CANNOT_READ = "files that end an analyser"
# Found in nearly every program, and useless without knowing its purpose.
_NOT_ASKED = ("PLW2901", "SIM105", "SIM108", "SIM117", "UP006", "UP007", "UP035", "UP045", "E741", "E731", "PERF203")


class OutOfTime(Exception):
    """There was no time left for all files."""


@dataclass(frozen=True)
class Finding:
    """One finding of ruff. `complexity` is a function's, 0 for other findings; `is_safe`: ruff can fix it."""

    path: str
    line: int
    code: str
    name: str
    message: str
    complexity: int = 0
    is_safe: bool = False

    @property
    def part(self) -> str:
        """Which of PARTS it belongs to; an unreadable file is a fault."""
        fits = [
            (len(prefix), part) for part, _, prefixes in PARTS for prefix in prefixes if self.code.startswith(prefix)
        ]
        return max(fits)[1] if fits else PARTS[0][0]


def lint_rules(target: str) -> list[str]:
    """The rules of the report: faults, style, and complexity of functions. Outdated syntax depends on a `target`."""
    parts = (prefixes for key, _, prefixes in PARTS if target or key != "old")
    return [*(prefix for prefixes in parts for prefix in prefixes), COMPLEXITY]


def version(program: str) -> str:
    """The version that answers."""
    said = subprocess.run([program, "--version"], capture_output=True, text=True, env={}, check=True)
    return said.stdout.split()[-1]


def find(
    program: str,
    files: Sequence[Source],
    rules: Sequence[str],
    target: str,
    until: float,
    left_out: LeftOut,
    *,
    silenced: bool = False,
    without: Sequence[str] = (),
) -> Iterator[Finding]:
    """What ruff finds in the files, batch by batch. `silenced`: also findings that the code itself silences.

    A file that crashes ruff is left out. Raises OutOfTime when the clock passes `until` (time.monotonic).
    """
    done = 0
    more = ("--ignore-noqa",) if silenced else ()
    waiting = [list(batch) for batch in batches(files)][::-1]
    while waiting:
        batch = waiting.pop()
        found = _of_batch(program, [source.path for source in batch], rules, target, until, more, without)
        if found is None and len(batch) > 1:
            half = len(batch) // 2
            waiting += [batch[half:], batch[:half]]
            continue
        if found is None:
            left_out.add(CANNOT_READ, batch[0].path)
        yield from found or ()
        done += len(batch)
        tell_sometimes(f"ruff has read {done:,} of {len(files):,} files")


def batches(files: Sequence[Source]) -> Iterator[list[Source]]:
    """The files in batches that ruff can hold in memory."""
    batch: list[Source] = []
    size = 0
    for source in files:
        if batch and (len(batch) == _BATCH_FILES or size + len(source.content) > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(source)
        size += len(source.content)
    if batch:
        yield batch


def arguments(program: str, rules: Sequence[str], target: str, without: Sequence[str] = ()) -> list[str]:
    """What every call has in common."""
    return [
        *(program, "check", "--isolated", "--no-cache", "--quiet", "--no-respect-gitignore"),
        *(
            f"--select={','.join(rules)}",
            f"--ignore={','.join((*_NOT_ASKED, *without))}",
            f"--target-version={target or oldest.NEWEST}",
        ),
        # A package's `__init__.py` imports names for others that it does not use itself.
        "--per-file-ignores=__init__.py:F401",
        "--config=lint.mccabe.max-complexity=0",
        "--config=line-length=320",
    ]


def _of_batch(
    program: str,
    paths: Sequence[str],
    rules: Sequence[str],
    target: str,
    until: float,
    more: Sequence[str],
    without: Sequence[str],
) -> list[Finding] | None:
    """What ruff finds in these files; None when one of them ended it."""
    here = os.getcwd()
    asked = [*arguments(program, rules, target, without), "--no-fix", "--output-format=json-lines", *more, "--"]
    # Whole paths, because a name that begins with a dash or an @ would be read as an option or a list.
    asked += [os.path.join(here, path) for path in paths]
    # It answers with the replacement character for bytes that are no UTF-8.
    known = {os.fsencode(os.path.join(here, path)).decode("utf-8", "replace"): path for path in paths}
    found: list[Finding] = []
    with subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()) as process:
        assert process.stdout is not None  # noqa: S101 - a pipe was asked for
        clock = threading.Timer(max(0.1, until - time.monotonic()), process.kill)
        clock.start()
        try:
            for line in process.stdout:
                finding = _read(line, known)
                if finding is not None:
                    found.append(finding)
                if len(found) == _MOST_FINDINGS:
                    tell("ruff finds more than can be kept; the rest of this portion is left out")
                    return found
        finally:
            clock.cancel()
            process.kill()
    if time.monotonic() > until:
        raise OutOfTime
    return found if process.returncode in (0, 1) else None


def environment() -> dict[str, str]:
    """Only what ruff needs, because it would read settings from its environment."""
    return {"HOME": "/nonexistent", "RAYON_NUM_THREADS": "2", "NO_COLOR": "1"}


def _read(line: bytes, known: dict[str, str]) -> Finding | None:
    try:
        told: dict[str, Any] = json.loads(line)
        path = known[told["filename"]]
        code = str(told["code"] or "invalid-syntax")
        message = str(told["message"])
        line_number = int(told["location"]["row"])
        name = str(told.get("name") or code)
    except (ValueError, KeyError, TypeError):
        return None
    complexity = 0
    if code == COMPLEXITY:
        name, _, rest = message.partition(" is too complex (")
        complexity = int(rest.partition(" ")[0])
        name = name.strip("`")
    is_safe = isinstance(told.get("fix"), dict) and told["fix"].get("applicability") == "safe"
    return Finding(path, line_number, code, name, message, complexity, is_safe)
